// SAFE
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void); extern void abort(void);
void reach_error() {}
void ldv_assert(int e) { if (!e) { ERROR: reach_error(); abort(); } }
struct device { const char *init_name; void *platform_data; };
struct my_data { pthread_mutex_t lock; struct device dev; struct { int a; int b; } shared; };
#define offsetof(TYPE, MEMBER) ((unsigned long)&((TYPE *)0)->MEMBER)
#define container_of(ptr, type, member) ({ const typeof( ((type *)0)->member ) *__mptr = (ptr); (type *)( (char *)__mptr - offsetof(type,member) ); })
static inline void *dev_get_drvdata(const struct device *dev) { return dev->platform_data; }
pthread_t t1, t2; static struct device *glob;
void *my_callback(void *arg) { struct device *dev = (struct device *)arg; struct my_data *data; data = container_of(dev, struct my_data, dev); pthread_mutex_lock(&data->lock); data->shared.a = 1; data->shared.b = data->shared.b + 1; pthread_mutex_unlock(&data->lock); return 0; }
int my_drv_probe(struct my_data *data) { struct device *d = &data->dev; pthread_mutex_init(&data->lock, NULL); data->shared.a = 0; data->shared.b = 0; ldv_assert(data->shared.a==0); int res = __VERIFIER_nondet_int(); if (res) goto exit; pthread_create(&t1, NULL, my_callback, (void *)d); pthread_create(&t2, NULL, my_callback, (void *)d); return 0; exit: pthread_mutex_destroy(&data->lock); return -1; }
void my_drv_disconnect(struct my_data *data) { void *status; pthread_join(t1, &status); pthread_join(t2, &status); pthread_mutex_destroy(&data->lock); }
int main(void) { int ret; struct my_data data; int probe_ret = my_drv_probe(&data); if (probe_ret == 0) { my_drv_disconnect(&data); ldv_assert(data.shared.a==1); ldv_assert(data.shared.b==2); } data.shared.a = -1; return 0; }
