// Convolution: a contraction of windows with weights. Transposed convolution is a convolution of the input with zeros
// between its elements.
#include <fmt/format.h>

#include "compiler/ops/products.hpp"

namespace pimento::ops {
namespace {

/// Floats keep their type; products of 8-bit integers are summed and given in i32.
ElementType product_type(ElementType type) { return is_float(type) ? type : ElementType::i32; }

void check_weight(const Call& c) {
  const bool both_real = is_float(c.element(0)) && c.element(0) == c.element(1);
  const bool both_bytes =
      !is_float(c.element(0)) && size_of(c.element(0)) == 1 && !is_float(c.element(1)) && size_of(c.element(1)) == 1;
  if (!both_real && !both_bytes)
    c.refuse(1, fmt::format("a type that multiplies with {}", to_string(c.element(0))),
             std::string(to_string(c.element(1))));
  c.require_rank(1, c.rank(0), "as X has");
}
void check_bias(const Call& c, std::int64_t channels) {
  if (!c.has(2)) return;
  if (c.shape(2) != Shape{channels}) c.refuse(2, fmt::format("shape [{}]", channels), to_string(c.shape(2)));
  if (const auto type = product_type(c.element(0)); c.element(2) != type)
    c.refuse(2, std::string(to_string(type)), std::string(to_string(c.element(2))));
}
/// Checks the ONNX attribute kernel_shape, which only repeats the weight's shape, and drops it.
void drop_kernel_shape(OnnxNode& n) {
  n.require_rank(1, n.rank(0), "as X has");
  const auto written = n.take_integers("kernel_shape");
  if (written && *written != kernel_of(n))
    n.refuse("kernel_shape", to_string(kernel_of(n)) + ", as the weight has", to_string(*written));
}
/// An operand of a product, widened, less its zero point.
Expr less(const Expr& e, const Expr& zero) { return zero ? e - ir::cast(e.type(), zero) : e; }

}  // namespace

Shape kernel_of(const Call& c) { return from_dimension(c.shape(1), 2); }

void normalise_convolution(OnnxNode& n) {
  drop_kernel_shape(n);
  normalise_window(n, kernel_of(n));
}

Shape convolution_shape(const Call& c) {
  c.require_rank(1, c.rank(0), "as X has");
  const auto group = c.integer("group");
  if (c.dim(0, 1) != c.dim(1, 1) * group)
    c.refuse(0, fmt::format("{} channels, as W has in {} group{}", c.dim(1, 1) * group, group, group == 1 ? "" : "s"),
             std::to_string(c.dim(0, 1)));
  if (c.dim(1, 0) % group != 0)
    c.refuse(1, fmt::format("a multiple of {} filters", group), std::to_string(c.dim(1, 0)));
  return join({c.dim(0, 0), c.dim(1, 0)}, Window(c, kernel_of(c)).output);
}

void convolution(const Call& c, Sequence& s, const ProductForm& form) {
  const Window w(c, kernel_of(c));
  const auto groups = c.integer("group"), group_in = c.dim(1, 1), group_out = c.dim(1, 0) / groups;
  s.kernel(c.op().name, [&](Formula& k) {
    const auto n = k.parallel("n", c.dim(0, 0));
    const auto g = groups > 1 ? k.parallel("g", groups) : Expr{};
    const auto filter = groups > 1 && group_out == 1 ? Expr{} : k.parallel("m", group_out);
    const auto y = k.parallel_axes("y", w.output);
    const auto ci = k.reduction("c", group_in);
    const auto ky = k.reduction_axes("k", w.kernel);
    const auto m = mixed(g, group_out, filter);
    const auto X = k.read(s.input(0)), W = k.read(s.input(1));
    const auto wide = accumulator_type(X.type().type);
    const auto channel = groups > 1 && group_in == 1 ? g : mixed(g, group_in, ci);
    const auto in = X.at(join({n, channel}, w.source(y, ky)), static_cast<double>(form.left_zero));
    const auto left = less(ir::cast(wide, in), form.left_zero != 0 ? ir::index(form.left_zero) : Expr{});
    const auto right = less(ir::cast(wide, W.at(join({m, ci}, ky))), zero_of(form.right_zero, m));
    auto sum = k.sum(left * right);
    if (form.bias >= 0) sum = sum + ir::cast(wide, k.read(s.input(form.bias)).at({m}));
    const auto Y = k.write_to(s.output());
    k.write(Y, join({n, m}, y), as(Y, form.finish ? form.finish(sum, m) : sum));
  });
}

namespace {

std::vector<TensorType> infer_conv(const Call& c) {
  check_weight(c);
  const auto shape = convolution_shape(c);
  check_bias(c, c.dim(1, 0));
  return {{product_type(c.element()), shape}};
}

OP({
    .name = "conv",
    .summary =
        "Y[n, m, y] = sum of X[n, c, y * stride + k * dilation - pad] * W[m, c, k], + B[m]; 8-bit integers give i32",
    .onnx = {{"Conv", 1, 0, normalise_convolution}},
    .inputs = {in("X", Types::numeric), in("W", Types::numeric), maybe(in("B", Types::numeric))},
    .attributes = {integers("strides").at_least(1), integers("dilations").at_least(1), integers("pads").at_least(0),
                   integer("group", 1).at_least(1)},
    .infer = infer_conv,
    .kernels = [](const Call& c, Sequence& s) { convolution(c, s, {.right_zero = {}, .bias = c.has(2) ? 2 : -1}); },
});

// --- transposed ------------------------------------------------------------------------------------------------------
// Y[o] = sum over k with o = i * stride + k * dilation - pad of X[i] * W[k].

void normalise_conv_transpose(OnnxNode& n) {
  n.require_rank_at_least(0, 3);
  drop_kernel_shape(n);
  const auto kernel = kernel_of(n);
  const auto input = from_dimension(n.shape(0), 2);
  const auto rank = kernel.size();
  const auto given_pads = n.take_integers("pads");
  const auto strides = n.take_integers("strides").value_or(Shape(rank, 1));
  const auto dilations = n.take_integers("dilations").value_or(Shape(rank, 1));
  const auto extra = n.take_integers("output_padding").value_or(Shape(rank, 0));
  auto output = n.take_integers("output_shape");
  const auto automatic = n.take_text("auto_pad", "NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID" && !automatic.empty())
    n.refuse("auto_pad", "NOTSET, SAME_UPPER, SAME_LOWER or VALID", "'" + automatic + "'");
  if (strides.size() != rank || dilations.size() != rank || extra.size() != rank || input.size() != rank)
    n.refuse(fmt::format("{} strides, dilations and output_padding", rank), to_string(strides));
  if (output && output->size() == rank + 2) output->erase(output->begin(), output->begin() + 2);
  if (output && output->size() != rank) n.refuse("output_shape", fmt::format("{} values", rank), to_string(*output));
  auto pads = given_pads && automatic != "VALID" ? *given_pads : Shape(2 * rank, 0);
  if (pads.size() != 2 * rank) n.refuse("pads", fmt::format("{} values", 2 * rank), to_string(pads));
  if (same || output) {
    for (std::size_t d = 0; d < rank; ++d) {
      const auto wanted = output ? (*output)[d] : input[d] * strides[d];
      const auto total = (input[d] - 1) * strides[d] + extra[d] + (kernel[d] - 1) * dilations[d] + 1 - wanted;
      // A negative total widens the output at its end; ONNX puts the odd element at the end only for SAME_UPPER.
      const auto half = total / 2;
      pads[d] = total < 0 ? 0 : automatic == "SAME_UPPER" ? half : total - half;
      pads[rank + d] = total - pads[d];
    }
  }
  n.put("strides", strides);
  n.put("dilations", dilations);
  n.put("pads", pads);
  n.put("output_padding", extra);
}

struct Transposed {
  Shape kernel, input, output;
  std::vector<std::int64_t> strides, dilations, begins;
  explicit Transposed(const Call& c) : kernel(kernel_of(c)), input(from_dimension(c.shape(0), 2)) {
    const auto rank = kernel.size();
    strides = c.integers("strides");
    dilations = c.integers("dilations");
    const auto& pads = c.integers("pads");
    const auto& extra = c.integers("output_padding");
    if (strides.size() != rank) c.refuse("strides", fmt::format("{} values", rank), to_string(strides));
    if (dilations.size() != rank) c.refuse("dilations", fmt::format("{} values", rank), to_string(dilations));
    if (pads.size() != 2 * rank) c.refuse("pads", fmt::format("{} values", 2 * rank), to_string(pads));
    if (extra.size() != rank) c.refuse("output_padding", fmt::format("{} values", rank), to_string(extra));
    for (std::size_t d = 0; d < rank; ++d) {
      begins.push_back(pads[d]);
      output.push_back((input[d] - 1) * strides[d] + extra[d] + (kernel[d] - 1) * dilations[d] + 1 - pads[d] -
                       pads[rank + d]);
      if (output.back() < 0) c.refuse("pads", "an output extent of 0 or more", std::to_string(output.back()));
    }
  }
  bool strided() const {
    return std::any_of(strides.begin(), strides.end(), [](std::int64_t s) { return s > 1; });
  }
};

std::vector<TensorType> infer_conv_transpose(const Call& c) {
  c.require_rank_at_least(0, 3);
  check_weight(c);
  const auto group = c.integer("group");
  if (c.dim(0, 1) != c.dim(1, 0))
    c.refuse(0, fmt::format("{} channels, as W has", c.dim(1, 0)), std::to_string(c.dim(0, 1)));
  if (c.dim(0, 1) % group != 0)
    c.refuse(0, fmt::format("a multiple of {} channels", group), std::to_string(c.dim(0, 1)));
  check_bias(c, c.dim(1, 1) * group);
  return {{product_type(c.element()), join({c.dim(0, 0), c.dim(1, 1) * group}, Transposed(c).output)}};
}

/// X with stride - 1 zeros between its elements: what the contraction then reads is an affine window.
Place spread(const Call& c, Sequence& s, const Transposed& t) {
  Shape wide;
  for (std::size_t d = 0; d < t.input.size(); ++d) wide.push_back((t.input[d] - 1) * t.strides[d] + 1);
  const auto S = s.temporary("spread", {c.element(), join({c.dim(0, 0), c.dim(0, 1)}, wide)});
  s.kernel("conv_transpose_spread", [&](Formula& k) {
    const auto n = k.parallel("n", c.dim(0, 0)), ci = k.parallel("c", c.dim(0, 1));
    const auto i = k.parallel_axes("i", t.input);
    Axes to{n, ci};
    for (std::size_t d = 0; d < i.size(); ++d) to.push_back(scaled(i[d], t.strides[d]));
    const auto X = k.read(s.input(0));
    k.write(k.write_to(S), to, X.at(join({n, ci}, i)));
  });
  return S;
}

void conv_transpose_kernels(const Call& c, Sequence& s) {
  const Transposed t(c);
  const auto groups = c.integer("group"), group_in = c.dim(0, 1) / groups, group_out = c.dim(1, 1);
  const auto source = t.strided() ? spread(c, s, t) : s.input(0);
  s.kernel("conv_transpose", [&](Formula& k) {
    const auto n = k.parallel("n", c.dim(0, 0));
    const auto g = groups > 1 ? k.parallel("g", groups) : Expr{};
    const auto filter = groups > 1 && group_out == 1 ? Expr{} : k.parallel("m", group_out);
    const auto y = k.parallel_axes("y", t.output);
    const auto ci = k.reduction("c", group_in);
    const auto ky = k.reduction_axes("k", t.kernel);
    const auto channel = mixed(g, group_in, ci), m = mixed(g, group_out, filter);
    Axes at{n, channel};
    for (std::size_t d = 0; d < y.size(); ++d) at.push_back(shifted(y[d] - scaled(ky[d], t.dilations[d]), t.begins[d]));
    const auto X = k.read(source), W = k.read(s.input(1));
    const auto wide = accumulator_type(X.type().type);
    const auto local = filter ? filter : ir::index(0);
    auto sum = k.sum(ir::cast(wide, X.at(at, 0.0)) * ir::cast(wide, W.at(join({channel, local}, ky))));
    if (c.has(2)) sum = sum + ir::cast(wide, k.read(s.input(2)).at({m}));
    const auto Y = k.write_to(s.output());
    k.write(Y, join({n, m}, y), as(Y, sum));
  });
}

OP({
    .name = "conv_transpose",
    .summary = "Y[n, m, o] = sum of X[n, c, i] * W[c, m, k] where o = i * stride + k * dilation - pad, + B[m]",
    .onnx = {{"ConvTranspose", 1, 0, normalise_conv_transpose}},
    .inputs = {in("X", Types::numeric), in("W", Types::numeric), maybe(in("B", Types::numeric))},
    .attributes = {integers("strides").at_least(1), integers("dilations").at_least(1), integers("pads"),
                   integers("output_padding").at_least(0), integer("group", 1).at_least(1)},
    .infer = infer_conv_transpose,
    .kernels = conv_transpose_kernels,
});

}  // namespace
}  // namespace pimento::ops
