// sc UNSAFE tso UNSAFE
#include <assert.h>
int main(void)
{
	int a[3];
	a[0] = a[1] = 0;
	assert(a[2] == 0);
}
