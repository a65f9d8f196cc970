// SAFE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
int main(int argc, char **argv) { int k = 0; if (argc > 1) { k = atoi(argv[1]); double d = sqrt((double)k); printf("%f\n", d); FILE *f = fopen("x", "r"); fread(&k, 4, 1, f); } assert(k == 0); return 0; }
