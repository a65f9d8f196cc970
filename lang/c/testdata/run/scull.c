// sc SAFE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
typedef struct {
	void **data;
	int quantum, size;
	struct {
		int owner;
	} sem;
} dev_t_;
dev_t_ dev;
pthread_mutex_t sem;
static int down(void) {
	return pthread_mutex_lock(&sem);
}

void *reader(void *a) {
	char buf[2];
	if (down()) return 0;
	if (dev.data && dev.data[0]) memcpy(buf, dev.data[0], 2);
	pthread_mutex_unlock(&sem);
	return 0;
}

void *writer(void *a) {
	dev.size = 2;
	if (down()) return 0;
	if (!dev.data) {
		dev.data = calloc(2, sizeof(void *));
		dev.data[0] = calloc(2, 1);
	}
	((char *)dev.data[0])[1] = 'x';
	dev.size = 3;
	pthread_mutex_unlock(&sem);
	return 0;
}

int main(void) {
	pthread_t x, y, z;
	pthread_mutex_init(&sem, 0);
	pthread_create(&x, 0, reader, 0);
	pthread_create(&y, 0, writer, 0);
	pthread_create(&z, 0, writer, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	pthread_join(z, 0);
	return 0;
}
