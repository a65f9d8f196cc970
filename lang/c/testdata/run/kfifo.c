// sc SAFE tso SAFE pso UNSAFE rc11 SAFE
/* A ring of bytes with free-running indices and a mask, records copied by memcpy in two pieces. */
#include <pthread.h>
#include <assert.h>
#include <string.h>
#define SIZE 4u
struct kfifo { unsigned in, out, mask; unsigned char data[SIZE]; };
static struct kfifo fifo = { .in = 0u - 2, .out = 0u - 2, .mask = SIZE - 1 };
#define min(x, y) ({ typeof(x) _x = (x); typeof(y) _y = (y); (void)(&_x == &_y); _x < _y ? _x : _y; })
static unsigned kfifo_in(struct kfifo *f, const unsigned char *buf, unsigned len)
{
	unsigned l = SIZE - (f->in - __atomic_load_n(&f->out, __ATOMIC_ACQUIRE));
	len = min(len, l);
	for (unsigned i = 0; i < len; i++)
		f->data[(f->in + i) & f->mask] = buf[i];
	__atomic_store_n(&f->in, f->in + len, __ATOMIC_RELEASE);
	return len;
}
static unsigned kfifo_out(struct kfifo *f, unsigned char *buf, unsigned len)
{
	unsigned l = __atomic_load_n(&f->in, __ATOMIC_ACQUIRE) - f->out;
	len = min(len, l);
	for (unsigned i = 0; i < len; i++)
		buf[i] = f->data[(f->out + i) & f->mask];
	__atomic_store_n(&f->out, f->out + len, __ATOMIC_RELEASE);
	return len;
}
static void *producer(void *a)
{
	unsigned char msg[3] = { 'a', 'b', 'c' };
	unsigned n = 0;
	for (int k = 0; k < 2; k++)
		n += kfifo_in(&fifo, msg + n, 3 - n);
	return 0;
}
int main(void)
{
	pthread_t t;
	unsigned char got[3] = { 0 };
	unsigned n = 0;
	pthread_create(&t, 0, producer, 0);
	for (int k = 0; k < 2; k++)
		n += kfifo_out(&fifo, got + n, 3 - n);
	for (unsigned i = 0; i < n; i++)
		assert(got[i] == 'a' + i);
	pthread_join(t, 0);
	return 0;
}
