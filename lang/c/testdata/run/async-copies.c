// sc SAFE tso SAFE pso SAFE rc11 SAFE
/* A statement that a new thread executes has copies of the locals as they were then; of what is shared it has nothing of its own. */
int g, done[2], seen[2];
void add(int *p, int k, int i) { seen[i] = k; __CPROVER_atomic_begin(); *p += k; __CPROVER_atomic_end(); }
int main(void)
{
	int k = 1, i;
	for (i = 0; i < 2; i++) {
		__CPROVER_ASYNC_1: add(&g, k, i), k = 9, __CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence"), done[i] = 1;
		k += 2;
	}
	assert(k == 5);
	__CPROVER_assume(done[0] && done[1]);
	__CPROVER_fence("WWfence", "RRfence", "RWfence", "WRfence");
	assert(g == 4 && seen[0] == 1 && seen[1] == 3);
	return 0;
}
