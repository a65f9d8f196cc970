#ifndef _FP_POLL_H
#define _FP_POLL_H
typedef unsigned long nfds_t;
struct pollfd { int fd; short events, revents; };
int poll(struct pollfd *, nfds_t, int);
#endif
