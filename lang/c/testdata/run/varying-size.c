// sc SAFE
#include <assert.h>
int sum(int n, int a[n]) {
	int s = 0;
	for (int i = 0; i < n; i++) s += a[i];
	return s;
}

int main(void) {
	int n = 4;
	int m = n * 2;
	int a[m];
	for (int i = 0; i < m; i++) a[i] = i;
	assert(sum(m, a) == 28);
	assert(sizeof(a) == 32);
	return 0;
}
