// sc SAFE tso SAFE rc11 SAFE
// A list of nodes from mmap.
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#define N 3
struct node { int v; struct node *next; };
struct node *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct node *new(int v) {
	struct node *n = mmap(0, sizeof *n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert(n->v == 0 && !n->next);
	n->v = v; return n;
}
void *w(void *a) {
	for (int i = 0; i < 2; i++) { struct node *n = new(i + 1); pthread_mutex_lock(&m); n->next = head; head = n; pthread_mutex_unlock(&m); }
	return 0;
}
int main(void) {
	pthread_t t; pthread_create(&t, 0, w, 0); w(0); pthread_join(t, 0);
	int s = 0;
	while (head) { struct node *n = head; s += n->v; head = n->next; munmap(n, sizeof *n); }
	assert(s == 6);
	return 0;
}
