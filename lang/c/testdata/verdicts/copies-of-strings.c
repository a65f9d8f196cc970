// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
// Copies of strings of more than 8 bytes, whose sizes are lengths: of a literal, of one that is handed on,
// and of what only the run tells.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct text {
	int refs;
	char s[];
};

static const char *names[] = { "the first of them", "second" };

static struct text *make(const char *s) {
	struct text *t = malloc(sizeof *t + strlen(s) + 1);
	t->refs = 1;
	strcpy(t->s, s);
	return t;
}

static void *use(void *arg) {
	struct text *t = arg;
	assert(t->refs == 1 && t->s[11] == '!' && t->s[12] == 0);
	free(t);
	return 0;
}

int main(void) {
	pthread_t t;
	pthread_create(&t, 0, use, make("Hello world!\0 and more"));
	char *copy = strdup("a longer name"), *last = malloc(strlen(names[0]) + 1);
	strcpy(last, names[0]);
	assert(copy[12] == 'e' && copy[13] == 0 && last[16] == 'm' && last[17] == 0);
	free(copy);
	free(last);
	pthread_join(t, 0);
}
