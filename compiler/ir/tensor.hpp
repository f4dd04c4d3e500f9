#pragma once
// A tensor is a type, a shape and shared bytes in row-major order. Copies share the bytes; writing through
// `mutable_bytes` first makes them our own, so a constant that views a memory-mapped file is never written.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "isa/support/types.hpp"

namespace pimento::ir {

using Shape = std::vector<std::int64_t>;
/// Number of elements; 1 for rank 0, 0 when one extent is 0.
std::int64_t element_count(const Shape& shape);
/// Row-major strides in elements.
Shape row_major_strides(const Shape& shape);

struct TensorType {
  ElementType type = ElementType::f32;
  Shape shape;
  std::int64_t elements() const { return element_count(shape); }
  Bytes bytes() const { return elements() * size_of(type); }
  bool operator==(const TensorType&) const = default;
};
/// "f32[1,3,224,224]"; rank 0 is "f32[]".
std::string to_string(const TensorType& type);

/// One value of one element type. Floats hold a value that their type can represent (f16 and bf16 included);
/// integers and bool (0 or 1) are held in `integer`.
struct Scalar {
  ElementType type = ElementType::f32;
  std::int64_t integer = 0;
  float real = 0;

  static Scalar of(ElementType type, std::int64_t value);  ///< wraps (integers) or rounds (floats) to the type
  static Scalar of_real(ElementType type, double value);   ///< rounds half to even; integers: truncates and saturates
  double as_double() const { return is_float(type) ? static_cast<double>(real) : static_cast<double>(integer); }
  /// Same type and same bits (so NaN equals NaN, and 0.0 differs from -0.0).
  bool operator==(const Scalar& other) const;
};
/// Shortest text that reads back as the same value: "3", "-0.5", "inf", "nan", "true"; floats always hold '.', 'e' or a
/// letter.
std::string to_string(const Scalar& value);

/// Wraps an integer to the width of its type (bool: 0 or 1 for non-zero).
std::int64_t wrap(ElementType type, std::int64_t value);
/// Rounds to a float type (f16, bf16: half to even).
float round_to(ElementType type, float value);

class Tensor {
 public:
  Tensor() = default;
  /// All zero, owned.
  static Tensor zeros(TensorType type);
  /// Shares `bytes` (at least type.bytes() long) without copying; the pointer keeps its owner alive (a mapped file,
  /// say).
  static Tensor view(TensorType type, std::shared_ptr<const std::byte> bytes);
  /// Copies `bytes`, which must be type.bytes() long.
  static Tensor copy(TensorType type, std::span<const std::byte> bytes);
  /// Rounds or wraps each value to the element type; there must be type.elements() of them.
  static Tensor of(TensorType type, const std::vector<double>& values);
  static Tensor of_integers(TensorType type, const std::vector<std::int64_t>& values);
  static Tensor filled(TensorType type, const Scalar& value);
  static Tensor scalar(const Scalar& value) { return filled({value.type, {}}, value); }

  const TensorType& type() const { return type_; }
  const Shape& shape() const { return type_.shape; }
  ElementType element_type() const { return type_.type; }
  std::int64_t elements() const { return type_.elements(); }
  bool empty_handle() const { return bytes_ == nullptr; }

  const std::byte* bytes() const { return bytes_.get(); }
  std::span<const std::byte> byte_span() const { return {bytes_.get(), static_cast<std::size_t>(type_.bytes())}; }
  /// Makes the bytes this handle's own (a copy when they are shared or a view) and returns them for writing.
  std::byte* mutable_bytes();
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(bytes_.get());
  }
  template <class T>
  T* mutable_data() {
    return reinterpret_cast<T*>(mutable_bytes());
  }

  /// Element at a row-major position.
  Scalar at(std::int64_t flat) const;
  void set(std::int64_t flat, const Scalar& value);
  std::vector<double> to_doubles() const;
  std::vector<std::int64_t> to_integers() const;  ///< floats are truncated and saturate

  /// The same bytes under another shape with as many elements.
  Tensor reshaped(Shape shape) const;
  /// Same type, shape and bytes.
  bool operator==(const Tensor& other) const;

 private:
  TensorType type_;
  std::shared_ptr<const std::byte> bytes_;
  bool owned_ = false;
};

}  // namespace pimento::ir
