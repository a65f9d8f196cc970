package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestFailures: what the library does with the world outside may fail, and gives nothing else than it may give.
func TestFailures(t *testing.T) {
	const before = `#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
`
	for _, s := range []snippet{
		{"write", `if (write(1, "x", 1) < 0) assert(errno != EINTR);`, "UNSAFE"},
		{"write says why", `errno = 0; if (write(1, "x", 1) < 0) assert(errno > 0); else assert(errno == 0);`, "SAFE"},
		{"write, in part", `assert(write(1, "xy", 2) != 1);`, "UNSAFE"},
		{"write, no more", `assert(write(1, "xy", 2) <= 2);`, "SAFE"},
		{"read", `char b[4]; if (read(0, b, 4) < 0) assert(errno != EAGAIN);`, "UNSAFE"},
		{"read, in part", `char b[4] = { 7, 7, 7, 7 }; if (read(0, b, 3) == 2) assert(b[2] == 7 && b[3] == 7);`, "SAFE"},
		{"read anything", `char b[4] = { 7, 7, 7, 7 }; if (read(0, b, 3) == 2) assert(b[1] == 7);`, "UNSAFE"},
		{"read outside", `char b[4]; read(0, b, 5);`, "UNSAFE"},
		{"open", `if (open("x", O_RDONLY) < 0) assert(errno != ENOENT);`, "UNSAFE"},
		{"close", `assert(!close(3) || errno != EIO);`, "UNSAFE"},
		{"fopen", `errno = 0; if (!fopen("x", "r")) assert(errno && errno != EMFILE);`, "UNSAFE"},
		{"fopen says why", `errno = 0; if (!fopen("x", "r")) assert(errno);`, "SAFE"},
		{"fclose", `assert(!fclose(stdout) || errno != ENOSPC);`, "UNSAFE"},
		{"printf", `int n = printf("abc"); assert(n == 3 || n < 0);`, "SAFE"},
		{"printf fails", `assert(printf("abc") == 3);`, "UNSAFE"},
		{"printf a number", `int x = 5; assert(printf("%d", x) != 1);`, "UNSAFE"},
		{"errno after printf", `errno = 0; printf("abc"); assert(errno == 0);`, "UNSAFE"},
		{"puts", `assert(puts("x") >= 0);`, "UNSAFE"},
		{"putchar", `int c = putchar(0xe4 - 256); assert(c == 0xe4 || c == EOF);`, "SAFE"},
		{"putchar fails", `assert(putchar('a') == 'a');`, "UNSAFE"},
		{"the end is no error", `errno = 0; if (getchar() == EOF) assert(errno);`, "UNSAFE"},
		{"an error is no end", `errno = 0; if (getchar() == EOF) assert(!errno);`, "UNSAFE"},
		{"scanf reads less", `int x = 5, y = 6; if (scanf("%d %d", &x, &y) == 1) assert(y == 6);`, "SAFE"},
		{"scanf reads", `int x = 5; if (scanf("%d", &x) == 1) assert(x == 5);`, "UNSAFE"},
		{"a line", `char b[4] = { 7, 7, 7, 7 }; if (fgets(b, 3, stdin)) assert(b[3] == 7 && (!b[0] || !b[1] || !b[2]));`, "SAFE"},
		{"a line ends", `char b[4]; if (fgets(b, 4, stdin) && b[0] == '\n') assert(!b[1]);`, "SAFE"},
		{"a line of anything", `char b[4]; if (fgets(b, 4, stdin)) assert(b[0] != 'x' || b[1] != 'y');`, "UNSAFE"},
		{"no line", `char b[4]; assert(fgets(b, 4, stdin) == b);`, "UNSAFE"},
		{"no line at the end", `char b[2] = "a"; errno = 0; if (!fgets(b, 2, stdin) && !errno) assert(b[0] == 'a');`, "SAFE"},
		{"a line that fails", `char b[2] = "a"; if (!fgets(b, 2, stdin)) assert(b[0] == 'a');`, "UNSAFE"},
		{"a line too long", `char b[4]; fgets(b, 5, stdin);`, "UNSAFE"},
		{"a line without room", `char b[4] = { 7 }; if (fgets(b, 1, stdin)) assert(!b[0]);`, "SAFE"},
		{"a line without even an end", `char b[1] = { 7 }; assert(!fgets(b, 0, stdin) && !fgets(b, -1, stdin) && b[0] == 7);`, "SAFE"},
		{"items", `char b[4] = { 7, 7, 7, 7 }; size_t n = fread(b, 1, 3, stdin); assert(n <= 3 && b[3] == 7 && (n || b[0] == 7));`, "SAFE"},
		{"items of two", `char b[5] = { 7, 7, 7, 7, 7 }; size_t n = fread(b, 2, 2, stdin); assert(n <= 2 && b[4] == 7); if (!n) assert(b[2] == 7);`, "SAFE"},
		{"an item, in part", `char b[4] = { 7, 7, 7, 7 }; if (!fread(b, 2, 2, stdin)) assert(b[0] == 7);`, "UNSAFE"},
		{"too many items", `char b[4]; fread(b, 2, 3, stdin);`, "UNSAFE"},
		{"items that are nothing", `char b[4] = { 7 }; assert(!fread(b, 0, 9, stdin) && b[0] == 7);`, "SAFE"},
		{"fwrite", `assert(fwrite("abc", 1, 3, stdout) == 3);`, "UNSAFE"},
		{"fwrite no more", `assert(fwrite("abc", 1, 3, stdout) <= 3);`, "SAFE"},
		{"isatty", `if (!isatty(0)) assert(errno != ENOTTY);`, "UNSAFE"},
		{"sysconf", `if (sysconf(4) == -1) assert(errno != EINVAL);`, "UNSAFE"},
		{"mlock", `int x; assert(!mlock(&x, sizeof x) || errno != ENOMEM);`, "UNSAFE"},
		{"scheduling", `struct sched_param p = { 1 }; errno = 0; if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &p)) assert(errno == 0);`, "SAFE"},
		{"scheduling fails", `struct sched_param p = { 1 }; assert(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p) != EPERM);`, "UNSAFE"},
		{"processors", `cpu_set_t s; CPU_ZERO(&s); CPU_SET(3, &s); assert(!sched_setaffinity(0, sizeof s, &s));`, "UNSAFE"},
		{"priorities", `assert(sched_get_priority_min(SCHED_FIFO) < sched_get_priority_max(SCHED_FIFO));`, "SAFE"},
		{"priorities of nothing", `errno = 0; if (sched_get_priority_max(77) == -1) assert(errno);`, "SAFE"},
		{"limits", `struct rlimit r; getrlimit(RLIMIT_NOFILE, &r); assert(r.rlim_cur <= r.rlim_max);`, "SAFE"},
		{"no limit", `struct rlimit r; getrlimit(RLIMIT_NOFILE, &r); assert(r.rlim_cur != -1ul);`, "UNSAFE"},
		{"a clock", `struct timespec t; clock_gettime(CLOCK_REALTIME, &t); assert(0 <= t.tv_nsec && t.tv_nsec < 1000000000 && t.tv_sec * 1000000000 >= 0);`, "SAFE"},
		{"a clock of today", `struct timespec t; clock_gettime(CLOCK_REALTIME, &t); assert(t.tv_sec < 1700000000);`, "UNSAFE"},
		{"microseconds", `struct timeval t; gettimeofday(&t, 0); assert(t.tv_usec < 1000000);`, "SAFE"},
		{"a time zone", `struct timeval t; struct timezone z; gettimeofday(&t, &z); assert(t.tv_usec < 1000000);`, "SAFE"},
		{"a date that is printed", `time_t t = time(0); struct tm d, *e = localtime(&t); localtime_r(&t, &d); d.tm_hour = 3; printf("%02d:%d %d\n", d.tm_hour, d.tm_min + 1, e->tm_year + 1900); char b[32]; size_t n = strftime(b, sizeof b, "%H:%M:%S", &d); puts(b); assert(n == 8);`, "SAFE"},
		{"a date at the end of time", `time_t t = LONG_MAX; assert(localtime(&t));`, "UNSAFE"},
		{"a date at the end of time says why", `time_t t = LONG_MAX; assert(!gmtime(&t) && errno == EOVERFLOW);`, "SAFE"},
		{"a date of no time", `localtime(0);`, "UNSAFE"},
		{"a date for nobody", `time_t t = 5; localtime_r(&t, 0);`, "UNSAFE"},
		{"one date for all", `time_t t = 5, u = 1700000000; struct tm *d = localtime(&t), *e = gmtime(&u); assert(d == e);`, "SAFE"},
		{"a date in words without room", `time_t t = time(0); char b[8] = { 7 }; struct tm d; gmtime_r(&t, &d); assert(!strftime(b, sizeof b, "%T", &d));`, "SAFE"},
		{"a date in words outside", `time_t t = time(0); char b[5]; struct tm d; gmtime_r(&t, &d); strftime(b, 6, "%R", &d);`, "UNSAFE"},
		{"a date in words of no date", `char b[64]; strftime(b, sizeof b, "%T", 0);`, "UNSAFE"},
		{"a text of a time", `time_t t = time(0); char *s = ctime(&t), c[32]; assert(strlen(s) == 25); s[strlen(s) - 1] = 0; puts(s); snprintf(c, sizeof c, "[%s]", s); puts(c);`, "SAFE"},
		{"a text of a time in a text without room", `time_t t = time(0); char c[25]; sprintf(c, "%s", ctime(&t)); puts(c);`, "UNSAFE"},
		{"a text in a text that is printed", `char b[8], c[16]; snprintf(b, sizeof b, "x"); sprintf(c, "%s", b); puts(c); char d[8], e[8]; snprintf(d, sizeof d, "x"); sprintf(e, "%s", d); assert(e[0] == 'x');`, "SAFE"},
		{"a date chooses what is printed", `static const char *const day[] = { "a", "b", "c", "d", "e", "f", "g" }; time_t t = time(0); struct tm *a = localtime(&t), b = *a; printf("%s %s\n", day[a->tm_wday], asctime(a)); puts(b.tm_hour > 12 ? "pm" : "am");`, "SAFE"},
		{"a date in words that fit", `time_t t = time(0); char b[64], c[80]; struct tm d; gmtime_r(&t, &d); memset(&d, 0, sizeof d); if (strftime(b, sizeof b, "%Y", &d) == 0) assert(0); snprintf(c, sizeof c, "<%s>", b); puts(c);`, "SAFE"},
		{"a text of a time, outside", `time_t t = time(0); char b[25]; ctime_r(&t, b);`, "UNSAFE"},
		{"a text of a time too far away", `time_t t = 1l << 40; ctime(&t);`, "UNSAFE"},
		{"a text of a date", `struct tm d = { 1, 2, 3, 4, 5, 100, 0, 0, 0 }; char b[26]; asctime_r(&d, b); assert(strlen(b) == 25);`, "SAFE"},
		{"a text of no date", `struct tm d = { 1, 2, 77, 4, 5, 100, 0, 0, 0 }; asctime(&d);`, "UNSAFE"},
		{"a text without an end is printed", `char b[4]; strncpy(b, "abcdef", 4); printf("%s\n", b);`, "UNSAFE"},
		{"an array without an end is printed", `char b[3] = "abc"; puts(b);`, "UNSAFE"},
		{"more of a text is printed than there is", `char b[4]; memcpy(b, "abcdef", 4); printf("%.5s\n", b);`, "UNSAFE"},
		{"more of a text is printed than there is, as computed", `char b[4]; memcpy(b, "abcdef", 4); printf("%.*s\n", 5, b);`, "UNSAFE"},
		{"a part of a text is printed", `char b[4]; memcpy(b, "abcdef", 4); printf("%.4s %.*s %5.2s\n", b, 3, b, b); write(1, b, 4); fwrite(b, 1, 4, stdout);`, "SAFE"},
		{"one of some literals is printed", `const char *s[] = { "a", "bc", "def" }; printf("%s\n", s[rand() % 3]);`, "SAFE"},
		{"texts with widths", `char b[32]; assert(sprintf(b, "%-4s|%4s|%2s|%-2s|", "ab", "cd", "efg", "hij") == 18 && !strcmp(b, "ab  |  cd|efg|hij|"));`, "SAFE"},
		{"parts of texts", `char b[32], c[3] = "xyz"; int n = 2; assert(sprintf(b, "%.3s|%.*s|%.s|%.*s|%5.2s|", "abcd", n, c, c, -1, "ef", "ghi") == 17 && !strcmp(b, "abc|xy||ef|   gh|"));`, "SAFE"},
		{"more of a text than there is", `char b[32], c[3] = "xyz"; sprintf(b, "%.4s", c);`, "UNSAFE"},
		{"a text with a width that finds no room", `char b[8]; sprintf(b, "%-8s", "ab");`, "UNSAFE"},
		{"a text with a width that finds room as far as it goes", `char b[8]; assert(snprintf(b, sizeof b, "%*s", 9, "ab") == 9 && !strcmp(b, "       "));`, "SAFE"},
		{"numbers with widths", `char b[64]; sprintf(b, "%*d|%-*d|%*d|%-3x|%03d|%+d|% d|%+04d|%-03d|", 3, 5, 3, 6, -3, -7, 10, -5, 1, 2, 3, 4); assert(!strcmp(b, "  5|6  |-7 |a  |-05|+1| 2|+003|4  |"));`, "SAFE"},
		{"numbers with 0x", `char b[64]; sprintf(b, "%#x|%#X|%#x|%#8x|%#08x|%-#8x|%#08x|", 255, 255, 0, 255, 255, 255, 0); assert(!strcmp(b, "0xff|0XFF|0|    0xff|0x0000ff|0xff    |00000000|"));`, "SAFE"},
		{"numbers with 0", `char b[64]; sprintf(b, "%#o|%#o|%#5o|%#-5o|%#05o|%o", 8, 0, 8, 8, 8, 8); assert(!strcmp(b, "010|0|  010|010  |00010|10"));`, "SAFE"},
		{"0x has room", `char b[4]; sprintf(b, "%#x", 255);`, "UNSAFE"},
		{"numbers with widths that are computed", `char b[8]; int n = rand() & 1 ? 3 : -3; sprintf(b, "%0*d%%", n, 5); assert(!strcmp(b, n > 0 ? "005%" : "5  %"));`, "SAFE"},
		{"characters with widths", `char b[16]; sprintf(b, "%3c|%-3c|%*c", 'a', 'b', 2, 'c'); assert(!strcmp(b, "  a|b  | c"));`, "SAFE"},
		{"a text with a width that is printed into itself", `char b[16] = "abc"; sprintf(b, "%8s", b + 1); puts(b);`, "UNSAFE"},
		{"no text is printed", `puts(NULL);`, "UNSAFE"},
		{"what may be no text is printed", `fputs(rand() ? "a" : NULL, stdout);`, "UNSAFE"},
		{"no text is printed by a format, and before an error", `char *p = NULL; printf("%s", p); perror(NULL); perror(p);`, "SAFE"},
		{"more is written than there is", `char b[4] = {1}; write(1, b, 5);`, "UNSAFE"},
		{"more of a literal is written than there is", `write(1, "abc", 5);`, "UNSAFE"},
		{"the end of a text that is formatted is printed", `char b[2]; snprintf(b, 2, "%s", "a"); printf("%s\n", b + 1);`, "SAFE"},
		{"behind the end of a text that is formatted", `char b[4]; snprintf(b, 4, "%s", "abc"); printf("%s\n", b + 4);`, "UNSAFE"},
		{"texts by their numbers", `char b[4] = "abc", c[4]; memcpy(c, "abcdef", 4); printf("%2$s %1$s %2$s %3$.4s\n", "x", b, c);`, "SAFE"},
		{"texts by their numbers, one without an end", `char b[4] = "abc", c[4]; memcpy(c, "abcdef", 4); printf("%3$.4s %2$s %3$s\n", "x", b, c);`, "UNSAFE"},
		{"more items are written than there are", `char b[4] = {1}; fwrite(b, 2, 3, stdout);`, "UNSAFE"},
		{"a line is printed", `char b[4]; if (fgets(b, sizeof b, stdin) && b[0] != 'q') printf("%s", b);`, "SAFE"},
		{"a line that nobody looks at is printed", `char b[64]; if (fgets(b, sizeof b, stdin)) printf("%s", b);`, "SAFE"},
		{"bytes that nobody looks at are written", `char b[64]; ssize_t n = read(0, b, 64); if (n > 0) write(1, b, n);`, "SAFE"},
		{"what is read is printed as a text", `char b[8]; if (read(0, b, 8) > 0) puts(b);`, "UNSAFE"},
		{"a file's size", `struct stat s = { 0 }; s.st_mode = 7; if (fstat(3, &s) == 0) assert(s.st_size >= 0 && s.st_mtim.tv_nsec < 1000000000); else assert(s.st_mode == 7 && errno);`, "SAFE"},
		{"a file of any kind", `struct stat s; if (stat("x", &s) == 0) assert(!S_ISDIR(s.st_mode));`, "UNSAFE"},
		{"a file that is not there", `struct stat s; assert(lstat("x", &s) == 0);`, "UNSAFE"},
		{"a file for nobody", `stat("x", NULL);`, "UNSAFE"},
		{"where in a file", `FILE *f = tmpfile(); if (f) { assert(fseek(f, 0, SEEK_END) <= 0); rewind(f); assert(ftell(f) >= -1); fclose(f); }`, "SAFE"},
		{"where in a file, and not there", `assert(fseek(stdin, 0, SEEK_SET) == 0);`, "UNSAFE"},
		{"characters without a lock", `int c = getc_unlocked(stdin), d = putc_unlocked('a', stdout), e = putchar_unlocked('b'); assert(c <= 255 && (d == 'a' || d == EOF) && (e == 'b' || e == EOF));`, "SAFE"},
		{"a machine", `struct utsname u; if (uname(&u) == 0) assert(!u.sysname[64] && !u.machine[64]);`, "SAFE"},
		{"a machine of any kind", `struct utsname u; if (uname(&u) == 0) assert(u.machine[0] != 'x');`, "UNSAFE"},
		{"no child", `int s = 3; errno = 0; assert(wait(&s) == -1 && errno == ECHILD && s == 3 && WIFEXITED(256) && WEXITSTATUS(256) == 1 && WIFSIGNALED(9) && !WIFSIGNALED(0) && waitpid(-1, &s, WNOHANG) == -1);`, "SAFE"},
		{"an environment", `char v[4] = "abc"; int k = setenv("A", v, 1); assert(k == 0 || k == -1 && errno); unsetenv("A");`, "SAFE"},
		{"an environment that is not taken", `assert(!setenv("A", "b", 1));`, "UNSAFE"},
		{"an environment of no text", `char v[1] = { 'a' }; setenv("A", v, 1);`, "UNSAFE"},
		{"numbers by chance", `unsigned k = arc4random_uniform(5), m = arc4random_uniform(0); char b[3] = { 7, 7, 7 }; arc4random_buf(b, 2); assert(k < 5 && m == 0 && b[2] == 7);`, "SAFE"},
		{"any number by chance", `assert(arc4random_uniform(5) != 4);`, "UNSAFE"},
		{"bytes by chance, outside", `char b[3]; arc4random_buf(b, 4);`, "UNSAFE"},
		{"the text of an error", `char b[16]; char *s = strerror_r(ENOENT, b, sizeof b); assert(s[0] && strlen(s) < 16);`, "SAFE"},
		{"the text of an error, elsewhere", `char b[16] = "x"; strerror_r(ENOENT, b, sizeof b); assert(b[0] != 'x');`, "UNSAFE"},
		{"the text of an error, outside", `char b[4]; strerror_r(ENOENT, b, 16);`, "UNSAFE"},
		{"a difference of times", `struct timeval a = { 5, 900000 }, b = { 7, 100000 }, c; timersub(&b, &a, &c); assert(c.tv_sec == 1 && c.tv_usec == 200000 && timercmp(&a, &b, <) && timerisset(&c)); timeradd(&a, &b, &c); assert(c.tv_sec == 13 && c.tv_usec == 0); timerclear(&c); assert(!timerisset(&c));`, "SAFE"},
		{"a process that is there", `assert(!kill(getpid(), 0));`, "SAFE"},
		{"a process that is not", `assert(!kill(77, 0));`, "UNSAFE"},
		{"the attributes of a thread", `pthread_attr_t a; int d; void *p; size_t n; assert(!pthread_getattr_np(pthread_self(), &a) && !pthread_attr_getdetachstate(&a, &d) && !pthread_attr_getstack(&a, &p, &n) && (d == 0 || d == 1)); pthread_attr_destroy(&a);`, "SAFE"},
		{"the stack of a thread", `pthread_attr_t a; void *p; size_t n; pthread_getattr_np(pthread_self(), &a); pthread_attr_getstack(&a, &p, &n); assert(n != 1 << 20);`, "UNSAFE"},
		{"the clock of a thread", `clockid_t c; struct timespec t; assert(!pthread_getcpuclockid(pthread_self(), &c) && !clock_gettime(c, &t) && t.tv_nsec < 1000000000);`, "SAFE"},
		{"the name of the program", `assert(!strcmp(program_invocation_short_name, "main"));`, "SAFE"},
		{"names of limits", `char p[PATH_MAX]; assert(sizeof p == 4096 && NAME_MAX == 255 && (O_CLOEXEC & O_RDWR) == 0 && POLLIN == 1); int fd = open("x", O_WRONLY | O_CREAT | O_CLOEXEC, 0644); if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);`, "SAFE"},
		{"no such base", `errno = 0; char *e; assert(strtol("12", &e, 77) == 0 && errno == EINVAL);`, "SAFE"},
		{"a stack", `pthread_attr_t a; pthread_attr_init(&a); assert(!pthread_attr_setstacksize(&a, 1 << 20) && !pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));`, "SAFE"},
		{"a stack as it was set", `pthread_attr_t a; size_t n, m; pthread_attr_init(&a); pthread_attr_getstacksize(&a, &n); pthread_attr_getstacksize(&a, &m); assert(n == m); if (!pthread_attr_setstacksize(&a, 1l << 32)) { pthread_attr_getstacksize(&a, &n); assert(n == 1l << 32); } int d; assert(!pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED) && !pthread_attr_getdetachstate(&a, &d) && d == PTHREAD_CREATE_DETACHED);`, "SAFE"},
		{"a stack of any size", `pthread_attr_t a; size_t n; pthread_attr_init(&a); pthread_attr_getstacksize(&a, &n); pthread_attr_setstacksize(&a, 1 << 20); assert(n != 1 << 20);`, "UNSAFE"},
		{"a stack that may not be what was set", `pthread_attr_t a; size_t n; pthread_attr_init(&a); pthread_attr_setstacksize(&a, rand()); pthread_attr_getstacksize(&a, &n); assert(n < 100);`, "UNSAFE"},
		{"letters of both cases", `assert(!strcasecmp("aBc", "AbC") && strncasecmp("abx", "ABY", 3) < 0 && !strncasecmp("abx", "ABY", 2));`, "SAFE"},
		{"attributes that are gone", `pthread_mutexattr_t *a = malloc(sizeof *a); pthread_mutexattr_init(a); free(a); pthread_mutexattr_destroy(a);`, "UNSAFE"},
		{"attributes of a thread that are gone", `pthread_attr_t *a = malloc(sizeof *a); pthread_attr_init(a); free(a); pthread_attr_destroy(a);`, "UNSAFE"},
		{"attributes of a condition that are nowhere", `pthread_condattr_t *a = NULL; pthread_condattr_destroy(a);`, "UNSAFE"},
		{"attributes of a thread that are nowhere", `pthread_attr_init(NULL);`, "UNSAFE"},
		{"attributes of a barrier that are outside", `pthread_barrierattr_t a[2]; pthread_barrierattr_init(&a[0]); pthread_barrierattr_setpshared(&a[rand() & 2], 0);`, "UNSAFE"},
		{"attributes that are there", `pthread_mutexattr_t *a = malloc(sizeof *a); pthread_attr_t b; pthread_condattr_t c; pthread_rwlockattr_t d; pthread_mutexattr_init(a); pthread_attr_init(&b); pthread_condattr_init(&c); pthread_rwlockattr_init(&d); pthread_condattr_setclock(&c, CLOCK_MONOTONIC); pthread_attr_setguardsize(&b, 0); pthread_mutexattr_destroy(a); pthread_attr_destroy(&b); pthread_condattr_destroy(&c); pthread_rwlockattr_destroy(&d); free(a);`, "SAFE"},
		{"a barrier for nobody, and for more than there are", `pthread_barrier_t b; assert(pthread_barrier_init(&b, NULL, 0) == 22 && pthread_barrier_init(&b, NULL, -1) == 22); assert(!pthread_barrier_init(&b, NULL, 1) && pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);`, "SAFE"},
		{"a barrier for nobody that is waited at", `pthread_barrier_t b; pthread_barrier_init(&b, NULL, rand() & 1); pthread_barrier_wait(&b);`, "UNSAFE"},
		{"no state of cancellation", `int old = 5; assert(pthread_setcancelstate(2, &old) == 22 && pthread_setcancelstate(-1, NULL) == 22 && old == 5); assert(!pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) && old == PTHREAD_CANCEL_ENABLE);`, "SAFE"},
		{"no type of cancellation", `int old = 5; assert(pthread_setcanceltype(2, &old) == 22 && old == 5); assert(!pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) && old == PTHREAD_CANCEL_DEFERRED);`, "SAFE"},
		{"no limit of a lock", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_mutex_timedlock(&m, NULL);`, "UNSAFE"},
		{"no limit of a wait", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, NULL);`, "UNSAFE"},
		{"no limit of a semaphore", `sem_t s; sem_init(&s, 0, 0); sem_timedwait(&s, 0);`, "UNSAFE"},
		{"too small a stack", `pthread_attr_t a; pthread_attr_init(&a); assert(!pthread_attr_setstacksize(&a, 100));`, "UNSAFE"},
		{"too large a semaphore", `sem_t s; assert(sem_init(&s, 0, 1u << 31) == -1 && errno == EINVAL && !sem_init(&s, 0, 3));`, "SAFE"},
		{"a semaphore at its end", `sem_t s; sem_init(&s, 0, 2147483647); assert(sem_post(&s) == -1 && errno == EOVERFLOW && !sem_wait(&s) && !sem_post(&s));`, "SAFE"},
		{"a semaphore that stays at its end", `sem_t s; int n; sem_init(&s, 0, 2147483646 + 1); sem_post(&s); sem_getvalue(&s, &n); assert(n == 2147483647);`, "SAFE"},
		{"a semaphore that comes to its end", `sem_t s; sem_init(&s, 0, 2147483646); assert(!sem_post(&s)); assert(!sem_post(&s));`, "UNSAFE"},
		{"a semaphore's name", `sem_t *s = sem_open("s", O_CREAT, 0600, 2147483647u); assert(sem_post(s) == -1);`, "SAFE"},
		{"a sleep", `struct timespec t = { 1, 999999999 }; assert(!nanosleep(&t, 0) && !clock_nanosleep(CLOCK_REALTIME, 0, &t, 0) && !thrd_sleep(&t, 0));`, "SAFE"},
		{"a sleep too long", `struct timespec t = { 0, 1000000000 }; assert(nanosleep(&t, 0) == -1 && errno == EINVAL && clock_nanosleep(CLOCK_REALTIME, 0, &t, 0) == EINVAL && thrd_sleep(&t, 0) < -1);`, "SAFE"},
		{"a sleep too short", `struct timespec t = { 0, -1 }, u = { -1, 0 }; assert(nanosleep(&t, 0) && nanosleep(&u, 0) && clock_nanosleep(CLOCK_REALTIME, 0, &u, 0));`, "SAFE"},
		{"a sleep of unknown length", `struct timespec t = { 0, rand() % 1000000001 }; assert(!nanosleep(&t, 0));`, "UNSAFE"},
		{"a sleep for nobody to ask about", `struct timespec t = { 0, 1000000000 }; int n = 0; nanosleep((n++, &t), 0); nanosleep(&t, (n++, (struct timespec *)0)); assert(n == 2);`, "SAFE"},
		{"a wait for no time", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; struct timespec t = { 5, 1000000000 };
			pthread_mutex_lock(&m); assert(pthread_cond_timedwait(&c, &m, &t) == EINVAL); t.tv_nsec--; int r = pthread_cond_timedwait(&c, &m, &t); assert(r == 0 || r == ETIMEDOUT);`, "SAFE"},
		{"a wait for half a second", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; struct timespec t;
			clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 500000000; if (t.tv_nsec >= 1000000000) { t.tv_sec++; t.tv_nsec -= 1000000000; }
			pthread_mutex_lock(&m); assert(pthread_cond_timedwait(&c, &m, &t) != EINVAL);`, "SAFE"},
		{"a wait for half a second, perhaps", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; struct timespec t;
			clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 500000000; pthread_mutex_lock(&m); assert(pthread_cond_timedwait(&c, &m, &t) != EINVAL);`, "UNSAFE"},
		{"a lock for no time", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct timespec t = { 5, -1 };
			assert(!pthread_mutex_timedlock(&m, &t)); assert(pthread_mutex_timedlock(&m, &t) == EINVAL && pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t) == EINVAL);`, "SAFE"},
		{"read and write for no time", `pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER; struct timespec t = { 5, -1 }; pthread_rwlock_rdlock(&m); assert(pthread_rwlock_timedwrlock(&m, &t) == EINVAL); int k = pthread_rwlock_timedrdlock(&m, &t); assert(!k || k == EINVAL);`, "SAFE"},
		{"read for no time at once", `pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER; struct timespec t = { 5, -1 }; assert(!pthread_rwlock_timedrdlock(&m, &t));`, "UNSAFE"},
		{"read for no time, refused", `pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER; struct timespec t = { 5, -1 }; assert(pthread_rwlock_timedrdlock(&m, &t));`, "UNSAFE"},
		{"write for no time, and nobody looks", `pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER; struct timespec t = { 5, 1000000000 }; pthread_rwlock_timedwrlock(&m, &t); assert(pthread_rwlock_trywrlock(&m));`, "UNSAFE"},
		{"a semaphore for no time", `sem_t s; struct timespec t = { 5, -1 }; sem_init(&s, 0, 0); assert(sem_timedwait(&s, &t) == -1 && errno == EINVAL);`, "SAFE"},
		{"a semaphore for no time at once", `sem_t s; struct timespec t = { 5, -1 }; sem_init(&s, 0, 1); assert(!sem_timedwait(&s, &t));`, "UNSAFE"},
		{"a semaphore for no time, refused", `sem_t s; struct timespec t = { 5, -1 }; sem_init(&s, 0, 1); if (sem_timedwait(&s, &t)) assert(errno == EINVAL && !sem_trywait(&s));`, "SAFE"},
		{"a time that nobody points to as one", `struct timespec t = { 5, -1 }; void *p = &t; assert(nanosleep(p, 0));`, "SAFE"},
		{"no clock to sleep by", `struct timespec t = { 0, 5 }; assert(clock_nanosleep(99, 0, &t, 0) == EINVAL && clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0) == 0 && clock_nanosleep(3, 0, &t, 0) == EINVAL);`, "SAFE"},
		{"no clock to wait by", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct timespec t = { 5, 5 }; assert(pthread_mutex_clocklock(&m, 99, &t) == EINVAL && !pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t));`, "SAFE"},
		{"no clock to read", `struct timespec t = { 5, 5 }; int n = 0; assert(clock_gettime((n++, 99), &t) == -1 && errno == EINVAL && t.tv_sec == 5 && !clock_gettime((n++, CLOCK_REALTIME), &t) && n == 2);`, "SAFE"},
		{"a clock by a variable", `struct timespec t; int id = CLOCK_MONOTONIC, none = 99; assert(!clock_gettime(id, &t) && clock_gettime(none, &t) == -1 && errno == EINVAL); id = rand() & 1 ? 99 : 1; int k = clock_nanosleep(id, 0, &(struct timespec) { 0, 5 }, 0); assert(id == 1 ? k == 0 : k == EINVAL);`, "SAFE"},
		{"scheduling that is asked for", `struct sched_param p; int k[2], n = 0, m = 1; assert(!pthread_getschedparam((n++, pthread_self()), &k[m++], &p) && n == 1 && m == 2);`, "SAFE"},
		{"a time of C11", `struct timespec t; int n = 0; assert(timespec_get(&t, (n++, TIME_UTC)) == TIME_UTC && n == 1);`, "SAFE"},
		{"a time for nobody", `time_t *p = 0; int n = 0; time(p); time((n++, p)); assert(n == 1);`, "SAFE"},
		{"attributes with an effect", `pthread_cond_t c; pthread_rwlock_t l; pthread_barrier_t b; pthread_spinlock_t s; int n = 0; pthread_cond_init(&c, (n++, NULL)); pthread_rwlock_init(&l, (n++, NULL)); pthread_barrier_init(&b, (n++, NULL), 1); pthread_spin_init(&s, (n++, 0)); assert(n == 4);`, "SAFE"},
		{"a limit with an effect", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; struct timespec t = { 5, 5 }; int n = 0; pthread_mutex_timedlock(&m, (n++, &t)); assert(n == 1);`, "SAFE"},
		{"C11 for no time", `mtx_t m; cnd_t c; mtx_init(&m, mtx_timed); cnd_init(&c); struct timespec t = { 5, 1000000000 }; assert(!mtx_timedlock(&m, &t) && cnd_timedwait(&c, &m, &t) == thrd_error && mtx_timedlock(&m, &t) == thrd_error);`, "SAFE"},
		{"threads of C11", `mtx_t m; mtx_init(&m, mtx_plain); assert(mtx_trylock(&m) == thrd_success && mtx_trylock(&m) == thrd_busy);`, "SAFE"},
		{"C11, with a limit and not made for that", `mtx_t m; mtx_init(&m, mtx_plain); struct timespec t = { 5, 5 }; mtx_timedlock(&m, &t);`, "UNSAFE"},
		{"C11, recursive and with a limit", `mtx_t m; mtx_init(&m, mtx_recursive | mtx_timed); struct timespec t = { 5, 5 }; assert(!mtx_lock(&m) && !mtx_timedlock(&m, &t) && !mtx_unlock(&m) && !mtx_unlock(&m)); mtx_destroy(&m);`, "SAFE"},
		{"mutexes of four kinds", `pthread_mutexattr_t a; pthread_mutex_t m; pthread_mutexattr_init(&a); int k = rand() & 3; pthread_mutexattr_settype(&a, k); pthread_mutex_init(&m, &a); pthread_mutex_lock(&m); int e = pthread_mutex_trylock(&m); assert(k == PTHREAD_MUTEX_RECURSIVE ? e == 0 : e == EBUSY);`, "SAFE"},
		{"threads of C11, numbers", `mtx_t m; mtx_init(&m, mtx_timed); struct timespec t = { 5, 5 }; assert(!mtx_lock(&m) && mtx_timedlock(&m, &t) == 4 && mtx_trylock(&m) == 1);`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := before + "int main(void) {\n" + s.body + "\nreturn 0; }\n"
			for m, o := range map[memory.Model]c.Options{"tso": {}, "rc11": {Mapping: c.Orders, NoBlocks: true, NoFutileWaits: true}} {
				if got := verdictOf(t, read(t, "main.c", text, o), m, "auto"); got != s.want {
					t.Errorf("%s: %s, want %s", m, got, s.want)
				}
			}
		})
	}
}
