// sc SAFE tso SAFE pso SAFE
// The threads of CBMC's labels need no names of their own.
int n, m;

void count(int k)
{
	__CPROVER_atomic_begin();
	n += k;
	++m;
	__CPROVER_atomic_end();
}

void more(void)
{
	__CPROVER_ASYNC_1: count(4);
	{
		__CPROVER_ASYNC_1: count(8);
	}
}

int main(void)
{
	__CPROVER_ASYNC_1: count(1);
	__CPROVER_ASYNC_1: count(2);
	__CPROVER_ASYNC_2: count(16);
	more();
	__CPROVER_assume(m == 5);
	__CPROVER_assert(n == 31, "each of them has been there");
	return 0;
}
