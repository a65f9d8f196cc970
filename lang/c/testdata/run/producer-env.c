// sc SAFE tso SAFE rc11 SAFE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>
#include <stdlib.h>
#include <time.h>
#include <stdio.h>
#define SIZE 2
static int buf[SIZE], in, out;
sem_t full, empty; pthread_mutex_t m;
void *prod(void *a) { int i; for (i = 1; i <= 3; i++) { usleep(rand() % 10); sem_wait(&empty); pthread_mutex_lock(&m); buf[in] = i; in = (in + 1) % SIZE; pthread_mutex_unlock(&m); sem_post(&full); } return NULL; }
void *cons(void *a) { int i, s = 0; for (i = 1; i <= 3; i++) { sem_wait(&full); pthread_mutex_lock(&m); s += buf[out]; assert(buf[out] == i); out = (out + 1) % SIZE; pthread_mutex_unlock(&m); sem_post(&empty); } printf("sum %d\n", s); assert(s == 6); pthread_exit(NULL); }
int main(int argc, char **argv) { pthread_t p, c; srand(time(NULL)); char *e = getenv("HOME"); if (e && e[0] == '/') puts(e);
 sem_init(&full, 0, 0); sem_init(&empty, 0, SIZE); pthread_mutex_init(&m, NULL);
 pthread_create(&p, NULL, prod, NULL); pthread_create(&c, NULL, cons, NULL); pthread_join(p, NULL); pthread_join(c, NULL);
 sem_destroy(&full); sem_destroy(&empty); pthread_mutex_destroy(&m); exit(EXIT_SUCCESS); }
