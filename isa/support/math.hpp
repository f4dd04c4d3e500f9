#pragma once
// Transcendental functions that give the same bits on every x86-64 machine, compiler and build type: only IEEE basic
// operations and square roots, computed in f64 and rounded once to f32. Interpreter and simulator use them, so their
// values agree. Error: at most 1 ulp of f32 (tested against long double references; nearly always correctly rounded).
// Special cases follow C's Annex F.
#include <cstdint>

namespace pimento::math {

float exp(float x);
float log(float x);
float erf(float x);
float tanh(float x);
float sigmoid(float x);  ///< 1 / (1 + exp(-x))
float sin(float x);      ///< any finite x: the argument is reduced exactly
float cos(float x);
float tan(float x);
float asin(float x);
float acos(float x);
float atan(float x);
float atan2(float y, float x);
float sinh(float x);
float cosh(float x);
float asinh(float x);
float acosh(float x);
float atanh(float x);
float pow(float x, float y);
float sqrt(float x);   ///< correctly rounded
float rsqrt(float x);  ///< 1 / sqrt(x)
/// Nearest integer, half to even, whatever the rounding mode of the thread says about ties: the sign of zero is kept.
float round_half_even(float x);
double round_half_even(double x);

/// f64 kernels of the above, for those who need more than f32 (relative error below 2^-45).
double exp(double x);
double log(double x);

}  // namespace pimento::math
