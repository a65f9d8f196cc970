// sc SAFE
#include <stdlib.h>
#include <assert.h>
struct n {
	int v;
	struct n *next;
	short s;
};
void *g;
void *tab[2];
int main(void) {
	g = malloc(24);
	struct n *p = g;
	p->v = 1;
	p->next = 0;
	p->s = 2;
	tab[0] = malloc(6);
	tab[1] = calloc(1, 5);
	((short *)tab[0])[2] = 3;
	((char *)tab[1])[4] = 4;
	assert(((struct n *)g)->v + p->s + ((short *)tab[0])[2] + ((char *)tab[1])[4] == 10);
	free(g);
	free(tab[0]);
	free(tab[1]);
}
