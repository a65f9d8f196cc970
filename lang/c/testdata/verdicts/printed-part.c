// No more of a text is read than the precision says, or is there.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
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
	printf("%.2s %s\n", text, text + 4);
	pthread_join(t, 0);
	return 0;
}
