#include "compiler/ir/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/ir/element_access.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

struct Limits {
  std::int64_t low, high;
};
Limits limits(ElementType type) {
  if (type == ElementType::boolean) return {0, 1};
  const int bits = 8 * size_of(type);
  if (!is_signed(type)) return {0, (std::int64_t{1} << bits) - 1};
  return {std::numeric_limits<std::int64_t>::min() >> (64 - bits),
          std::numeric_limits<std::int64_t>::max() >> (64 - bits)};
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const auto extent : shape) count *= extent;
  return count;
}

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string to_string(const TensorType& type) {
  return fmt::format("{}[{}]", to_string(type.type), fmt::join(type.shape, ","));
}

std::int64_t wrap(ElementType type, std::int64_t value) {
  switch (type) {
    case ElementType::u8:
      return static_cast<std::uint8_t>(value);
    case ElementType::i8:
      return static_cast<std::int8_t>(value);
    case ElementType::u16:
      return static_cast<std::uint16_t>(value);
    case ElementType::i16:
      return static_cast<std::int16_t>(value);
    case ElementType::u32:
      return static_cast<std::uint32_t>(value);
    case ElementType::i32:
      return static_cast<std::int32_t>(value);
    case ElementType::boolean:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

float round_to(ElementType type, float value) {
  if (type == ElementType::f16) return f16_to_f32(f32_to_f16(value));
  if (type == ElementType::bf16) return bf16_to_f32(f32_to_bf16(value));
  return value;
}

Scalar Scalar::of(ElementType type, std::int64_t value) {
  Scalar s{type};
  if (is_float(type)) {
    s.real = round_to(type, static_cast<float>(value));
  } else {
    s.integer = wrap(type, value);
  }
  return s;
}

Scalar Scalar::of_real(ElementType type, double value) {
  Scalar s{type};
  if (is_float(type)) {
    s.real = round_to(type, static_cast<float>(value));
  } else if (type == ElementType::boolean) {
    s.integer = value != 0 ? 1 : 0;
  } else if (value == value) {
    const auto [low, high] = limits(type);
    const double whole = std::trunc(value);
    if (whole <= static_cast<double>(low)) {
      s.integer = low;
    } else if (whole >= static_cast<double>(high)) {  // for i64 the limit rounds up to 2^63, which does not fit
      s.integer = high;
    } else {
      s.integer = static_cast<std::int64_t>(whole);
    }
  }
  return s;
}

bool Scalar::operator==(const Scalar& other) const {
  return type == other.type && integer == other.integer &&
         std::bit_cast<std::uint32_t>(real) == std::bit_cast<std::uint32_t>(other.real);
}

std::string to_string(const Scalar& value) {
  if (value.type == ElementType::boolean) return value.integer != 0 ? "true" : "false";
  if (!is_float(value.type)) return fmt::format("{}", value.integer);
  if (std::isnan(value.real)) return "nan";
  std::string text = fmt::format("{}", value.real);
  if (text.find_first_of(".einf") == std::string::npos) text += ".0";
  return text;
}

Tensor Tensor::zeros(TensorType type) {
  Tensor t;
  const auto size = static_cast<std::size_t>(type.bytes());
  // Eight spare bytes keep the pointer of an empty tensor valid.
  const std::shared_ptr<std::byte[]> storage(new std::byte[size + 8]());
  t.bytes_ = std::shared_ptr<const std::byte>(storage, storage.get());
  t.owned_ = true;
  t.type_ = std::move(type);
  return t;
}

Tensor Tensor::view(TensorType type, std::shared_ptr<const std::byte> bytes) {
  Tensor t;
  t.type_ = std::move(type);
  t.bytes_ = std::move(bytes);
  return t;
}

Tensor Tensor::copy(TensorType type, std::span<const std::byte> bytes) {
  PIMENTO_CHECK(static_cast<Bytes>(bytes.size()) == type.bytes(),
                fmt::format("tensor {} takes {} bytes, got {}", to_string(type), type.bytes(), bytes.size()));
  Tensor t = zeros(std::move(type));
  if (!bytes.empty()) std::memcpy(t.mutable_bytes(), bytes.data(), bytes.size());
  return t;
}

Tensor Tensor::of(TensorType type, const std::vector<double>& values) {
  PIMENTO_CHECK(
      static_cast<std::int64_t>(values.size()) == type.elements(),
      fmt::format("tensor {} has {} elements, got {} values", to_string(type), type.elements(), values.size()));
  Tensor t = zeros(std::move(type));
  if (t.element_type() == ElementType::f32) {  // weights: many, and nothing to decide
    auto* raw = t.mutable_data<float>();
    for (std::size_t i = 0; i < values.size(); ++i) raw[i] = static_cast<float>(values[i]);
    return t;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    t.set(static_cast<std::int64_t>(i), Scalar::of_real(t.element_type(), values[i]));
  }
  return t;
}

Tensor Tensor::of_integers(TensorType type, const std::vector<std::int64_t>& values) {
  PIMENTO_CHECK(
      static_cast<std::int64_t>(values.size()) == type.elements(),
      fmt::format("tensor {} has {} elements, got {} values", to_string(type), type.elements(), values.size()));
  Tensor t = zeros(std::move(type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    t.set(static_cast<std::int64_t>(i), Scalar::of(t.element_type(), values[i]));
  }
  return t;
}

Tensor Tensor::filled(TensorType type, const Scalar& value) {
  Tensor t = zeros(std::move(type));
  PIMENTO_CHECK(value.type == t.element_type(),
                fmt::format("tensor {} filled with {}", to_string(t.type()), to_string(value.type)));
  with_element_type(t.element_type(), [&]<class A>(A) {
    typename A::Stored raw;
    if constexpr (A::real) {
      raw = A::store(value.real);
    } else {
      raw = A::store(value.integer);
    }
    std::fill_n(t.mutable_data<typename A::Stored>(), t.elements(), raw);
  });
  return t;
}

std::byte* Tensor::mutable_bytes() {
  if (!owned_ || bytes_.use_count() != 1) {
    Tensor own = zeros(type_);
    if (bytes_ != nullptr && type_.bytes() > 0) {
      std::memcpy(const_cast<std::byte*>(own.bytes_.get()), bytes_.get(), static_cast<std::size_t>(type_.bytes()));
    }
    *this = std::move(own);
  }
  return const_cast<std::byte*>(bytes_.get());  // allocated as mutable bytes by `zeros`
}

Scalar Tensor::at(std::int64_t flat) const {
  return with_element_type(element_type(), [&]<class A>(A) {
    Scalar s{element_type()};
    const auto raw = data<typename A::Stored>()[flat];
    if constexpr (A::real) {
      s.real = A::load(raw);
    } else {
      s.integer = A::load(raw);
    }
    return s;
  });
}

void Tensor::set(std::int64_t flat, const Scalar& value) {
  with_element_type(element_type(), [&]<class A>(A) {
    auto* raw = mutable_data<typename A::Stored>();
    if constexpr (A::real) {
      raw[flat] = A::store(value.real);
    } else {
      raw[flat] = A::store(value.integer);
    }
  });
}

std::vector<double> Tensor::to_doubles() const {
  if (element_type() == ElementType::f32) return {data<float>(), data<float>() + elements()};
  std::vector<double> values(static_cast<std::size_t>(elements()));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(static_cast<std::int64_t>(i)).as_double();
  return values;
}

std::vector<std::int64_t> Tensor::to_integers() const {
  std::vector<std::int64_t> values(static_cast<std::size_t>(elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Scalar s = at(static_cast<std::int64_t>(i));
    values[i] = is_float(s.type) ? Scalar::of_real(ElementType::i64, static_cast<double>(s.real)).integer : s.integer;
  }
  return values;
}

Tensor Tensor::reshaped(Shape shape) const {
  PIMENTO_CHECK(element_count(shape) == elements(),
                fmt::format("reshape of {} to {} elements", to_string(type_), element_count(shape)));
  Tensor t = *this;
  t.type_.shape = std::move(shape);
  return t;
}

bool Tensor::operator==(const Tensor& other) const {
  if (type_ != other.type_) return false;
  if (bytes_ == other.bytes_ || type_.bytes() == 0) return true;
  if (bytes_ == nullptr || other.bytes_ == nullptr) return false;
  return std::memcmp(bytes_.get(), other.bytes_.get(), static_cast<std::size_t>(type_.bytes())) == 0;
}

}  // namespace pimento::ir
