// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* A character allocated by one, written by several threads that the first one makes. */
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
char *v;
void *thread1(void *arg) { v = malloc(sizeof(char)); return 0; }
void *thread2(void *arg) { v[0] = 'X'; return 0; }
void *thread3(void *arg) { v[0] = 'Y'; return 0; }
void *thread0(void *arg)
{
	pthread_t t1, t2, t3;
	pthread_create(&t1, 0, thread1, 0);
	pthread_join(t1, 0);
	pthread_create(&t2, 0, thread2, 0);
	pthread_create(&t3, 0, thread3, 0);
	pthread_join(t2, 0);
	pthread_join(t3, 0);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, thread0, 0);
	pthread_join(t, 0);
	assert(v[0] == 'X'); /* or Y */
	return 0;
}
