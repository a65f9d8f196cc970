#ifndef _FP_CTYPE_H
#define _FP_CTYPE_H
int __fp_of_sign(int);
static inline int isdigit(int __c) { return __fp_of_sign(__c >= '0' && __c <= '9'); }
static inline int isupper(int __c) { return __fp_of_sign(__c >= 'A' && __c <= 'Z'); }
static inline int islower(int __c) { return __fp_of_sign(__c >= 'a' && __c <= 'z'); }
static inline int isalpha(int __c) { return __fp_of_sign(__c >= 'A' && __c <= 'Z' || __c >= 'a' && __c <= 'z'); }
static inline int isalnum(int __c) { return __fp_of_sign(__c >= 'A' && __c <= 'Z' || __c >= 'a' && __c <= 'z' || __c >= '0' && __c <= '9'); }
static inline int isspace(int __c) { return __fp_of_sign(__c == ' ' || __c >= 9 && __c <= 13); }
static inline int isblank(int __c) { return __fp_of_sign(__c == ' ' || __c == 9); }
static inline int isprint(int __c) { return __fp_of_sign(__c >= 32 && __c <= 126); }
static inline int isgraph(int __c) { return __fp_of_sign(__c >= 33 && __c <= 126); }
static inline int iscntrl(int __c) { return __fp_of_sign(__c >= 0 && __c <= 31 || __c == 127); }
static inline int ispunct(int __c) { return __fp_of_sign(__c >= 33 && __c <= 126 && !(__c >= 'A' && __c <= 'Z' || __c >= 'a' && __c <= 'z' || __c >= '0' && __c <= '9')); }
static inline int isxdigit(int __c) { return __fp_of_sign(__c >= '0' && __c <= '9' || __c >= 'A' && __c <= 'F' || __c >= 'a' && __c <= 'f'); }
static inline int toupper(int __c) { return __c >= 'a' && __c <= 'z' ? __c - 32 : __c; }
static inline int tolower(int __c) { return __c >= 'A' && __c <= 'Z' ? __c + 32 : __c; }
static inline int isascii(int __c) { return __fp_of_sign(__c >= 0 && __c <= 127); }
#endif
