// sc UNSAFE tso UNSAFE
// Memory is accessed that munmap has given back.
#include <assert.h>
#include <sys/mman.h>
int main(void) {
	int *a = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
	if (a == (void *)-1) return 1;
	a[3] = 7;
	assert(a[3] == 7 && a[2] == 0);
	munmap(a, 4096);
	return a[3];
}
