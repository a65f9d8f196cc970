// SAFE
#define _GNU_SOURCE
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char *name;
static int words;

static void unlock(void *arg) { pthread_mutex_unlock(arg); }

static void *count(void *arg) {
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, &m);
	for (const char *s = arg; *s; s++)
		words += isalpha((unsigned char)*s) && (s == (char *)arg || isspace((unsigned char)s[-1]));
	pthread_cleanup_pop(1);
	return NULL;
}

int main(void) {
	pthread_t t, u;
	char *end;
	name = strdup("A1");
	assert(name != NULL && strlen(name) == 2);
	pthread_create(&t, NULL, count, name);
	pthread_create(&u, NULL, count, "a b");
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	assert(words == 3);
	assert(strcasecmp(name, "a1") == 0 && strncmp(name, "A", 1) == 0);
	assert(strtol(name + 1, &end, 10) == 1 && *end == '\0');
	errno = 0;
	assert(strtoul("99999999999999999999999", NULL, 0) == ULONG_MAX && errno == ERANGE);
	assert(atoi("7") == 7 && toupper('x') == 'X' && isxdigit('f') && !ispunct('f'));
	free(name);
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(2, &set);
	assert(CPU_ISSET(2, &set) && CPU_COUNT(&set) == 1);
	bzero(&words, sizeof words);
	assert(words == 0);
	return 0;
}
