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
#define SIG_ERR ((void (*)(int))-1)
#define SIG_BLOCK 0
#define SIG_UNBLOCK 1
#define SIG_SETMASK 2
#define SA_SIGINFO 4
#define SA_RESTART 0x10000000
typedef struct {
	int si_signo, si_errno, si_code;
	void *si_addr;
} siginfo_t;
struct sigaction {
	void (*sa_handler)(int);
	void (*sa_sigaction)(int, siginfo_t *, void *);
	sigset_t sa_mask;
	int sa_flags;
};
int raise(int);
int sigprocmask(int, const sigset_t *, sigset_t *), sigdelset(sigset_t *, int), sigismember(const sigset_t *, int), sigwait(const sigset_t *, int *);
int kill(int, int);
int sigemptyset(sigset_t *);
int sigfillset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigaction(int, const struct sigaction *, struct sigaction *);
int pthread_sigmask(int, const sigset_t *, sigset_t *);
int pthread_kill(unsigned long, int);
#endif
