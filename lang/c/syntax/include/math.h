#ifndef _FP_MATH_H
#define _FP_MATH_H
double sqrt(double), pow(double, double), fabs(double), floor(double), ceil(double), sin(double), cos(double), tan(double);
double exp(double), log(double), log2(double), log10(double), fmod(double, double), round(double), trunc(double), atan(double), atan2(double, double);
float sqrtf(float), powf(float, float), fabsf(float), floorf(float), ceilf(float);
long lround(double), lrint(double);
long long llround(double), llrint(double);
double fmax(double, double), fmin(double, double), hypot(double, double), cbrt(double), asin(double), acos(double), sinh(double), cosh(double), tanh(double), rint(double), exp2(double);
#define M_E 2.7182818284590452354
#define INFINITY (__builtin_inff())
#define NAN ((float)__builtin_nan(""))
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define M_PI 3.14159265358979323846
#endif
