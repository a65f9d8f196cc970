// SAFE
/* What is preprocessed with the headers of GNU has other functions where it is fortified. */
#define __OPTIMIZE__ 1
#define _FORTIFY_SOURCE 2
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct s { int a, b; };
static char buf[8];
static void *f(void *arg) {
	struct s x = { 1, 2 }, *y = malloc(sizeof *y);
	memcpy(y, &x, sizeof x);
	assert(y->b == 2);
	memset(&x, 0, sizeof x);
	memmove(y, &x, sizeof *y);
	assert(!y->b && !x.a);
	free(y);
	return arg;
}
int main(void) {
	pthread_t t;
	pthread_create(&t, NULL, f, NULL);
	char a[16];
	strcpy(a, "ab");
	strcat(a, "cd");
	strncat(a, "xyz", 1);
	assert(!strcmp(a, "abcdx"));
	strncpy(buf, a, 3);
	assert(buf[2] == 'c' && !buf[3]);
	snprintf(buf, sizeof buf, "%d", 42);
	assert(buf[0] == '4');
	sprintf(buf, "%s%d", "q", 7);
	assert(!strcmp(buf, "q7"));
	printf("%s\n", buf);
	fprintf(stderr, "%d\n", 3);
	assert(atoi("12") == 12);
	if (read(0, buf, sizeof buf) == 1)
		assert(buf[1] == '7');
	pthread_join(t, NULL);
	return 0;
}
