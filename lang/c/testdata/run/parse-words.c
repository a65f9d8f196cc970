// sc SAFE tso SAFE
#include <pthread.h>
#include <assert.h>
#include <stdio.h>
#include <stdarg.h>
#include <ctype.h>
#include <string.h>
/* tokenizer + varargs sum + strtol in threads */
#include <stdlib.h>
static int sumv(int n, ...) { va_list ap; int s = 0; va_start(ap, n); while (n--) s += va_arg(ap, int); va_end(ap); return s; }
static int parse(const char *s) { int v = 0; while (*s && isspace((unsigned char)*s)) s++; for (; isdigit((unsigned char)*s); s++) v = 10 * v + (*s - '0'); return v; }
int res[2];
void *w(void *a) { const char *txt[] = { " 12", "30" }; int i = *(int *)a; res[i] = sumv(3, parse(txt[i]), i, (int)strlen(txt[i])); return 0; }
int main(void) { pthread_t t[2]; int id[] = { 0, 1 }; for (int i = 0; i < 2; i++) pthread_create(&t[i],0,w,&id[i]); for (int i = 0; i < 2; i++) pthread_join(t[i],0); char b[8]; sprintf(b, "%d", res[0]); assert(!strcmp(b, "15")); assert(res[1] == 33); assert(strtol("42", NULL, 10) == 42); return 0; }
