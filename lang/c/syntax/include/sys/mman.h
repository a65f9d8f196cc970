#ifndef _FP_SYS_MMAN_H
#define _FP_SYS_MMAN_H
#include <unistd.h>
#include <stdint.h>
#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define PROT_EXEC 4
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_FIXED 16
#define MAP_ANONYMOUS 32
#define MAP_ANON MAP_ANONYMOUS
#define MAP_GROWSDOWN 0x100
#define MAP_LOCKED 0x2000
#define MAP_NORESERVE 0x4000
#define MAP_POPULATE 0x8000
#define MAP_NONBLOCK 0x10000
#define MAP_STACK 0x20000
#define MAP_HUGETLB 0x40000
#define MAP_FAILED ((void *)-1)
void *mmap(void *, size_t, int, int, int, long);
int munmap(void *, size_t);
int mprotect(void *, size_t, int), msync(void *, size_t, int), mlock(const void *, size_t), munlock(const void *, size_t);
int mlockall(int), munlockall(void);
int shm_open(const char *, int, unsigned), shm_unlink(const char *);
#define MCL_CURRENT 1
#define MCL_FUTURE 2
int madvise(void *, size_t, int);
#endif
