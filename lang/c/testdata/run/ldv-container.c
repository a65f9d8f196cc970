// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A driver: a structure in a structure, module_init and module_exit, labels for errors. */
#include <pthread.h>
#include <stdlib.h>
#define NULL_P ((void *)0)
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { abort(); }
void ldv_assert(int expression) { if (!expression) { ERROR: { reach_error(); abort(); }; } return; }
struct device { int power; };
struct A { int a; int b; };
struct my_data { pthread_mutex_t lock; struct device dev; struct A shared; };
#define container_of(ptr, type, member) ({ const typeof(((type *)0)->member) *__mptr = (ptr); (type *)((char *)__mptr - (size_t)(&((type *)0)->member)); })
pthread_t t1, t2;
void *my_callback(void *arg)
{
	struct device *dev = (struct device *)arg;
	struct my_data *data;
	data = container_of(dev, struct my_data, dev);
	pthread_mutex_lock(&data->lock);
	data->shared.a = 1;
	data->shared.b = data->shared.b + 1;
	pthread_mutex_unlock(&data->lock);
	return 0;
}
int my_drv_probe(struct my_data *data)
{
	struct device *d = &data->dev;
	pthread_mutex_init(&data->lock, NULL_P);
	data->shared.a = 0;
	data->shared.b = 0;
	ldv_assert(data->shared.a == 0);
	ldv_assert(data->shared.b == 0);
	int res = __VERIFIER_nondet_int();
	if (res)
		goto exit;
	pthread_create(&t1, NULL_P, my_callback, (void *)d);
	pthread_create(&t2, NULL_P, my_callback, (void *)d);
	return 0;
exit:
	pthread_mutex_destroy(&data->lock);
	return -1;
}
void my_drv_disconnect(struct my_data *data)
{
	void *status;
	pthread_join(t1, &status);
	pthread_join(t2, &status);
	pthread_mutex_destroy(&data->lock);
}
int my_drv_init(void) { return 0; }
void my_drv_cleanup(void) { return; }
int main(void)
{
	int ret = my_drv_init();
	if (ret == 0) {
		int probe_ret;
		struct my_data data;
		probe_ret = my_drv_probe(&data);
		if (probe_ret == 0) {
			my_drv_disconnect(&data);
			ldv_assert(data.shared.a == 1);
			ldv_assert(data.shared.b == 2);
		}
		my_drv_cleanup();
		data.shared.a = -1;
		data.shared.b = -1;
		ldv_assert(data.shared.a == -1);
	}
	return 0;
}
