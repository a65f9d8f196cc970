#ifndef _FP_LINUX_COMPILER_H
#define _FP_LINUX_COMPILER_H
#include <fencepost.h>
#define __rcu
#define __percpu
#define __user
#define __iomem
#define __init
#define __exit
#define __read_mostly
#define __must_check
#define __always_inline inline
#define noinline
#define __maybe_unused
#define __acquires(x)
#define __releases(x)
#define __must_hold(x)
#define ____cacheline_aligned __attribute__((aligned(64)))
#define ____cacheline_aligned_in_smp __attribute__((aligned(64)))
#define __aligned(n) __attribute__((aligned(n)))
#define __packed __attribute__((packed))
#endif
