// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* memset with a byte that is computed. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static unsigned long words[2];
static int set = 1, bytes = 0x1a5;
static short s;
static unsigned char c[3];

static void *other(void *arg)
{
	set = 0;
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, other, 0);
	memset(words, -set, sizeof words); /* all ones, or 0 */
	memset(&s, bytes - set, sizeof s);
	memset(c, bytes, sizeof c);
	assert(words[0] == words[1] || 1);
	assert(words[0] == ~0ul && words[1] == ~0ul || words[0] == 0 && words[1] == 0);
	assert(s == (short)0xa4a4 || s == (short)0xa5a5);
	assert(c[2] == 0xa5);
	pthread_join(t, 0);
	return 0;
}
