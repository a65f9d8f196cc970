package syntax

import "embed"

// headers are the headers of the standard library and of verification tools, as
// far as they are modelled.
//
//go:embed include
var headers embed.FS

// systemDir is where the headers are for the preprocessor.
const systemDir = "/include"

// predefined is what a compiler for x86-64 defines by itself.
const predefined = `
#define __fp_asserts(e, text, ...) _Static_assert(e, text)
#define _Static_assert(...) __fp_asserts(__VA_ARGS__, "", )
#define __STDC__ 1
#define __STDC_HOSTED__ 1
#define __STDC_VERSION__ 201112L
#define __x86_64__ 1
#define __x86_64 1
#define __amd64__ 1
#define __LP64__ 1
#define _LP64 1
#define __linux__ 1
#define __linux 1
#define linux 1
#define __unix__ 1
#define unix 1
#define __GNUC__ 4
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 1
#define __FENCEPOST__ 1
#define __CPROVER_thread_local __thread
#define __CHAR_BIT__ 8
#define __SIZE_TYPE__ unsigned long
#define __PTRDIFF_TYPE__ long
#define __WCHAR_TYPE__ int
#define __INTPTR_TYPE__ long
#define __UINTPTR_TYPE__ unsigned long
#define __INT8_TYPE__ signed char
#define __INT16_TYPE__ short
#define __INT32_TYPE__ int
#define __INT64_TYPE__ long
#define __UINT8_TYPE__ unsigned char
#define __UINT16_TYPE__ unsigned short
#define __UINT32_TYPE__ unsigned int
#define __UINT64_TYPE__ unsigned long
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __LONG_LONG_MAX__ 9223372036854775807LL
#define __SIZE_MAX__ 18446744073709551615UL
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_LONG_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __SIZEOF_SIZE_T__ 8
#define __SIZEOF_PTRDIFF_T__ 8
#define __ORDER_LITTLE_ENDIAN__ 1234
#define __ORDER_BIG_ENDIAN__ 4321
#define __BYTE_ORDER__ 1234
#define __LITTLE_ENDIAN__ 1
#define __ATOMIC_RELAXED 0
#define __ATOMIC_CONSUME 1
#define __ATOMIC_ACQUIRE 2
#define __ATOMIC_RELEASE 3
#define __ATOMIC_ACQ_REL 4
#define __ATOMIC_SEQ_CST 5
#include <gnu.h>
`

// bare are headers that many programs include, and with nothing in them of their own that is modelled.
var bare = map[string]string{
	"malloc.h": "#include <stdlib.h>\n", "alloca.h": "#include <stdlib.h>\n", "features.h": "",
	"sys/cdefs.h": "#define __BEGIN_DECLS\n#define __END_DECLS\n", "bits/pthreadtypes.h": "#include <pthread.h>\n",
	"immintrin.h": intrinsics, "emmintrin.h": intrinsics, "xmmintrin.h": intrinsics, "x86intrin.h": intrinsics, "iso646.h": "",
	"dlfcn.h": "", "err.h": "", "execinfo.h": "", "locale.h": localeHeader, "netdb.h": "", "pwd.h": "", "regex.h": "", "syslog.h": "",
	"sys/epoll.h": "", "sys/file.h": "", "sys/ioctl.h": "", "sys/ipc.h": "", "sys/param.h": "", "sys/prctl.h": "",
	"sys/select.h": "", "sys/shm.h": "", "sys/socket.h": "", "sys/sysinfo.h": "", "sys/times.h": "", "sys/uio.h": "", "sys/un.h": "",
	"termios.h": "", "values.h": "#include <limits.h>\n", "wchar.h": "#include <stddef.h>\n",
}

// intrinsics are those of x86 that are about the order of accesses, and about time.
const intrinsics = `#ifndef __fp_intrinsics
#define __fp_intrinsics
#define _mm_sfence() __builtin_ia32_sfence()
#define _mm_lfence() __builtin_ia32_lfence()
#define __rdtsc() __builtin_ia32_rdtsc()
#define _rdtsc() __builtin_ia32_rdtsc()
#define __rdtscp(p) __builtin_ia32_rdtscp(p)
#endif
`

const localeHeader = "enum { LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL };\nchar *setlocale(int, const char *);\n"
