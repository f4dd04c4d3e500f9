// Window functions: a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), where n is the size, or one less when symmetric.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

OnnxForm form(const std::string& onnx, double a0, double a1, double a2) {
  return {onnx, 17, 0, [=](OnnxNode& n) {
            const auto size = n.known_integers(0);
            if (!size || size->size() != 1 || size->front() < 0) n.refuse(0, "one size of 0 or more", "another value");
            const auto type = element_type_of_onnx(n.take_integer("output_datatype", 1));
            if (!type || !is_float(*type)) n.refuse("output_datatype", "a float type", "another");
            n.put("type", std::string(to_string(*type)));
            n.put("size", size->front());
            n.put("coefficients", std::vector<double>{a0, a1, a2});
            n.keep_inputs(0);
          }};
}

OP({
    .name = "signal_window",
    .summary = "a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n)",
    .onnx = {form("HannWindow", 0.5, 0.5, 0), form("HammingWindow", 25.0 / 46, 21.0 / 46, 0),
             form("BlackmanWindow", 0.42, 0.5, 0.08)},
    .inputs = {},
    .attributes = {integer("size").at_least(0), flag("periodic", true), reals("coefficients"),
                   text("type", {"f32", "f16", "bf16"})},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      if (c.reals("coefficients").size() != 3)
        c.refuse("coefficients", "3 values", std::to_string(c.reals("coefficients").size()));
      return {{*parse_element_type(c.text("type")), {c.integer("size")}}};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          constexpr double turn = 6.283185307179586;
          const auto size = c.integer("size");
          const auto n = static_cast<double>(std::max<std::int64_t>(c.flag("periodic") ? size : size - 1, 1));
          const auto& a = c.reals("coefficients");
          s.kernel("signal_window", [&](Formula& k) {
            const auto i = k.parallel("i", size);
            const auto angle = ir::cast(ElementType::f32, i) * (turn / n);
            auto value = a[0] - ir::unary(ir::UnaryOp::cos, angle) * a[1];
            if (a[2] != 0) value = value + ir::unary(ir::UnaryOp::cos, angle * 2.0) * a[2];
            const auto Y = k.write_to(s.output());
            k.write(Y, {i}, as(Y, value));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
