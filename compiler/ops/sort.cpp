// The operators that sort: library kernels, since they are no loop nest.
#include <fmt/format.h>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

void normalise_top_k(OnnxNode& n) {
  std::optional<std::vector<std::int64_t>> count;
  if (n.given("k")) count = std::vector<std::int64_t>{n.take_integer("k", 0)};
  if (!count) count = n.known_integers(1);
  if (!count || count->size() != 1) n.refuse("k", "one number", "none or several");
  n.put("k", count->front());
  n.put_axis("axis", -1, n.rank());
  n.drop("sorted");  // sorted is one of the orders that unsorted allows
  n.keep_inputs(1);
}

std::vector<TensorType> infer_top_k(const Call& c) {
  const auto axis = c.axis("axis", c.rank());
  if (c.integer("k") > c.dim(0, axis))
    c.refuse("k", fmt::format("at most {}, the extent of dimension {}", c.dim(0, axis), axis),
             std::to_string(c.integer("k")));
  auto shape = c.shape();
  shape[static_cast<std::size_t>(axis)] = c.integer("k");
  return {{c.element(), shape}, {ElementType::i64, shape}};
}

void top_k_kernels(const Call& c, Sequence& s) {
  const auto types = infer_top_k(c);
  const auto place = [&](int i, const char* name) {
    return c.wants(i) ? s.output(i) : s.temporary(name, types[static_cast<std::size_t>(i)]);
  };
  const auto X = s.input(0), values = place(0, "values"), indices = place(1, "indices");
  s.call_library({.name = "topk",
                  .attributes = {{"axis", c.integer("axis")}, {"k", c.integer("k")}, {"largest", c.integer("largest")}},
                  .operands = {{"X", X.type, ir::OperandRole::input},
                               {"Values", values.type, ir::OperandRole::output},
                               {"Indices", indices.type, ir::OperandRole::output}}},
                 {X.slot, values.slot, indices.slot});
}

OP({
    .name = "top_k",
    .summary = "the k largest (or smallest) elements along the axis in order, and their positions; of equals the first",
    .onnx = {{"TopK", 1, 0, normalise_top_k}},
    .inputs = {in("X", Types::numeric)},
    .outputs = {"Values", "Indices"},
    .attributes = {integer("axis").at_least(0), integer("k").at_least(0), flag("largest", true)},
    .infer = infer_top_k,
    .kernels = top_k_kernels,
});

}  // namespace
}  // namespace pimento::ops
