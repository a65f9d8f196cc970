/* Functions that programs rarely ask for; and what the headers of the C library of GNU make of a program that was preprocessed with them. Nobody includes this: see provided.go. */
static inline long __isoc23_strtol(const char *__s, char **__end, int __base) { return strtol(__s, __end, __base); }
static inline unsigned long __isoc23_strtoul(const char *__s, char **__end, int __base) { return strtoul(__s, __end, __base); }
static inline long long __isoc23_strtoll(const char *__s, char **__end, int __base) { return strtol(__s, __end, __base); }
static inline unsigned long long __isoc23_strtoull(const char *__s, char **__end, int __base) { return strtoul(__s, __end, __base); }
static inline char *__strdup(const char *__s) { return strdup(__s); }
static inline char *__strndup(const char *__s, size_t __n) { return strndup(__s, __n); }
static inline int __sched_cpucount(size_t __n, const cpu_set_t *__s) {
	const unsigned long *__p = (const unsigned long *)__s;
	return __fp_cpu_sum(__p) + __fp_cpu_sum(__p + 4) + __fp_cpu_sum(__p + 8) + __fp_cpu_sum(__p + 12);
}
static inline int strncasecmp(const char *__s, const char *__t, size_t __n) {
	for (; __n > 0; __n--, __s++, __t++) {
		int __a = *(const unsigned char *)__s, __b = *(const unsigned char *)__t;
		if (__a >= 'A' && __a <= 'Z') __a += 'a' - 'A';
		if (__b >= 'A' && __b <= 'Z') __b += 'a' - 'A';
		if (__a != __b || !__a) return __fp_of_sign(__a - __b);
	}
	return 0;
}
static inline int strcasecmp(const char *__s, const char *__t) { return strncasecmp(__s, __t, -1); }
static inline size_t strspn(const char *__s, const char *__set) {
	const char *__p = __s;
	while (*__p && strchr(__set, *__p))
		__p++;
	return __p - __s;
}
static inline size_t strcspn(const char *__s, const char *__set) {
	const char *__p = __s;
	while (*__p && !strchr(__set, *__p))
		__p++;
	return __p - __s;
}
static inline char *strpbrk(const char *__s, const char *__set) {
	const char *__p = __s + strcspn(__s, __set);
	return *__p ? (char *)__p : (char *)0;
}
static inline char *strsep(char **__s, const char *__set) {
	char *__p = *__s, *__end;
	if (!__p)
		return (char *)0;
	__end = __p + strcspn(__p, __set);
	if (!*__end) {
		*__s = (char *)0;
		return __p;
	}
	*__end = 0;
	*__s = __end + 1;
	return __p;
}
static inline char *stpcpy(char *__to, const char *__s) {
	strcpy(__to, __s);
	return __to + strlen(__to);
}
static inline char *strchrnul(const char *__s, int __c) {
	while (*__s && *__s != (char)__c)
		__s++;
	return (char *)__s;
}
static inline void *memrchr(const void *__s, int __c, size_t __n) {
	const char *__p = (const char *)__s;
	while (__n > 0 && __p[__n - 1] != (char)__c)
		__n--;
	return __n ? (void *)(__p + __n - 1) : (void *)0;
}
static inline int strcoll(const char *__s, const char *__t) { return strcmp(__s, __t); }
static inline long imaxabs(long __n) { return __n < 0 ? -__n : __n; }
static inline size_t strlcpy(char *__to, const char *__s, size_t __n) {
	size_t __k = 0;
	for (; __s[__k]; __k++)
		if (__k + 1 < __n) {
			__fp_assert(__k < (size_t)__to - (size_t)__s && __k < (size_t)__s - (size_t)__to, "what is copied overlaps where it is copied to");
			__to[__k] = __s[__k];
		}
	if (__n)
		__fp_assert((__k < __n ? __k : __n - 1) < (size_t)__to - (size_t)__s && (__k < __n ? __k : __n - 1) < (size_t)__s - (size_t)__to, "what is copied overlaps where it is copied to");
	if (__n)
		__to[__k < __n ? __k : __n - 1] = 0;
	return __k;
}
static inline size_t strlcat(char *__to, const char *__s, size_t __n) {
	size_t __k = strnlen(__to, __n);
	if (__k == __n)
		return __n + strlen(__s);
	return __k + strlcpy(__to + __k, __s, __n - __k);
}
static inline void *memccpy(void *__to, const void *__s, int __c, size_t __n) {
	char *__q = (char *)__to;
	const char *__p = (const char *)__s;
	for (size_t __k = 0; __k < __n; __k++) {
		__fp_assert(__k < (size_t)__q - (size_t)__p && __k < (size_t)__p - (size_t)__q, "what is copied overlaps where it is copied to");
		if ((__q[__k] = __p[__k]) == (char)__c)
			return __q + __k + 1;
	}
	return (void *)0;
}
static inline int vasprintf(char **__to, const char *__format, __builtin_va_list __list) {
	__builtin_va_list __again;
	__builtin_va_copy(__again, __list);
	int __n = vsnprintf((char *)0, 0, __format, __list);
	*__to = (char *)__fp_malloc(__n + 1);
	vsnprintf(*__to, __n + 1, __format, __again);
	return __n;
}
static inline int asprintf(char **__to, const char *__format, ...) {
	__builtin_va_list __list;
	__builtin_va_list __again;
	__builtin_va_start(__list, __format);
	__builtin_va_start(__again, __format);
	int __n = vsnprintf((char *)0, 0, __format, __list);
	*__to = (char *)__fp_malloc(__n + 1);
	vsnprintf(*__to, __n + 1, __format, __again);
	return __n;
}
/* The classes of characters, as bits of ctype.h. */
static inline const unsigned short **__ctype_b_loc(void) {
	static const unsigned short __classes[384] = {[128] = 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2003, 0x2002, 0x2002, 0x2002, 0x2002, 0x2, 0x2,
		0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2, 0x2,
		0x6001, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
		0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xd808, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
		0xc004, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xd508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508,
		0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc508, 0xc004, 0xc004, 0xc004, 0xc004, 0xc004,
		0xc004, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xd608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608,
		0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc608, 0xc004, 0xc004, 0xc004, 0xc004, 0x2};
	static const unsigned short *__at = __classes + 128;
	return &__at;
}
/* What is called where a pointer points to a function that needs no definition: see pointedTo. */
static inline void *__fp_pointer_malloc(size_t __n) { return malloc(__n); }
static inline void *__fp_pointer_calloc(size_t __n, size_t __size) { return calloc(__n, __size); }
static inline void *__fp_pointer_realloc(void *__p, size_t __n) { return realloc(__p, __n); }
static inline void *__fp_pointer_aligned_alloc(size_t __a, size_t __n) { return aligned_alloc(__a, __n); }
static inline void *__fp_pointer_memcpy(void *__to, const void *__p, size_t __n) { return memcpy(__to, __p, __n); }
static inline void *__fp_pointer_memmove(void *__to, const void *__p, size_t __n) { return memmove(__to, __p, __n); }
static inline void *__fp_pointer_memset(void *__p, int __c, size_t __n) { return memset(__p, __c, __n); }
static inline int __fp_pointer_memcmp(const void *__p, const void *__q, size_t __n) { return memcmp(__p, __q, __n); }
static inline size_t __fp_pointer_strlen(const char *__s) { return strlen(__s); }
static inline int __fp_pointer_strcmp(const char *__s, const char *__t) { return strcmp(__s, __t); }
static inline int __fp_pointer_strncmp(const char *__s, const char *__t, size_t __n) { return strncmp(__s, __t, __n); }
static inline char *__fp_pointer_strcpy(char *__to, const char *__s) { return strcpy(__to, __s); }
static inline char *__fp_pointer_strchr(const char *__s, int __c) { return strchr(__s, __c); }
static inline int __fp_pointer_puts(const char *__s) { return puts(__s); }
static inline int __fp_pointer_putchar(int __c) { return putchar(__c); }
static inline int __fp_pointer_getchar(void) { return getchar(); }
static inline int __fp_pointer_rand(void) { return rand(); }
static inline int __fp_pointer_abs(int __n) { return abs(__n); }
static inline int __fp_pointer_pthread_mutex_lock(pthread_mutex_t *__m) { return pthread_mutex_lock(__m); }
static inline int __fp_pointer_pthread_mutex_unlock(pthread_mutex_t *__m) { return pthread_mutex_unlock(__m); }
static inline int __fp_pointer_pthread_mutex_destroy(pthread_mutex_t *__m) { return pthread_mutex_destroy(__m); }
static inline int __fp_pointer_sem_post(sem_t *__s) { return sem_post(__s); }
