// Matrix products.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ops/products.hpp"

namespace pimento::ops {
namespace {

ElementType product_type(ElementType type) { return is_float(type) || size_of(type) >= 4 ? type : ElementType::i32; }
void check_factors(const Call& c) {
  const bool same = c.element(0) == c.element(1);
  const bool bytes =
      !is_float(c.element(0)) && !is_float(c.element(1)) && size_of(c.element(0)) == 1 && size_of(c.element(1)) == 1;
  if (!same && !bytes)
    c.refuse(1, fmt::format("a type that multiplies with {}", to_string(c.element(0))),
             std::string(to_string(c.element(1))));
}

// --- matmul ----------------------------------------------------------------------------------------------------------

/// The operands as batches of matrices: a vector gets the missing dimension, which the result then lacks.
struct Matrices {
  Shape a, b, batch;  ///< b: as it is multiplied
  bool a_vector, b_vector;
  /// `transposed`: the second operand has its columns as rows.
  explicit Matrices(const Call& c, bool transposed = false)
      : a(c.shape(0)), b(c.shape(1)), a_vector(a.size() == 1), b_vector(b.size() == 1) {
    c.require_rank_at_least(0, 1);
    c.require_rank_at_least(1, transposed ? 2 : 1);
    if (a_vector) a.insert(a.begin(), 1);
    if (b_vector) b.push_back(1);
    if (transposed) std::swap(b[b.size() - 2], b[b.size() - 1]);
    if (inner() != b[b.size() - 2])
      c.refuse(1, std::to_string(inner()) + (transposed ? " columns, as A has" : " rows, as A has columns"),
               std::to_string(b[b.size() - 2]));
    const auto rank = std::max(a.size(), b.size()) - 2;
    for (std::size_t d = 0; d < rank; ++d) {
      const auto ea = extent(a, rank, d), eb = extent(b, rank, d);
      if (ea != eb && ea != 1 && eb != 1)
        c.refuse(1, fmt::format("extent 1 or {} on batch dimension {}, to broadcast", ea, d), std::to_string(eb));
      batch.push_back(ea == 1 ? eb : ea);
    }
  }
  static std::int64_t extent(const Shape& s, std::size_t rank, std::size_t d) {
    return d + s.size() < rank + 2 ? 1 : s[d + s.size() - rank - 2];
  }
  std::int64_t rows() const { return a[a.size() - 2]; }
  std::int64_t columns() const { return b.back(); }
  std::int64_t inner() const { return a.back(); }
  Shape whole() const {
    auto shape = batch;
    shape.push_back(rows());
    shape.push_back(columns());
    return shape;
  }
  Shape result() const {
    auto shape = batch;
    if (!a_vector) shape.push_back(rows());
    if (!b_vector) shape.push_back(columns());
    return shape;
  }
};

Expr less(const Expr& e, const Expr& zero) { return zero ? e - ir::cast(e.type(), zero) : e; }

}  // namespace

Shape matrix_product_shape(const Call& c) { return Matrices(c).result(); }

namespace {
void product(const Call& c, Sequence& s, const ProductForm& form, bool transposed) {
  const Matrices p(c, transposed);
  s.kernel(c.op().name, [&](Formula& k) {
    const auto batch = k.parallel_axes("b", p.batch);
    const auto m = k.parallel("m", p.rows()), n = k.parallel("n", p.columns());
    const auto i = k.reduction("k", p.inner());
    const auto A = k.read(s.input(0), p.a), B = k.read(s.input(1), transposed ? c.shape(1) : p.b);
    const auto wide = accumulator_type(A.type().type);
    // Batch dimensions align at the end, an extent of 1 repeats; matrix dimensions are read as they stand.
    const auto at = [&](const Formula::Operand& t, const Expr& row, const Expr& column) {
      const auto& shape = t.type().shape;
      Axes indices;
      for (std::size_t d = 0; d + 2 < shape.size(); ++d)
        indices.push_back(shape[d] == 1 ? ir::index(0) : batch[batch.size() + 2 - shape.size() + d]);
      indices.push_back(row);
      indices.push_back(column);
      return ir::cast(wide, t.at(indices));
    };
    const auto left = less(at(A, m, i), form.left_zero != 0 ? ir::index(form.left_zero) : Expr{});
    const auto sum = k.sum(left * less(transposed ? at(B, n, i) : at(B, i, n), zero_of(form.right_zero, n)));
    const auto Y = k.write_to(s.output(), p.whole());
    k.write(Y, join(batch, {m, n}), as(Y, form.finish ? form.finish(sum, n) : sum));
  });
}
}  // namespace

void matrix_product(const Call& c, Sequence& s, const ProductForm& form) { product(c, s, form, false); }

namespace {

OP({
    .name = "matmul",
    .summary = "Y[b, m, n] = sum of A[b, m, k] * B[b, k, n]; batches broadcast; 8-bit integers give i32",
    .onnx = {{"MatMul", 1}},
    .inputs = {in("A", Types::numeric), in("B", Types::numeric)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_factors(c);
      return {{product_type(c.element()), Matrices(c).result()}};
    },
    .kernels = [](const Call& c, Sequence& s) { matrix_product(c, s, {}); },
});

OP({
    .name = "matmul_nt",
    .summary = "Y[b, m, n] = sum of A[b, m, k] * B[b, n, k]; else as matmul",
    .onnx = {},  // what the optimizer makes of a product with a transposed factor
    .inputs = {in("A", Types::numeric), in("B", Types::numeric)},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      check_factors(c);
      return {{product_type(c.element()), Matrices(c, true).result()}};
    },
    .kernels = [](const Call& c, Sequence& s) { product(c, s, {}, true); },
});

// --- gemm ------------------------------------------------------------------------------------------------------------

void normalise_gemm(OnnxNode& n) {
  n.drop("broadcast");  // opset 6 and before; from 7 on it always broadcasts
  n.put("trans_a", n.take_integer("transA", 0));
  n.put("trans_b", n.take_integer("transB", 0));
}

std::vector<TensorType> infer_gemm(const Call& c) {
  check_factors(c);
  c.require_rank(0, 2);
  c.require_rank(1, 2);
  const bool ta = c.flag("trans_a"), tb = c.flag("trans_b");
  const auto inner = c.dim(0, ta ? 0 : 1), rows = c.dim(0, ta ? 1 : 0), columns = c.dim(1, tb ? 0 : 1);
  if (inner != c.dim(1, tb ? 1 : 0))
    c.refuse(1, fmt::format("{} on dimension {}, as A has", inner, tb ? 1 : 0), std::to_string(c.dim(1, tb ? 1 : 0)));
  const auto type = product_type(c.element());
  if (c.has(2)) {
    const Shape result{rows, columns};
    const auto& shape = c.shape(2);
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape.size() > 2 || (shape[d] != 1 && shape[d] != result[2 - shape.size() + d]))
        c.refuse(2, "a shape that broadcasts to " + to_string(result), to_string(shape));
    if (c.element(2) != type) c.refuse(2, std::string(to_string(type)), std::string(to_string(c.element(2))));
  }
  if (!is_float(type) && (c.real("alpha") != 1 || c.real("beta") != 1))
    c.refuse("alpha and beta of 1, since the operands are integers",
             fmt::format("{} and {}", c.real("alpha"), c.real("beta")));
  return {{type, {rows, columns}}};
}

void gemm_kernels(const Call& c, Sequence& s) {
  const bool ta = c.flag("trans_a"), tb = c.flag("trans_b");
  const auto type = c.output();
  s.kernel("gemm", [&](Formula& k) {
    const auto m = k.parallel("m", type.shape[0]), n = k.parallel("n", type.shape[1]);
    const auto i = k.reduction("k", c.dim(0, ta ? 0 : 1));
    const auto A = k.read(s.input(0)), B = k.read(s.input(1));
    const auto wide = accumulator_type(A.type().type);
    const auto times = [&](const Expr& e, double factor) { return factor == 1 ? e : e * factor; };
    auto value = times(
        k.sum(ir::cast(wide, A.at(ta ? Axes{i, m} : Axes{m, i})) * ir::cast(wide, B.at(tb ? Axes{n, i} : Axes{i, n}))),
        c.real("alpha"));
    if (c.has(2) && c.real("beta") != 0)
      value = value + times(ir::cast(wide, aligned(k.read(s.input(2)), {m, n})), c.real("beta"));
    const auto Y = k.write_to(s.output());
    k.write(Y, {m, n}, as(Y, value));
  });
}

OP({
    .name = "gemm",
    .summary = "Y = alpha * op(A) * op(B) + beta * C, where op may transpose and C broadcasts",
    .onnx = {{"Gemm", 1, 0, normalise_gemm}},
    .inputs = {in("A", Types::numeric), in("B", Types::numeric), maybe(in("C", Types::numeric))},
    .attributes = {real("alpha", 1), real("beta", 1), flag("trans_a", false), flag("trans_b", false)},
    .infer = infer_gemm,
    .kernels = gemm_kernels,
});

}  // namespace
}  // namespace pimento::ops
