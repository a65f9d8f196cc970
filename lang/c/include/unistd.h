#ifndef _FP_UNISTD_H
#define _FP_UNISTD_H
#include <stddef.h>
typedef long ssize_t;
typedef long off_t;
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
int isatty(int);
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
static int optind = 1, opterr = 1, optopt;
int getopt(int, char *const *, const char *);
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
