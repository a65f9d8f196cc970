#ifndef _FP_CTYPE_H
#define _FP_CTYPE_H
int isdigit(int), isalpha(int), isalnum(int), isspace(int), isupper(int), islower(int), ispunct(int), isprint(int), isxdigit(int);
int toupper(int), tolower(int);
#endif
