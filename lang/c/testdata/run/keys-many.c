// sc UNKNOWN tso UNKNOWN
// More keys than there is room for are no mistake of the program.
#include <pthread.h>
int main(void) {
	pthread_key_t k[20];
	for (int i = 0; i < 20; i++)
		pthread_key_create(&k[i], 0);
	pthread_setspecific(k[19], k);
	return pthread_getspecific(k[19]) != k;
}
