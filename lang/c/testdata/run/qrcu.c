// sc SAFE tso SAFE
extern void abort(void);
#include <assert.h>
#include <pthread.h>
void reach_error() {
	assert(0);
}

void __VERIFIER_assert(int expression) {
	if (!expression) {
		ERROR: {
			reach_error();
			abort();
		}
	};
	return;
}

extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
int idx=0;
int ctr1=1, ctr2=0;
int readerprogress1=0, readerprogress2=0;
pthread_mutex_t mutex;
void __VERIFIER_atomic_use1(int myidx) {
	__VERIFIER_assert(1);
	if (!(myidx <= 0 && ctr1>0)) abort();
	ctr1++;
}

void __VERIFIER_atomic_use2(int myidx) {
	if (!(myidx >= 1 && ctr2>0)) abort();
	ctr2++;
}

void __VERIFIER_atomic_use_done(int myidx) {
	if (myidx <= 0) {
		ctr1--;
	}  else {
		ctr2--;
	}
}

void __VERIFIER_atomic_take_snapshot(int *a, int *b) {
	*a = readerprogress1;
	*b = readerprogress2;
}

void __VERIFIER_atomic_check_progress1(int readerstart1) {
	if (__VERIFIER_nondet_int()) {
		if (!(readerstart1 == 1 && readerprogress1 == 1)) abort();
		__VERIFIER_assert(0);
	} return;
}

void __VERIFIER_atomic_check_progress2(int readerstart2) {
	if (__VERIFIER_nondet_int()) {
		if (!(readerstart2 == 1 && readerprogress2 == 1)) abort();
		__VERIFIER_assert(0);
	} return;
}

void *qrcu_reader1(void* arg) {
	int myidx;
	while (1) {
		myidx = idx;
		if (__VERIFIER_nondet_int()) {
			__VERIFIER_atomic_use1(myidx);
			break;
		}
		else {
			if (__VERIFIER_nondet_int()) {
				__VERIFIER_atomic_use2(myidx);
				break;
			}  else {
			}
		}
	}
	readerprogress1 = 1;
	readerprogress1 = 2;
	__VERIFIER_atomic_use_done(myidx);
	return 0;
}

#define sum_unordered if (__VERIFIER_nondet_int()) { sum = ctr1; sum = sum + ctr2; } else { sum = ctr2; sum = sum + ctr1; }
void* qrcu_updater(void* arg) {
	int i, readerstart1, readerstart2;
	int sum;
	__VERIFIER_atomic_take_snapshot(&readerstart1, &readerstart2);
	sum_unordered;
	if (sum <= 1) {
		sum_unordered;
	}  else {
	}
	if (sum > 1) {
		pthread_mutex_lock(&mutex);
		if (idx <= 0) {
			ctr2++;
			idx = 1;
			ctr1--;
		}  else {
			ctr1++;
			idx = 0;
			ctr2--;
		}
		if (idx <= 0) {
			while (ctr2 > 0);
		}  else {
			while (ctr1 > 0);
		}
		pthread_mutex_unlock(&mutex);
	}  else {
	}
	__VERIFIER_atomic_check_progress1(readerstart1);
	return 0;
}

int main() {
	pthread_t t1, t2;
	pthread_mutex_init(&mutex, 0);
	pthread_create(&t1, 0, qrcu_reader1, 0);
	pthread_create(&t2, 0, qrcu_updater, 0);
	pthread_join(t1, 0);
	pthread_join(t2, 0);
	pthread_mutex_destroy(&mutex);
	return 0;
}
