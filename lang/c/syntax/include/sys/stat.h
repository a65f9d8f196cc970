#ifndef _FP_SYS_STAT_H
#define _FP_SYS_STAT_H
#include <unistd.h>
#include <stdint.h>
#include <time.h>
typedef unsigned mode_t;
struct stat {
	unsigned long st_dev, st_ino, st_nlink;
	mode_t st_mode;
	unsigned st_uid, st_gid;
	unsigned long st_rdev;
	off_t st_size;
	long st_blksize, st_blocks;
	struct timespec st_atim, st_mtim, st_ctim;
};
#define st_atime st_atim.tv_sec
#define st_mtime st_mtim.tv_sec
#define st_ctime st_ctim.tv_sec
enum { S_IFMT = 0170000, S_IFSOCK = 0140000, S_IFLNK = 0120000, S_IFREG = 0100000, S_IFBLK = 0060000, S_IFDIR = 0040000, S_IFCHR = 0020000, S_IFIFO = 0010000 };
enum { S_ISUID = 04000, S_ISGID = 02000, S_ISVTX = 01000, S_IRWXU = 0700, S_IRUSR = 0400, S_IWUSR = 0200, S_IXUSR = 0100 };
enum { S_IRWXG = 070, S_IRGRP = 040, S_IWGRP = 020, S_IXGRP = 010, S_IRWXO = 07, S_IROTH = 04, S_IWOTH = 02, S_IXOTH = 01 };
#define S_ISREG(m) (((m) & S_IFMT) == S_IFREG)
#define S_ISDIR(m) (((m) & S_IFMT) == S_IFDIR)
#define S_ISLNK(m) (((m) & S_IFMT) == S_IFLNK)
#define S_ISCHR(m) (((m) & S_IFMT) == S_IFCHR)
#define S_ISBLK(m) (((m) & S_IFMT) == S_IFBLK)
#define S_ISFIFO(m) (((m) & S_IFMT) == S_IFIFO)
#define S_ISSOCK(m) (((m) & S_IFMT) == S_IFSOCK)
int stat(const char *, struct stat *), lstat(const char *, struct stat *), fstat(int, struct stat *);
int mkdir(const char *, mode_t), chmod(const char *, mode_t), fchmod(int, mode_t), mkfifo(const char *, mode_t);
#endif
