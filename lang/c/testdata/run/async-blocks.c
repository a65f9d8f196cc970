// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* What a new thread executes may be a block, and reads what is shared when it comes to it; a call through a pointer is one. */
struct device { int reg; void (*handler)(struct device *, int); };
int asked;
static void on(struct device *d, int k) { d->reg = k; }
static void write(struct device *d, int k)
{
	__CPROVER_ASYNC_1: d->handler(d, k);
}
int main(void)
{
	struct device dev = {0, on}, *d = &dev;
	__CPROVER_ASYNC_1: {
		int k = asked;
		if (k)
			write(d, k);
	}
	asked = 3;
	assert(dev.reg != 3);
	return 0;
}
