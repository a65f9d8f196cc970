// sc UNSAFE
#include <stdlib.h>
void *g;
int main(void) {
	g = malloc(6);
	((short *)g)[3] = 1;
}
