// sc SAFE tso SAFE pso SAFE rc11 SAFE
#include <string.h>
#include <assert.h>
#include <pthread.h>
static char a[] = "one two", b[] = "3,4";
static void *f(void *x)
{
	char *save, *w = strtok_r(b, ",", &save);
	int n = 0;
	while (w) {
		assert(w[0] == '3' + n && w[1] == 0);
		n++;
		w = strtok_r(NULL, ",", &save);
	}
	assert(n == 2);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	int n = 0;
	for (char *w = strtok(a, " "); w; w = strtok(NULL, " ")) {
		assert(strlen(w) == 3);
		n++;
	}
	assert(n == 2);
	pthread_join(t, 0);
	return 0;
}
