#ifndef _FP_NETINET_IN_H
#define _FP_NETINET_IN_H
#include <stdint.h>
typedef uint16_t in_port_t;
typedef uint32_t in_addr_t;
struct in_addr { in_addr_t s_addr; };
static inline uint32_t htonl(uint32_t __x) { return __builtin_bswap32(__x); }
static inline uint16_t htons(uint16_t __x) { return __builtin_bswap16(__x); }
static inline uint32_t ntohl(uint32_t __x) { return __builtin_bswap32(__x); }
static inline uint16_t ntohs(uint16_t __x) { return __builtin_bswap16(__x); }
#endif
