#ifndef _FP_SYS_WAIT_H
#define _FP_SYS_WAIT_H
#include <unistd.h>
#include <stdint.h>
#define WNOHANG 1
#define WUNTRACED 2
#define WTERMSIG(s) ((s) & 127)
#define WEXITSTATUS(s) ((s) >> 8 & 255)
#define WSTOPSIG(s) WEXITSTATUS(s)
#define WIFEXITED(s) (WTERMSIG(s) == 0)
#define WIFSIGNALED(s) (WTERMSIG(s) != 0 && WTERMSIG(s) != 127)
#define WIFSTOPPED(s) (((s) & 255) == 127)
#define WIFCONTINUED(s) ((s) == 65535)
#define WCOREDUMP(s) ((s) & 128)
pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);
#endif
