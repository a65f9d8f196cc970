#ifndef _FP_GETOPT_H
#define _FP_GETOPT_H
#include <unistd.h>
struct option {
	const char *name;
	int has_arg, *flag, val;
};
enum { no_argument, required_argument, optional_argument };
int getopt_long(int, char *const *, const char *, const struct option *, int *), getopt_long_only(int, char *const *, const char *, const struct option *, int *);
#endif
