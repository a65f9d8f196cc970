// sc UNSAFE
#include <pthread.h>
#include <stdlib.h>
#include <stdio.h>
#include <assert.h>
static int iTThreads = 1, iRThreads = 1;
static int data1Value = 0, data2Value = 0;
pthread_mutex_t *data1Lock, *data2Lock;
void lock(pthread_mutex_t *l) {
	int err = pthread_mutex_lock(l);
	if (0 != err) {
		fprintf(stderr, "Got error %d from pthread_mutex_lock.\n", err);
		exit(-1);
	}
}

void unlock(pthread_mutex_t *l) {
	if (pthread_mutex_unlock(l)) exit(-1);
}

void *funcA(void *arg) {
	lock(data1Lock);
	data1Value = 1;
	unlock(data1Lock);
	lock(data2Lock);
	data2Value = data1Value + 1;
	unlock(data2Lock);
	return NULL;
}

void *funcB(void *arg) {
	int t1 = -1, t2 = -1;
	lock(data1Lock);
	if (data1Value == 0) {
		unlock(data1Lock);
		return NULL;
	}
	t1 = data1Value;
	unlock(data1Lock);
	lock(data2Lock);
	t2 = data2Value;
	unlock(data2Lock);
	if (t2 != (t1 + 1)) {
		fprintf(stderr, "Bug found!\n");
		assert(0);
	} return NULL;
}

int main(int argc, char *argv[]) {
	int i, err;
	if (argc != 1) {
		if (argc != 3) {
			fprintf(stderr, "./twostage <p1> <p2>\n");
			exit(-1);
		}  else {
			sscanf(argv[1], "%d", &iTThreads);
			sscanf(argv[2], "%d", &iRThreads);
		}
	}
	data1Lock = (pthread_mutex_t *)malloc(sizeof(pthread_mutex_t));
	data2Lock = (pthread_mutex_t *)malloc(sizeof(pthread_mutex_t));
	if (0 != (err = pthread_mutex_init(data1Lock, NULL))) exit(-1);
	if (0 != (err = pthread_mutex_init(data2Lock, NULL))) exit(-1);
	pthread_t tPool[iTThreads];
	pthread_t rPool[iRThreads];
	for (i = 0; i < iTThreads; i++) {
		if (0 != (err = pthread_create(&tPool[i], NULL, &funcA, NULL))) exit(-1);
	}
	for (i = 0; i < iRThreads; i++) if (0 != (err = pthread_create(&rPool[i], NULL, &funcB, NULL))) exit(-1);
	for (i = 0; i < iTThreads; i++) if (0 != (err = pthread_join(tPool[i], NULL))) exit(-1);
	for (i = 0; i < iRThreads; i++) if (0 != (err = pthread_join(rPool[i], NULL))) exit(-1);
	return 0;
}
