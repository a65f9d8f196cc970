// sc UNKNOWN tso UNKNOWN
// Half of what mmap has given is given back.
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
int main(void) {
	char *a = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(a + 4096, 4096);
	a[0] = 1;
	return 0;
}
