// sc SAFE
int x;
_Bool done;
void *p0(void *a) {
	x = 1;
	__CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence");
	done = 1;
	return 0;
}

int main() {
	__CPROVER_ASYNC_1: p0(0);
	__CPROVER_assume(done);
	__CPROVER_assert(x == 1, "x");
	return 0;
}
