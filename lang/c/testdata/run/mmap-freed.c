// sc UNSAFE tso UNSAFE
// free does not give back what mmap has given.
#include <stdlib.h>
#include <sys/mman.h>
int main(void) {
	char *a = mmap(0, 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	free(a);
	return 0;
}
