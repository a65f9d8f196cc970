// sc UNSAFE tso UNSAFE pso UNSAFE rc11 UNSAFE
/* pthread-ext: threads without end; one may fail. */
extern void abort(void);
void reach_error(void) { abort(); }
void __VERIFIER_assert(int cond) { if (!cond) { ERROR: { reach_error(); abort(); } } }
#include <pthread.h>
volatile unsigned value = 0;
/*helpers for the property*/
volatile unsigned inc_flag = 0;
unsigned inc(void)
{
	unsigned inc__v, inc__vn, inc__casret;
	do {
		inc__v = value;
		if (inc__v == 0u - 1)
			return 0;
		inc__vn = inc__v + 1;
		value = inc__vn;
		inc__casret = 1;
	} while (inc__casret == 0);
	__VERIFIER_assert(value == inc__vn);
	return inc__vn;
}
void *thr1(void *arg) { inc(); return 0; }
int main(void)
{
	pthread_t t;
	while (1) pthread_create(&t, 0, thr1, 0);
}
