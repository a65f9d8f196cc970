// SAFE
#include <pthread.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
static int iSet = 2;
static int iCheck = 2;
static int a = 0;
static int b = 0;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *setThread(void *p) { pthread_mutex_lock(&m); a = 1; b = -1; pthread_mutex_unlock(&m); return 0; }
void *checkThread(void *p) { pthread_mutex_lock(&m); if (!((a == 0 && b == 0) || (a == 1 && b == -1))) { fprintf(stderr, "bug\n"); assert(0); } pthread_mutex_unlock(&m); return 0; }
int main(int argc, char *argv[]) {
  int i, err;
  if (argc != 1) {
    if (argc != 3) { fprintf(stderr, "./reorder <param1> <param2>\n"); exit(-1); }
    else { sscanf(argv[1], "%d", &iSet); sscanf(argv[2], "%d", &iCheck); }
  }
  pthread_t setPool[iSet];
  pthread_t checkPool[iCheck];
  for (i = 0; i < iSet; i++) {
    if (0 != (err = pthread_create(&setPool[i], 0, &setThread, 0))) { fprintf(stderr, "Error [%d]\n", err); exit(-1); }
  }
  for (i = 0; i < iCheck; i++) {
    if (0 != (err = pthread_create(&checkPool[i], 0, &checkThread, 0))) { fprintf(stderr, "Error [%d]\n", err); exit(-1); }
  }
  for (i = 0; i < iSet; i++) if (0 != (err = pthread_join(setPool[i], 0))) exit(-1);
  for (i = 0; i < iCheck; i++) if (0 != (err = pthread_join(checkPool[i], 0))) exit(-1);
  return 0;
}
