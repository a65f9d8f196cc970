// SAFE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <pthread.h>
#define handle_error_en(en, msg) do { errno = en; perror(msg); exit(EXIT_FAILURE); } while (0)
pthread_mutex_t m;
void *f(void *p) { return p; }
int main(void) { pthread_t t; int s = pthread_create(&t, NULL, f, NULL); if (s != 0) handle_error_en(s, "pthread_create"); if (pthread_mutex_init(&m, NULL)) { fprintf(stderr, "x %s\n", strerror(errno)); return 1; } s = pthread_join(t, NULL); assert(s == 0); return 0; }
