// sc UNSAFE
#include <stdio.h>
int main(void) {
	char buf[4];
	sprintf(buf, "hello");
	return 0;
}
