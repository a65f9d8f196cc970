// sc SAFE
#include <assert.h>
int main(void) {
	const int n = 2, m = 3;
	int a[n][m];
	for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * j;
	assert(a[1][2] == 2);
	return 0;
}
