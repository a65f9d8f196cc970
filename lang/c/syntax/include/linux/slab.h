#ifndef _FP_LINUX_SLAB_H
#define _FP_LINUX_SLAB_H
#include <linux/kernel.h>
#include <stdlib.h>
#define GFP_KERNEL 0u
#define GFP_ATOMIC 0u
#define kmalloc(n, f) malloc(n)
#define kzalloc(n, f) calloc(1, n)
#define kcalloc(k, n, f) calloc(k, n)
#define kmalloc_array(k, n, f) malloc((k) * (n))
#define kfree(p) free(p)
#endif
