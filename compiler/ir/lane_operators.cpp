#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "compiler/ir/lane_operators.hpp"

#include "compiler/ir/element_access.hpp"
#include "compiler/ir/scalar_operators.hpp"

namespace pimento::ir {
namespace {

template <class To, class From, class F>
void map(To* to, const From* a, int lanes, const F& f) {
  for (int i = 0; i < lanes; ++i) to[i] = static_cast<To>(f(a[i]));
}
template <class To, class From, class F>
void map(To* to, const From* a, const From* b, int lanes, const F& f) {
  for (int i = 0; i < lanes; ++i) to[i] = static_cast<To>(f(a[i], b[i]));
}

}  // namespace

void settle(ElementType type, float* x, int lanes) {
  if (type == ElementType::f32) return;
  map(x, x, lanes, [&](float v) { return round_to(type, v); });
}
void settle(ElementType type, std::int64_t* x, int lanes) {
  if (type == ElementType::i64) return;
  with_element_type(type, [&]<class A>(A) {
    if constexpr (!A::real) map(x, x, lanes, [](std::int64_t v) { return A::load(A::store(v)); });
  });
}

// The operator is a compile-time constant inside each case, so the switch in the scalar function folds away.
#define UNARY(name, domain, meaning) \
  case UnaryOp::name:                \
    return map(to, a, lanes, [](float x) { return real_unary(UnaryOp::name, x); });
void lanes_unary(UnaryOp op, float* to, const float* a, int lanes) {
  switch (op) {
#include "compiler/ir/operators.def"
  }
}
#undef UNARY
void lanes_unary(UnaryOp op, std::int64_t* to, const std::int64_t* a, ElementType type, int lanes) {
  map(to, a, lanes, [&](std::int64_t x) { return integer_unary(op, x, type); });
  settle(type, to, lanes);
}
void lanes_test(UnaryOp op, std::int64_t* to, const float* a, int lanes) {
  map(to, a, lanes, [&](float x) { return op == UnaryOp::is_nan ? std::isnan(x) : std::isinf(x); });
}

#define BINARY(name, text, kind, domain, meaning) \
  case BinaryOp::name:                            \
    return map(to, a, b, lanes, [](float x, float y) { return real_binary(BinaryOp::name, x, y); });
void lanes_binary(BinaryOp op, float* to, const float* a, const float* b, int lanes) {
  switch (op) {
#include "compiler/ir/operators.def"
  }
}
#undef BINARY
#define BINARY(name, text, kind, domain, meaning)                                                                     \
  case BinaryOp::name:                                                                                                \
    map(to, a, b, lanes, [&](std::int64_t x, std::int64_t y) { return integer_binary(BinaryOp::name, x, y, type); }); \
    break;
void lanes_binary(BinaryOp op, std::int64_t* to, const std::int64_t* a, const std::int64_t* b, ElementType type,
                  int lanes) {
  switch (op) {
#include "compiler/ir/operators.def"
  }
  settle(type, to, lanes);
}
#undef BINARY

namespace {
template <class T>
void compare_lanes(BinaryOp op, std::int64_t* to, const T* a, const T* b, int lanes) {
  switch (op) {
    case BinaryOp::eq:
      return map(to, a, b, lanes, [](T x, T y) { return x == y; });
    case BinaryOp::ne:
      return map(to, a, b, lanes, [](T x, T y) { return x != y; });
    case BinaryOp::lt:
      return map(to, a, b, lanes, [](T x, T y) { return x < y; });
    case BinaryOp::le:
      return map(to, a, b, lanes, [](T x, T y) { return x <= y; });
    case BinaryOp::gt:
      return map(to, a, b, lanes, [](T x, T y) { return x > y; });
    default:
      return map(to, a, b, lanes, [](T x, T y) { return x >= y; });
  }
}
}  // namespace

void lanes_compare(BinaryOp op, std::int64_t* to, const float* a, const float* b, int lanes) {
  compare_lanes(op, to, a, b, lanes);
}
void lanes_compare(BinaryOp op, std::int64_t* to, const std::int64_t* a, const std::int64_t* b, int lanes) {
  compare_lanes(op, to, a, b, lanes);
}

void lanes_cast(ElementType to_type, std::int64_t* to, const float* a, int lanes) {
  map(to, a, lanes, [&](float x) { return Scalar::of_real(to_type, static_cast<double>(x)).integer; });
}
void lanes_cast(ElementType to_type, float* to, const std::int64_t* a, int lanes) {
  map(to, a, lanes, [](std::int64_t x) { return static_cast<float>(x); });
  settle(to_type, to, lanes);
}

namespace {
template <class Seen>
void gather(ElementType type, Seen* to, const std::byte* first, std::int64_t stride, int lanes) {
  with_element_type(type, [&]<class A>(A) {
    if constexpr (std::is_same_v<typename A::Seen, Seen>) {
      const auto* from = reinterpret_cast<const typename A::Stored*>(first);
      if (stride == 1) {
        for (int i = 0; i < lanes; ++i) to[i] = A::load(from[i]);
      } else {
        for (int i = 0; i < lanes; ++i) to[i] = A::load(from[i * stride]);
      }
    }
  });
}
template <class Seen>
void scatter(ElementType type, const Seen* from, std::byte* first, std::int64_t stride, int lanes) {
  with_element_type(type, [&]<class A>(A) {
    if constexpr (std::is_same_v<typename A::Seen, Seen>) {
      auto* to = reinterpret_cast<typename A::Stored*>(first);
      if (stride == 1) {
        for (int i = 0; i < lanes; ++i) to[i] = A::store(from[i]);
      } else {
        for (int i = 0; i < lanes; ++i) to[i * stride] = A::store(from[i]);
      }
    }
  });
}
}  // namespace

void lanes_gather(ElementType type, float* to, const std::byte* first, std::int64_t stride, int lanes) {
  gather(type, to, first, stride, lanes);
}
void lanes_gather(ElementType type, std::int64_t* to, const std::byte* first, std::int64_t stride, int lanes) {
  gather(type, to, first, stride, lanes);
}
void lanes_scatter(ElementType type, const float* from, std::byte* first, std::int64_t stride, int lanes) {
  scatter(type, from, first, stride, lanes);
}
void lanes_scatter(ElementType type, const std::int64_t* from, std::byte* first, std::int64_t stride, int lanes) {
  scatter(type, from, first, stride, lanes);
}

}  // namespace pimento::ir
