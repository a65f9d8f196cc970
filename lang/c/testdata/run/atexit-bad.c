// sc UNSAFE tso UNSAFE
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int done;
void *w(void *p) { done = 1; return 0; }
void atend(void) { assert(done == 1); }
int main(void) { pthread_t t; atexit(atend); pthread_create(&t, 0, w, 0); return 0; }
