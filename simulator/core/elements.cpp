#include "simulator/core/elements.hpp"

namespace pimento::sim {

void load_integers(ElementType type, const std::uint8_t* from, int n, std::int64_t* to) {
  switch (type) {
    case ElementType::u8:
    case ElementType::boolean:
      return load_as<std::uint8_t>(from, n, to);
    case ElementType::i8:
      return load_as<std::int8_t>(from, n, to);
    case ElementType::u16:
      return load_as<std::uint16_t>(from, n, to);
    case ElementType::i16:
      return load_as<std::int16_t>(from, n, to);
    case ElementType::u32:
      return load_as<std::uint32_t>(from, n, to);
    case ElementType::i32:
      return load_as<std::int32_t>(from, n, to);
    case ElementType::i64:
      return load_as<std::int64_t>(from, n, to);
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::f32:
      break;
  }
}

void store_integers(ElementType type, const std::int64_t* from, int n, std::uint8_t* to) {
  switch (type) {
    case ElementType::u8:
    case ElementType::i8:
      return store_as<std::uint8_t>(from, n, to);
    case ElementType::boolean:
      for (int i = 0; i < n; ++i) to[i] = from[i] != 0 ? 1 : 0;
      return;
    case ElementType::u16:
    case ElementType::i16:
      return store_as<std::uint16_t>(from, n, to);
    case ElementType::u32:
    case ElementType::i32:
      return store_as<std::uint32_t>(from, n, to);
    case ElementType::i64:
      return store_as<std::int64_t>(from, n, to);
    case ElementType::f16:
    case ElementType::bf16:
    case ElementType::f32:
      break;
  }
}

void load_floats(ElementType type, const std::uint8_t* from, int n, float* to) {
  switch (type) {
    case ElementType::u8:
    case ElementType::boolean:
      return load_as<std::uint8_t>(from, n, to);
    case ElementType::i8:
      return load_as<std::int8_t>(from, n, to);
    case ElementType::u16:
      return load_as<std::uint16_t>(from, n, to);
    case ElementType::i16:
      return load_as<std::int16_t>(from, n, to);
    case ElementType::u32:
      return load_as<std::uint32_t>(from, n, to);
    case ElementType::i32:
      return load_as<std::int32_t>(from, n, to);
    case ElementType::i64:
      return load_as<std::int64_t>(from, n, to);
    case ElementType::f32:
      std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
      return;
    case ElementType::f16:
    case ElementType::bf16:
      for (int i = 0; i < n; ++i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, from + 2 * i, 2);
        to[i] = type == ElementType::f16 ? f16_to_f32(bits) : bf16_to_f32(bits);
      }
      return;
  }
}

void store_floats(ElementType type, const float* from, int n, std::uint8_t* to) {
  if (type == ElementType::f32) {
    std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
    return;
  }
  for (int i = 0; i < n; ++i) {
    const std::uint16_t bits = type == ElementType::f16 ? f32_to_f16(from[i]) : f32_to_bf16(from[i]);
    std::memcpy(to + 2 * i, &bits, 2);
  }
}

}  // namespace pimento::sim
