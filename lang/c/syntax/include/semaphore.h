#ifndef _FP_SEMAPHORE_H
#define _FP_SEMAPHORE_H
#include <time.h>
typedef struct {
	int __count;
} sem_t;
int sem_init(sem_t *, int, unsigned);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_post(sem_t *);
sem_t *sem_open(const char *, int, ...);
int sem_close(sem_t *);
int sem_unlink(const char *);
#define SEM_FAILED ((sem_t *)0)
int sem_getvalue(sem_t *, int *);
#endif
