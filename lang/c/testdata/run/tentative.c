// sc SAFE
// declarations that make one array together
#include <assert.h>
int one[];
int two[2];
int two[] = { 1 };
static int three[3];
static int three[] = { 1, 2 };
extern int four[4];
int four[];
int main(void)
{
	two[1]++;
	four[3]++;
	assert(one[0] == 0 && two[0] == 1 && two[1] == 1 && sizeof(two) == 2 * sizeof(int));
	assert(sizeof(three) == 3 * sizeof(int) && three[2] == 0 && four[3] == 1);
}
