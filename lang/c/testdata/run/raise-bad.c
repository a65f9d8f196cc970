// sc UNSAFE tso UNSAFE pso UNSAFE
// raise(SIGABRT) is abort
#include <signal.h>
int main(void)
{
  raise(SIGABRT);
}
