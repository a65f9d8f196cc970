// sc SAFE tso SAFE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>
#include <time.h>
#include <unistd.h>
int main(void) { char *e; char b[6] = "  -42"; assert(strtol(b, &e, 10) == -42 && *e == 0); assert(strtol("0x1fz", &e, 0) == 31 && *e == 'z'); assert(strtol("077", 0, 0) == 63); assert(strtol("zz", &e, 10) == 0 && *e == 'z');
 assert(strtoul("4294967295", 0, 10) == 4294967295ul); assert(strtol("9223372036854775808", 0, 10) == 9223372036854775807l); assert(strtol("-9223372036854775808", 0, 10) == -9223372036854775807l - 1); assert(strtoul("-1", 0, 10) == -1ul);
 b[0] = '1'; b[1] = '7'; b[2] = 0; assert(atoi(b) == 17 && atol(b) == 17); assert(labs(-3l) == 3 && llabs(4) == 4);
 assert(isdigit('7') && !isdigit('a') && isalpha('q') && toupper('q') == 'Q' && tolower('Q') == 'q' && isspace('\n') && ispunct('!') && isxdigit('F') && !isalnum('_') && iscntrl(0));
 assert(strstr("hello", "ll") != 0 && strcmp(strstr("hello", "ll"), "llo") == 0 && !strstr("abc", "abd") && !strcmp(strstr("x", ""), "x")); char *d = strdup("abc"); assert(d[2] == 'c' && !d[3]); free(d);
 time_t t, now = time(&t); assert(now == t); write(1, "x", 1); return 0; }
