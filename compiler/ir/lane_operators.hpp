#pragma once
// The blocked path, part 3: operators on arrays of lanes.
#include "compiler/ir/expr.hpp"

namespace pimento::ir {

/// Rounds f16 and bf16 results, wraps narrow integers; f32 and i64 stay.
void settle(ElementType type, float* x, int lanes);
void settle(ElementType type, std::int64_t* x, int lanes);

void lanes_unary(UnaryOp op, float* to, const float* a, int lanes);
void lanes_unary(UnaryOp op, std::int64_t* to, const std::int64_t* a, ElementType type, int lanes);
void lanes_test(UnaryOp op, std::int64_t* to, const float* a, int lanes);  ///< is_nan, is_inf
void lanes_binary(BinaryOp op, float* to, const float* a, const float* b, int lanes);
void lanes_binary(BinaryOp op, std::int64_t* to, const std::int64_t* a, const std::int64_t* b, ElementType type,
                  int lanes);
void lanes_compare(BinaryOp op, std::int64_t* to, const float* a, const float* b, int lanes);
void lanes_compare(BinaryOp op, std::int64_t* to, const std::int64_t* a, const std::int64_t* b, int lanes);
void lanes_cast(ElementType to_type, std::int64_t* to, const float* a, int lanes);
void lanes_cast(ElementType to_type, float* to, const std::int64_t* a, int lanes);

/// first[(i * stride)] for each lane, as computing form.
void lanes_gather(ElementType type, float* to, const std::byte* first, std::int64_t stride, int lanes);
void lanes_gather(ElementType type, std::int64_t* to, const std::byte* first, std::int64_t stride, int lanes);
void lanes_scatter(ElementType type, const float* from, std::byte* first, std::int64_t stride, int lanes);
void lanes_scatter(ElementType type, const std::int64_t* from, std::byte* first, std::int64_t stride, int lanes);

}  // namespace pimento::ir
