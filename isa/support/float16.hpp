#pragma once
// Conversions between f32 and the 16-bit floats, as bit patterns. Narrowing rounds half to even; overflow gives
// infinity; a NaN becomes the canonical quiet NaN; subnormals are kept.
#include <cstdint>

namespace pimento {

float f16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_f16(float value);
float bf16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_bf16(float value);

}  // namespace pimento
