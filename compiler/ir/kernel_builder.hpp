#pragma once
// Writes a kernel so that it reads like the formula:
//
//   KernelBuilder k("conv");
//   auto n = k.parallel("n", 1), m = k.parallel("m", 64), y = k.parallel("y", 56), x = k.parallel("x", 56);
//   auto c = k.reduction("c", 64), ky = k.reduction("ky", 3), kx = k.reduction("kx", 3);
//   auto X = k.input("X", {f32, {1, 64, 56, 56}}), W = k.input("W", {f32, {64, 64, 3, 3}}), Y = k.output("Y", {f32, {1,
//   64, 56, 56}}); auto acc = k.sum(X.at({n, c, y + ky - 1, x + kx - 1}, 0) * W.at({m, c, ky, kx})); k.write(Y, {n, m,
//   y, x}, acc); Kernel conv = k.build();        // verified: InternalError with the verifier's message otherwise
#include "compiler/ir/kernel.hpp"

namespace pimento::ir {

class KernelBuilder {
 public:
  /// Handle of an operand.
  class Tensor {
   public:
    /// Read; leaving the tensor is an error.
    Expr at(std::vector<Expr> indices) const;
    /// Read; `outside` where an index leaves the tensor.
    Expr at(std::vector<Expr> indices, double outside) const;
    /// Read; indices are clamped into the tensor.
    Expr clamped(std::vector<Expr> indices) const;
    int operand() const { return operand_; }
    const TensorType& type() const { return type_; }

   private:
    friend class KernelBuilder;
    int operand_ = -1;
    TensorType type_;
  };
  struct WriteOptions {
    WriteRule rule = WriteRule::assign;
    Expr guard = {};
    OutOfRange out_of_range = OutOfRange::error;
    int starts_from = -1;  ///< operand(): the output's content before the first write
  };

  explicit KernelBuilder(std::string name);
  Expr parallel(std::string name, std::int64_t extent);
  Expr reduction(std::string name, std::int64_t extent);
  Expr carried(std::string name, std::int64_t extent);
  /// One parallel axis per dimension, named prefix0, prefix1, ...
  std::vector<Expr> parallel_axes(const std::string& prefix, const Shape& shape);
  std::vector<Expr> reduction_axes(const std::string& prefix, const Shape& shape);

  Tensor input(std::string name, TensorType type);
  Tensor output(std::string name, TensorType type);

  /// Accumulators; the result is the accumulated value, of the body's type.
  Expr accumulate(Combiner combiner, const Expr& body, Expr guard = {});
  Expr sum(const Expr& body, Expr guard = {}) { return accumulate(Combiner::add, body, std::move(guard)); }
  Expr maximum(const Expr& body, Expr guard = {}) { return accumulate(Combiner::max, body, std::move(guard)); }
  Expr minimum(const Expr& body, Expr guard = {}) { return accumulate(Combiner::min, body, std::move(guard)); }
  /// (best value, its index): the tuple combiner of ArgMax and ArgMin. Ties keep the first, or the last if asked. A NaN
  /// is taken only when it comes first.
  std::pair<Expr, Expr> arg_best(BinaryOp better /* gt or lt */, const Expr& value, const Expr& at,
                                 bool last_wins = false);
  /// General accumulator; `merge` receives (accumulated, incoming).
  Expr merge(const Expr& body, Scalar initial, const std::function<Expr(const Expr&, const Expr&)>& merge);

  /// A carried state: its value before the step. Give `next` with `advance`.
  Expr state(std::string name, const Expr& initial);
  void advance(const Expr& state, const Expr& next);

  void write(const Tensor& output, std::vector<Expr> map, const Expr& value);
  void write(const Tensor& output, std::vector<Expr> map, const Expr& value, const WriteOptions& options);

  Kernel build() const;

 private:
  Expr axis(std::string name, std::int64_t extent, AxisKind kind);
  Kernel kernel_;
};

}  // namespace pimento::ir
