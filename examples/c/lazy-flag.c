// Initialisation that is done once, with a plain flag that is looked at before the mutex is
// taken.
//
// From: D. Bacon et al., The "double-checked locking is broken" declaration.
// Client: N threads (2) ask for the table and read it.
// Property: the table is there.
// SC:  SAFE
// TSO: SAFE. Stores reach memory in their order.
// PSO: UNSAFE. The flag may be there before the table.
// Data races: UNSAFE. The first look at the flag is ordered with nothing, nor is the table for
// who finds the flag set.
// With -D FIXED=1, which makes the flag an atomic that is released and acquired, it has no data
// race. (Under PSO a release is nothing: it stays UNSAFE there.)

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define FLAG atomic_int
#define LOOK() atomic_load_explicit(&made, memory_order_acquire)
#define SET() atomic_store_explicit(&made, 1, memory_order_release)
#else
#define FLAG int
#define LOOK() made
#define SET() (made = 1)
#endif

#ifndef N
#define N 2
#endif

FLAG made;
int table[2];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *arg) {
	if (!LOOK()) {
		pthread_mutex_lock(&mutex);
		if (!LOOK()) {
			table[0] = 1;
			table[1] = 2;
			SET();
		}
		pthread_mutex_unlock(&mutex);
	}
	assert(table[0] == 1 && table[1] == 2);
	return 0;
}

int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++)
		pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < N; i++)
		pthread_join(t[i], 0);
	return 0;
}
