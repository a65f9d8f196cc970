#ifndef _FP_FCNTL_H
#define _FP_FCNTL_H
#endif
