// SAFE
#include <assert.h>
#include <pthread.h>
struct device { int p; };
struct A { int a; union { int x; struct { int y; }; }; struct device dev; } ;
struct my_data { pthread_mutex_t lock; struct device dev; struct A shared; };
int f(const struct device *d, void *unused __attribute__((unused))) { return d->p; }
static const struct { const char *name; int (*cb)(const struct device *, void *); } ops[] = { { "f", f }, { .name = 0 } };
int main() { struct my_data d = { .dev = { 3 } }; d.shared.x = 4; assert(ops[0].cb(&d.dev, 0) == 3 && d.shared.y == 4); return 0; }
