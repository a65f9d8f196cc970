#ifndef _FP_SIGNAL_H
#define _FP_SIGNAL_H
typedef int sig_atomic_t;
typedef unsigned long sigset_t;
#define SIGHUP 1
#define SIGINT 2
#define SIGQUIT 3
#define SIGILL 4
#define SIGFPE 8
#define SIGUSR1 10
#define SIGSEGV 11
#define SIGUSR2 12
#define SIGPIPE 13
#define SIGCHLD 17
#define SIGABRT 6
#define SIGKILL 9
#define SIGALRM 14
#define SIGTERM 15
#define SIG_IGN ((void (*)(int))1)
#define SIG_DFL ((void (*)(int))0)
void (*signal(int, void (*)(int)))(int);
int raise(int), sigemptyset(sigset_t *), sigfillset(sigset_t *), sigaddset(sigset_t *, int);
#endif
