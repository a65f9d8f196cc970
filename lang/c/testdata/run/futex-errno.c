// sc SAFE tso SAFE pso SAFE
// what FUTEX_WAIT gives back, and errno after it; raise(SIGABRT) is not reached
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
uint32_t go; atomic_int n;
static void *sleeper(void *a) {
  while (__atomic_load_n(&go, __ATOMIC_ACQUIRE) == 0) {
    long r = syscall(SYS_futex, &go, FUTEX_WAIT, 0, NULL, NULL, 0);
    assert(r == 0 || r == -1 && errno == EAGAIN);
  }
  n++;
  return 0;
}
int main(void) {
  pthread_t t, u; pthread_create(&t, 0, sleeper, 0); pthread_create(&u, 0, sleeper, 0);
  __atomic_store_n(&go, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &go, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  pthread_join(t, 0); pthread_join(u, 0);
  assert(n == 2);
  struct timespec ts = {1, 0};
  long r = syscall(__NR_futex, &go, FUTEX_WAIT_PRIVATE, 1, &ts, NULL, 0);
  assert(r == 0 || errno == ETIMEDOUT);
  if (r > 0)
    raise(SIGABRT);
}
