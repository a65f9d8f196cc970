#ifndef _FP_UNISTD_H
#define _FP_UNISTD_H
#include <stddef.h>
#ifndef _FP_STDIO_H
typedef long ssize_t, off_t;
#endif
typedef int pid_t;
typedef unsigned useconds_t;
int usleep(useconds_t);
unsigned sleep(unsigned);
pid_t getpid(void), getppid(void), gettid(void);
unsigned getuid(void), geteuid(void), getgid(void), getegid(void), ualarm(unsigned, unsigned);
int getpagesize(void);
void sync(void);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
int close(int);
int isatty(int), fsync(int), unlink(const char *), rmdir(const char *), access(const char *, int), ftruncate(int, off_t);
off_t lseek(int, off_t, int);
int pipe(int *);
int dup2(int, int);
pid_t fork(void);
pid_t gettid(void);
int pause(void);
long sysconf(int);
long syscall(long, ...);
unsigned alarm(unsigned);
_Noreturn void _exit(int);
/* main is called without arguments. */
static char *optarg;
static int optind = 1, opterr = 1, optopt = '?';
int getopt(int, char *const *, const char *), __fp_beyond(const char *);
static int __fp_option;
static inline int __fp_getopt(int __argc, char *const *__argv, const char *__spec) {
	int __in_order = *__spec == '+';
	if (*__spec == '-')
		__fp_beyond("getopt with a - before the options");
	if (__in_order)
		__spec++;
	int __quiet = *__spec == ':';
	optarg = (char *)0;
	if (!optind) {
		optind = 1;
		__fp_option = 0;
	}
	if (!__fp_option) {
		if (optind >= __argc || !__argv[optind])
			return -1;
		if (__argv[optind][0] != '-' || !__argv[optind][1]) {
			for (int __i = optind + 1; !__in_order && __i < __argc; __i++)
				if (__argv[__i][0] == '-' && __argv[__i][1])
					__fp_beyond("an option after an argument that is none");
			return -1;
		}
		if (__argv[optind][1] == '-' && !__argv[optind][2]) {
			optind++;
			return -1;
		}
		__fp_option = 1;
	}
	int __c = (unsigned char)__argv[optind][__fp_option++];
	int __last = !__argv[optind][__fp_option];
	const char *__s = __spec;
	while (*__s && (*__s != __c || __c == ':' || __c == ';'))
		__s++;
	if (*__s && __s[1] == ':') {
		if (!__last)
			optarg = __argv[optind] + __fp_option;
		else if (__s[2] != ':' && optind + 1 < __argc)
			optarg = __argv[++optind];
		if (!optarg && __s[2] != ':') {
			optopt = __c;
			__c = __quiet ? ':' : '?';
		}
		__last = 1;
	} else if (!*__s) {
		optopt = __c;
		__c = '?';
	}
	if (__last) {
		optind++;
		__fp_option = 0;
	}
	return __c;
}
#define F_OK 0
#define X_OK 1
#define W_OK 2
#define R_OK 4
#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#define _SC_CLK_TCK 2
#define _SC_PAGESIZE 30
#define _SC_PAGE_SIZE 30
#define _SC_PHYS_PAGES 85
#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#endif
