// SAFE
#include <pthread.h>
#include <stdlib.h>
#include <assert.h>
#include <stdint.h>
typedef struct node { int val; struct node *next; pthread_mutex_t mtx; } node_t, *pnode;
typedef enum { LOW = -1, MID, HIGH } level_t;
struct cfg { unsigned int on : 1; level_t lv; union { uint32_t u; int32_t s; }; char name[4]; void (*cb)(struct cfg *, int); };
static void hit(struct cfg *c, int k) { c->s += k; }
static struct cfg c0 = { .on = 1, .lv = HIGH, .u = 3, .name = "abc", .cb = hit };
static pnode list; static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static int add(int v) { pnode n = (pnode)malloc(sizeof(node_t)); if (n == NULL) return -1; *n = (node_t){ .val = v, .next = list }; pthread_mutex_init(&n->mtx, NULL); list = n; return 0; }
static void *rd(void *a) { pthread_rwlock_rdlock(&rw); for (pnode n = list; n; n = n->next) { pthread_mutex_lock(&n->mtx); assert(n->val >= 0); pthread_mutex_unlock(&n->mtx); } pthread_rwlock_unlock(&rw); return a; }
int main(void) { pthread_t t; void *r; add(1); add(2); pthread_create(&t, NULL, rd, &c0); pthread_rwlock_wrlock(&rw); add(3); pthread_rwlock_unlock(&rw); pthread_join(t, &r); struct cfg *c = r; c->cb(c, 2); assert(c0.u == 5 && c0.on && c0.name[1] == 'b' && c->lv > MID); return 0; }
