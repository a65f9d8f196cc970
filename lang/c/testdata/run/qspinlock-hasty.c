// sc UNSAFE tso UNSAFE
// Who has set the pending bit does not wait for the one who has the lock.
#define BUG1
#include "qspinlock.c"
