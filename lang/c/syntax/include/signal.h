#ifndef _FP_SIGNAL_H
#define _FP_SIGNAL_H
typedef int sig_atomic_t;
typedef unsigned long sigset_t;
#define SIGHUP 1
#define SIGTRAP 5
#define SIGBUS 7
#define SIGSTKFLT 16
#define SIGCONT 18
#define SIGSTOP 19
#define SIGTSTP 20
#define SIGTTIN 21
#define SIGTTOU 22
#define SIGURG 23
#define SIGXCPU 24
#define SIGXFSZ 25
#define SIGVTALRM 26
#define SIGPROF 27
#define SIGWINCH 28
#define SIGIO 29
#define SIGPWR 30
#define SIGSYS 31
#define NSIG 65
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
#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_RESETHAND 0x80000000
#define SA_NODEFER 0x40000000
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
union sigval {
	int sival_int;
	void *sival_ptr;
};
typedef struct {
	void *ss_sp;
	int ss_flags;
	unsigned long ss_size;
} stack_t;
#define SS_ONSTACK 1
#define SS_DISABLE 2
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192
int sigaltstack(const stack_t *, stack_t *), sigsuspend(const sigset_t *), sigpending(sigset_t *), killpg(int, int), sigqueue(int, int, const union sigval);
int sigwaitinfo(const sigset_t *, siginfo_t *);
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
