#ifndef _FP_FCNTL_H
#define _FP_FCNTL_H
#define O_RDONLY 0
#define O_WRONLY 1
#define O_RDWR 2
#define O_CREAT 64
#define O_EXCL 128
#define O_TRUNC 512
#define O_APPEND 1024
#define O_NONBLOCK 2048
#define O_ACCMODE 3
#define O_NOCTTY 256
#define O_NDELAY O_NONBLOCK
#define O_DSYNC 4096
#define O_DIRECT 0x4000
#define O_DIRECTORY 0x10000
#define O_NOFOLLOW 0x20000
#define O_CLOEXEC 0x80000
#define O_SYNC 0x101000
#define O_PATH 0x200000
#define AT_FDCWD (-100)
#define FD_CLOEXEC 1
enum { F_DUPFD = 0, F_GETFD = 1, F_SETFD = 2, F_GETFL = 3, F_SETFL = 4 };
int fcntl(int, int, ...), creat(const char *, unsigned), openat(int, const char *, int, ...);
int open(const char *, int, ...);
#endif
