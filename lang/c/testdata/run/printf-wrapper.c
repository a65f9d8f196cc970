// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* Functions with variable arguments that only print. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
static int level = 1;
static pthread_mutex_t out = PTHREAD_MUTEX_INITIALIZER;
static int lines;
__attribute__((format(printf, 2, 3)))
static void log_at(int lvl, const char *fmt, ...)
{
	va_list ap;
	char buf[64];
	if (lvl > level)
		return;
	va_start(ap, fmt);
	pthread_mutex_lock(&out);
	vfprintf(stderr, fmt, ap);
	vsnprintf(buf, sizeof buf, fmt, ap);
	lines++;
	pthread_mutex_unlock(&out);
	va_end(ap);
}
static void vdie(const char *fmt, va_list ap) { vprintf(fmt, ap); exit(1); }
static void die(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vdie(fmt, ap);
	va_end(ap);
}
#define LOG(fmt, ...) log_at(1, "%s:%d " fmt "\n", __func__, __LINE__, ##__VA_ARGS__)
static void *f(void *a)
{
	LOG("hello %d of %s", 1, "f");
	LOG("bye");
	log_at(2, "not shown");
	if (a)
		die("argument %p\n", a);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, f, 0);
	pthread_create(&u, 0, f, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	assert(lines == 4);
	return 0;
}
