// sc SAFE tso SAFE pso UNSAFE rc11 UNSAFE
/* The kernel's READ_ONCE of old, with a union of an array of bytes, and a switch over sizes. */
#include <pthread.h>
#include <assert.h>
#include <string.h>
typedef unsigned char __u8; typedef unsigned short __u16; typedef unsigned int __u32; typedef unsigned long __u64;
#define barrier() __asm__ __volatile__("" : : : "memory")
static inline __attribute__((always_inline)) void __read_once_size(const volatile void *p, void *res, int size)
{
	switch (size) {
	case 1: *(__u8 *)res = *(volatile __u8 *)p; break;
	case 2: *(__u16 *)res = *(volatile __u16 *)p; break;
	case 4: *(__u32 *)res = *(volatile __u32 *)p; break;
	case 8: *(__u64 *)res = *(volatile __u64 *)p; break;
	default:
		barrier();
		__builtin_memcpy((void *)res, (const void *)p, size);
		barrier();
	}
}
static inline void __write_once_size(volatile void *p, void *res, int size)
{
	switch (size) {
	case 1: *(volatile __u8 *)p = *(__u8 *)res; break;
	case 2: *(volatile __u16 *)p = *(__u16 *)res; break;
	case 4: *(volatile __u32 *)p = *(__u32 *)res; break;
	case 8: *(volatile __u64 *)p = *(__u64 *)res; break;
	default:
		barrier();
		__builtin_memcpy((void *)p, (const void *)res, size);
		barrier();
	}
}
#define READ_ONCE(x) \
	({ union { typeof(x) __val; char __c[1]; } __u; __read_once_size(&(x), __u.__c, sizeof(x)); __u.__val; })
#define WRITE_ONCE(x, val) \
	({ union { typeof(x) __val; char __c[1]; } __u = { .__val = (typeof(x))(val) }; __write_once_size(&(x), __u.__c, sizeof(x)); __u.__val; })
static int data;
static unsigned long flag;
static void *writer(void *a)
{
	WRITE_ONCE(data, 42);
	WRITE_ONCE(flag, 1);
	return 0;
}
static void *reader(void *a)
{
	if (READ_ONCE(flag))
		assert(READ_ONCE(data) == 42);
	return 0;
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, writer, 0);
	pthread_create(&u, 0, reader, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	return 0;
}
