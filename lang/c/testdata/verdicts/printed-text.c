// All of a text is read that is printed.
// sc SAFE, tso SAFE, pso SAFE, race UNSAFE, deadlock SAFE
#include <pthread.h>
#include <stdio.h>

char text[8] = "abc";

void *change(void *arg) {
	text[2] = 'x';
	return 0;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, change, 0);
	printf("%s\n", text);
	pthread_join(t, 0);
	return 0;
}
