// What structures point to may have them for members.
// sc SAFE, tso SAFE, pso SAFE, race SAFE, deadlock SAFE
#include <assert.h>
struct link { struct node *to; const struct side *other; };
struct node { int v; struct link next[2]; };
struct side { struct node n; struct link l; };
static struct node a, b;
static struct side s;
int main(void) {
	a.next[1].to = &b;
	a.next[0].other = &s;
	s.n.next[1].to = &a;
	assert(sizeof(struct link) == 16 && sizeof(struct node) == 40 && sizeof(struct side) == 56);
	assert(a.next[0].other->n.next[1].to->next[1].to == &b);
	return 0;
}
