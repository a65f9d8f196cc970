#ifndef _FP_LINUX_KERNEL_H
#define _FP_LINUX_KERNEL_H
#include <linux/compiler.h>
#include <linux/types.h>
#include <errno.h>
#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define BUILD_BUG_ON(e) _Static_assert(!(e), #e)
#define min(x, y) ({ __typeof__(x) __fp_x = (x); __typeof__(y) __fp_y = (y); __fp_x < __fp_y ? __fp_x : __fp_y; })
#define max(x, y) ({ __typeof__(x) __fp_x = (x); __typeof__(y) __fp_y = (y); __fp_x > __fp_y ? __fp_x : __fp_y; })
#define swap(x, y) do { __typeof__(x) __fp_x = (x); (x) = (y); (y) = __fp_x; } while (0)
#define BIT(n) (1UL << (n))
#define BITS_PER_LONG 64
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#define KERN_EMERG ""
#define KERN_ALERT ""
#define KERN_CRIT ""
#define KERN_ERR ""
#define KERN_WARNING ""
#define KERN_NOTICE ""
#define KERN_INFO ""
#define KERN_DEBUG ""
#define KERN_CONT ""
#define KERN_DEFAULT ""
#define printk(...) ((void)(__VA_ARGS__))
#define pr_err(...) ((void)(__VA_ARGS__))
#define pr_warn(...) ((void)(__VA_ARGS__))
#define pr_info(...) ((void)(__VA_ARGS__))
#define pr_debug(...) ((void)0)
#define EXPORT_SYMBOL(f)
#define EXPORT_SYMBOL_GPL(f)
#define might_sleep() ((void)0)
#endif
