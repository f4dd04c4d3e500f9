// A new shape for the same elements in the same order: all of them become `reshape` with an explicit shape. And
// `rearrange`, which is a reshape, a transposition and a reshape at once.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/permutation.hpp"
#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

void become_reshape(OnnxNode& n, Shape shape) {
  n.keep_inputs(1);
  n.put("shape", std::move(shape));
  n.node().op = "reshape";
}

/// 0 copies the extent (unless allowzero), -1 takes what is left.
void normalise_reshape(OnnxNode& n) {
  const auto written = n.opset() < 5 ? n.take_integers("shape") : n.known_integers(1);
  const bool allow_zero = n.take_integer("allowzero", 0) != 0;
  if (!written) n.refuse("shape", "the new shape", "none");
  Shape shape = *written;
  const auto elements = n.type(0).elements();
  std::int64_t known = 1;
  auto open = shape.end();
  for (auto it = shape.begin(); it != shape.end(); ++it) {
    if (*it == 0 && !allow_zero) {
      const auto d = it - shape.begin();
      if (d >= n.rank())
        n.refuse(fmt::format("0 in the new shape only on dimensions of X, which has rank {}", n.rank()),
                 to_string(*written));
      *it = n.dim(0, static_cast<int>(d));
    }
    if (*it == -1) {
      if (open != shape.end()) n.refuse("one -1 in the new shape", to_string(*written));
      open = it;
      continue;
    }
    if (*it < -1) n.refuse("extents of -1 or more", to_string(*written));
    if (__builtin_mul_overflow(known, *it, &known))
      n.refuse(fmt::format("a shape of {} elements", elements), to_string(*written));
  }
  if (open != shape.end()) {
    if (known == 0 || elements % known != 0)
      n.refuse(fmt::format("a shape of {} elements", elements), to_string(*written));
    *open = elements / known;
  }
  become_reshape(n, shape);
}

void normalise_flatten(OnnxNode& n) {
  const auto axis = n.take_integer("axis", 1);
  if (axis < -n.rank() || axis > n.rank())
    n.refuse("axis", fmt::format("an axis in [{}, {}]", -n.rank(), n.rank()), std::to_string(axis));
  const auto split = axis < 0 ? axis + n.rank() : axis;
  Shape shape{1, 1};
  for (int d = 0; d < n.rank(); ++d) shape[d < split ? 0 : 1] *= n.dim(0, d);
  become_reshape(n, shape);
}

void normalise_squeeze(OnnxNode& n) {
  const auto written = n.integers_from("axes", 1);
  std::vector<std::int64_t> axes;
  if (written) {
    axes = n.positive_axes(*written, n.rank(), "axes");
  } else {
    for (int d = 0; d < n.rank(); ++d)
      if (n.dim(0, d) == 1) axes.push_back(d);
  }
  Shape shape;
  for (int d = 0; d < n.rank(); ++d) {
    const bool gone = std::find(axes.begin(), axes.end(), d) != axes.end();
    if (gone && n.dim(0, d) != 1)
      n.refuse(0, fmt::format("extent 1 on dimension {}, which is squeezed", d), std::to_string(n.dim(0, d)));
    if (!gone) shape.push_back(n.dim(0, d));
  }
  become_reshape(n, shape);
}

void normalise_unsqueeze(OnnxNode& n) {
  const auto written = n.integers_from("axes", 1);
  if (!written) n.refuse("axes", "the axes to insert", "none");
  auto axes = n.positive_axes(*written, n.rank() + static_cast<int>(written->size()), "axes");
  std::sort(axes.begin(), axes.end());
  Shape shape = n.shape();
  for (const auto axis : axes) shape.insert(shape.begin() + axis, 1);
  become_reshape(n, shape);
}

/// Refuses an attribute that is the shape of other than the elements of X.
void require_same_elements(const Call& c, const std::string& attribute, const Shape& shape) {
  std::int64_t factors = 1;  // of all but 0: an empty tensor may not hide what overflows elsewhere
  bool overflows = false;
  for (const auto extent : shape)
    overflows = overflows || __builtin_mul_overflow(factors, std::max<std::int64_t>(1, extent), &factors);
  if (overflows || ir::element_count(shape) != c.type(0).elements())
    c.refuse(attribute, fmt::format("{} elements, as {} has", c.type(0).elements(), to_string(c.shape())),
             to_string(shape));
}

OP({
    .name = "reshape",
    .summary = "the elements of X in their order, under another shape",
    .onnx = {{"Reshape", 1, 0, normalise_reshape},
             {"Flatten", 1, 0, normalise_flatten},
             {"Squeeze", 1, 0, normalise_squeeze},
             {"Unsqueeze", 1, 0, normalise_unsqueeze}},
    .inputs = {in("X")},
    .attributes = {integers("shape").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const TensorType result{c.element(), c.integers("shape")};
      require_same_elements(c, "shape", result.shape);
      return {result};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("reshape", [&](Formula& k) {
            const auto shape = c.output().shape;
            const auto at = k.over(shape);
            const auto X = k.read(s.input(0), shape);
            k.write(k.write_to(s.output()), at, X.at(at));
          });
        },
});

// --- rearrange -------------------------------------------------------------------------------------------------------

OP({
    .name = "rearrange",
    .summary = "X under the shape `split`, its dimensions permuted, under the shape `shape`",
    .onnx = {},  // what the optimizer makes of reshapes and transpositions in a row
    .inputs = {in("X")},
    .attributes = {integers("split").at_least(0), integers("perm").at_least(0), integers("shape").at_least(0)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      const TensorType split{c.element(), c.integers("split")}, result{c.element(), c.integers("shape")};
      auto sorted = c.integers("perm");
      std::sort(sorted.begin(), sorted.end());
      Shape all;
      for (std::size_t d = 0; d < split.shape.size(); ++d) all.push_back(static_cast<std::int64_t>(d));
      if (sorted != all)
        c.refuse("perm", fmt::format("a permutation of {}", to_string(all)), to_string(c.integers("perm")));
      require_same_elements(c, "split", split.shape);
      require_same_elements(c, "shape", result.shape);
      return {result};
    },
    .kernels =
        [](const Call& c, Sequence& s) {
          s.kernel("rearrange", [&](Formula& k) {
            const auto& perm = c.integers("perm");
            const Shape middle = ir::permuted(c.integers("split"), perm);
            const auto at = k.over(middle);
            Axes from(at.size());
            for (std::size_t d = 0; d < at.size(); ++d) from[static_cast<std::size_t>(perm[d])] = at[d];
            const auto X = k.read(s.input(0), c.integers("split"));
            k.write(k.write_to(s.output(), middle), at, X.at(from));
          });
        },
});

}  // namespace
}  // namespace pimento::ops
