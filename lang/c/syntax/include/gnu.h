/* What GCC and Clang have without any header. */
#define __atomic_load_n(p, o) (*(__typeof__(&*(p)))__fp_load((p), (o)))
#define __atomic_load(p, r, o) ((void)(*(r) = __atomic_load_n(p, o)))
#define __atomic_store_n(p, v, o) __fp_store((p), (v), (o))
#define __atomic_store(p, v, o) __fp_store((p), *(v), (o))
#define __atomic_exchange_n(p, v, o) (*(__typeof__(&*(p)))__fp_exchange((p), (v), (o)))
#define __atomic_exchange(p, v, r, o) ((void)(*(r) = __atomic_exchange_n(p, *(v), o)))
#define __atomic_compare_exchange_n(p, e, v, w, s, f) ((_Bool)__fp_cas_maybe((p), (e), (v), (s), (f), (w)))
#define __atomic_compare_exchange(p, e, v, w, s, f) ((_Bool)__fp_cas_maybe((p), (e), *(v), (s), (f), (w)))
#define __atomic_fetch_add(p, v, o) (*(__typeof__(&*(p)))__fp_gnu_fetch_add((p), (v), (o)))
#define __atomic_fetch_sub(p, v, o) (*(__typeof__(&*(p)))__fp_gnu_fetch_sub((p), (v), (o)))
#define __atomic_fetch_and(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_and((p), (v), (o)))
#define __atomic_fetch_or(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_or((p), (v), (o)))
#define __atomic_fetch_xor(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_xor((p), (v), (o)))
#define __atomic_fetch_nand(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_nand((p), (v), (o)))
#define __atomic_add_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_gnu_add_fetch((p), (v), (o)))
#define __atomic_sub_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_gnu_sub_fetch((p), (v), (o)))
#define __atomic_and_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_and_fetch((p), (v), (o)))
#define __atomic_or_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_or_fetch((p), (v), (o)))
#define __atomic_xor_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_xor_fetch((p), (v), (o)))
#define __atomic_nand_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_nand_fetch((p), (v), (o)))
#define __atomic_fetch_min(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_min((p), (v), (o)))
#define __atomic_fetch_max(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_max((p), (v), (o)))
#define __atomic_min_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_min_fetch((p), (v), (o)))
#define __atomic_max_fetch(p, v, o) (*(__typeof__(&*(p)))__fp_max_fetch((p), (v), (o)))
#define __atomic_test_and_set(p, o) ((_Bool)__fp_test_and_set((p), (o)))
#define __atomic_clear(p, o) __fp_clear((p), (o))
#define __atomic_thread_fence(o) __fp_fence((o))
#define __atomic_signal_fence(o) ((void)(o))
#define __atomic_always_lock_free(n, p) 1
#define __atomic_is_lock_free(n, p) 1
#define __sync_fetch_and_add(p, ...) (*(__typeof__(&*(p)))__fp_gnu_fetch_add((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_fetch_and_sub(p, ...) (*(__typeof__(&*(p)))__fp_gnu_fetch_sub((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_fetch_and_or(p, ...) (*(__typeof__(&*(p)))__fp_fetch_or((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_fetch_and_and(p, ...) (*(__typeof__(&*(p)))__fp_fetch_and((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_fetch_and_xor(p, ...) (*(__typeof__(&*(p)))__fp_fetch_xor((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_fetch_and_nand(p, ...) (*(__typeof__(&*(p)))__fp_fetch_nand((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_fetch_and_max(p, v) (*(int *)__fp_fetch_max((int *)(p), (v), __ATOMIC_SEQ_CST))
#define __sync_fetch_and_min(p, v) (*(int *)__fp_fetch_min((int *)(p), (v), __ATOMIC_SEQ_CST))
#define __sync_fetch_and_umax(p, v) (*(unsigned *)__fp_fetch_max((unsigned *)(p), (v), __ATOMIC_SEQ_CST))
#define __sync_fetch_and_umin(p, v) (*(unsigned *)__fp_fetch_min((unsigned *)(p), (v), __ATOMIC_SEQ_CST))
#define __sync_add_and_fetch(p, ...) (*(__typeof__(&*(p)))__fp_gnu_add_fetch((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_sub_and_fetch(p, ...) (*(__typeof__(&*(p)))__fp_gnu_sub_fetch((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_or_and_fetch(p, ...) (*(__typeof__(&*(p)))__fp_or_fetch((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_and_and_fetch(p, ...) (*(__typeof__(&*(p)))__fp_and_fetch((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_xor_and_fetch(p, ...) (*(__typeof__(&*(p)))__fp_xor_fetch((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_nand_and_fetch(p, ...) (*(__typeof__(&*(p)))__fp_nand_fetch((p), __VA_ARGS__, __ATOMIC_SEQ_CST))
#define __sync_bool_compare_and_swap(p, e, ...) ((_Bool)__fp_sync_cas_bool((p), (e), __VA_ARGS__))
#define __sync_val_compare_and_swap(p, e, ...) (*(__typeof__(&*(p)))__fp_sync_cas((p), (e), __VA_ARGS__))
#define __sync_lock_test_and_set(p, ...) (*(__typeof__(&*(p)))__fp_exchange((p), __VA_ARGS__, __ATOMIC_ACQUIRE))
#define __sync_lock_release(p, ...) __fp_store((p), 0, __ATOMIC_RELEASE)
#define __sync_synchronize(...) __fp_fence(__ATOMIC_SEQ_CST)
#define __c11_atomic_init(p, v) __fp_init((p), (v))
#define __c11_atomic_load(p, o) __atomic_load_n(p, o)
#define __c11_atomic_store(p, v, o) __fp_store((p), (v), (o))
#define __c11_atomic_exchange(p, v, o) __atomic_exchange_n(p, v, o)
#define __c11_atomic_compare_exchange_strong(p, e, v, s, f) ((_Bool)__fp_cas((p), (e), (v), (s), (f)))
#define __c11_atomic_compare_exchange_weak(p, e, v, s, f) ((_Bool)__fp_cas_weak((p), (e), (v), (s), (f)))
#define __c11_atomic_fetch_add(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_add((p), (v), (o)))
#define __c11_atomic_fetch_sub(p, v, o) (*(__typeof__(&*(p)))__fp_fetch_sub((p), (v), (o)))
#define __c11_atomic_fetch_and(p, v, o) __atomic_fetch_and(p, v, o)
#define __c11_atomic_fetch_or(p, v, o) __atomic_fetch_or(p, v, o)
#define __c11_atomic_fetch_xor(p, v, o) __atomic_fetch_xor(p, v, o)
#define __c11_atomic_fetch_nand(p, v, o) __atomic_fetch_nand(p, v, o)
#define __c11_atomic_fetch_min(p, v, o) __atomic_fetch_min(p, v, o)
#define __c11_atomic_fetch_max(p, v, o) __atomic_fetch_max(p, v, o)
#define __c11_atomic_thread_fence(o) __fp_fence((o))
#define __c11_atomic_signal_fence(o) ((void)(o))
#define __c11_atomic_is_lock_free(n) 1
typedef long __fp_expected;
#define __builtin_expect(e, v) ((__fp_expected)(e))
#define __builtin_expect_with_probability(e, v, p) __builtin_expect(e, v)
#define __builtin_assume(e) ((void)0)
#define __builtin_prefetch(...) ((void)(__VA_ARGS__))
#define __builtin_ia32_pause() ((void)0)
#define __builtin_ia32_mfence() __fp_fence(__ATOMIC_SEQ_CST)
#define __builtin_ia32_sfence() ({ __asm__ volatile("sfence" ::: "memory"); })
#define __builtin_ia32_lfence() ({ __asm__ volatile("lfence" ::: "memory"); })
#define __builtin_ia32_rdtsc() ({ unsigned __fp_a, __fp_d; __asm__ volatile("rdtsc" : "=a"(__fp_a), "=d"(__fp_d)); (unsigned long long)__fp_d << 32 | __fp_a; })
#define __builtin_ia32_rdtscp(p) ({ unsigned __fp_a, __fp_d, __fp_c; __asm__ volatile("rdtscp" : "=a"(__fp_a), "=d"(__fp_d), "=c"(__fp_c)); *(p) = __fp_c; (unsigned long long)__fp_d << 32 | __fp_a; })
#define __builtin_assume_aligned(p, ...) ((void *)(p))
#define _mm_pause() ((void)0)
#define _mm_mfence() __fp_fence(__ATOMIC_SEQ_CST)
#define __builtin_unreachable() __fp_assert(0, "__builtin_unreachable() is not reached")
#define __builtin_trap() __fp_assert(0, "__builtin_trap() is not reached")
#define __builtin_constant_p(e) __fp_constant_p(e)
#define __builtin_offsetof(type, member) ((__SIZE_TYPE__) & (((type *)0)->member))
#define __builtin_va_list void *
#define __builtin_va_start(ap, ...) __fp_va_start(ap)
#define __builtin_va_end(...) ((void)0)
#define __builtin_va_copy(a, b) __fp_va_copy(a, b)
#define __builtin_va_arg(ap, type) ((type)__fp_va_arg(ap))
unsigned short __builtin_bswap16(unsigned short);
unsigned __builtin_bswap32(unsigned);
unsigned long __builtin_bswap64(unsigned long);
int __builtin_ffs(int), __builtin_ffsl(long), __builtin_ffsll(long long);
int __builtin_clz(unsigned), __builtin_clzl(unsigned long), __builtin_clzll(unsigned long long);
int __builtin_ctz(unsigned), __builtin_ctzl(unsigned long), __builtin_ctzll(unsigned long long);
int __builtin_popcount(unsigned), __builtin_popcountl(unsigned long), __builtin_popcountll(unsigned long long);
int __builtin_parity(unsigned), __builtin_parityl(unsigned long), __builtin_parityll(unsigned long long);
#define __builtin_add_overflow(x, y, r) ((_Bool)__fp_add_overflow((x), (y), (r)))
#define __builtin_sub_overflow(x, y, r) ((_Bool)__fp_sub_overflow((x), (y), (r)))
#define __builtin_mul_overflow(x, y, r) ((_Bool)__fp_mul_overflow((x), (y), (r)))
unsigned long __builtin_strlen(const char *);
void *__builtin_malloc(unsigned long), *__builtin_calloc(unsigned long, unsigned long), *__builtin_realloc(void *, unsigned long);
void *__builtin_mempcpy(void *, const void *, unsigned long);
void *__builtin_memcpy(void *, const void *, unsigned long), *__builtin_memmove(void *, const void *, unsigned long), *__builtin_memset(void *, int, unsigned long);
void *__builtin_memchr(const void *, int, unsigned long);
char *__builtin_strcpy(char *, const char *), *__builtin_strncpy(char *, const char *, unsigned long), *__builtin_strchr(const char *, int);
char *__builtin_strcat(char *, const char *), *__builtin_strncat(char *, const char *, unsigned long), *__builtin_strrchr(const char *, int);
void *__builtin___memcpy_chk(void *, const void *, unsigned long, unsigned long), *__builtin___memmove_chk(void *, const void *, unsigned long, unsigned long);
void *__builtin___memset_chk(void *, int, unsigned long, unsigned long);
char *__builtin___strcpy_chk(char *, const char *, unsigned long), *__builtin___strncpy_chk(char *, const char *, unsigned long, unsigned long);
char *__builtin___strcat_chk(char *, const char *, unsigned long), *__builtin___strncat_chk(char *, const char *, unsigned long, unsigned long);
unsigned long __builtin_object_size(const void *, int), __builtin_dynamic_object_size(const void *, int);
#define __builtin_labs(n) ({ long __fp_n = (n); __fp_n < 0 ? -__fp_n : __fp_n; })
#define __builtin_llabs(n) ({ long long __fp_n = (n); __fp_n < 0 ? -__fp_n : __fp_n; })
#define __builtin_sadd_overflow(x, y, r) __builtin_add_overflow((int)(x), (int)(y), r)
#define __builtin_saddl_overflow(x, y, r) __builtin_add_overflow((long)(x), (long)(y), r)
#define __builtin_saddll_overflow(x, y, r) __builtin_add_overflow((long long)(x), (long long)(y), r)
#define __builtin_uadd_overflow(x, y, r) __builtin_add_overflow((unsigned)(x), (unsigned)(y), r)
#define __builtin_uaddl_overflow(x, y, r) __builtin_add_overflow((unsigned long)(x), (unsigned long)(y), r)
#define __builtin_uaddll_overflow(x, y, r) __builtin_add_overflow((unsigned long long)(x), (unsigned long long)(y), r)
#define __builtin_ssub_overflow(x, y, r) __builtin_sub_overflow((int)(x), (int)(y), r)
#define __builtin_ssubl_overflow(x, y, r) __builtin_sub_overflow((long)(x), (long)(y), r)
#define __builtin_ssubll_overflow(x, y, r) __builtin_sub_overflow((long long)(x), (long long)(y), r)
#define __builtin_usub_overflow(x, y, r) __builtin_sub_overflow((unsigned)(x), (unsigned)(y), r)
#define __builtin_usubl_overflow(x, y, r) __builtin_sub_overflow((unsigned long)(x), (unsigned long)(y), r)
#define __builtin_usubll_overflow(x, y, r) __builtin_sub_overflow((unsigned long long)(x), (unsigned long long)(y), r)
#define __builtin_smul_overflow(x, y, r) __builtin_mul_overflow((int)(x), (int)(y), r)
#define __builtin_smull_overflow(x, y, r) __builtin_mul_overflow((long)(x), (long)(y), r)
#define __builtin_smulll_overflow(x, y, r) __builtin_mul_overflow((long long)(x), (long long)(y), r)
#define __builtin_umul_overflow(x, y, r) __builtin_mul_overflow((unsigned)(x), (unsigned)(y), r)
#define __builtin_umull_overflow(x, y, r) __builtin_mul_overflow((unsigned long)(x), (unsigned long)(y), r)
#define __builtin_umulll_overflow(x, y, r) __builtin_mul_overflow((unsigned long long)(x), (unsigned long long)(y), r)
#define __builtin_add_overflow_p(x, y, t) ({ __typeof__(t) __fp_r; __builtin_add_overflow(x, y, &__fp_r); })
#define __builtin_sub_overflow_p(x, y, t) ({ __typeof__(t) __fp_r; __builtin_sub_overflow(x, y, &__fp_r); })
#define __builtin_mul_overflow_p(x, y, t) ({ __typeof__(t) __fp_r; __builtin_mul_overflow(x, y, &__fp_r); })
double __builtin_inf(void);
double __builtin_nan(const char *);
double __builtin_huge_val(void);
float __builtin_inff(void);
float __builtin_huge_valf(void);
int __ccgo__types_compatible_p();
#define __builtin_types_compatible_p(t, u) __ccgo__types_compatible_p((__typeof__(t) *)0, (__typeof__(u) *)0)
#define __builtin_choose_expr(c, a, b) _Generic((char (*)[(c) ? 1 : 2])0, char (*)[1]: (a), default: (b))
#define __extension__
#define __FUNCTION__ __func__
#define __PRETTY_FUNCTION__ __func__
int __predefined_declarator;
typedef __SIZE_TYPE__ __predefined_size_t;
typedef __WCHAR_TYPE__ __predefined_wchar_t;
typedef __PTRDIFF_TYPE__ __predefined_ptrdiff_t;
