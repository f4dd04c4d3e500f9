#pragma once
// Accumulators as vector instructions. Three ways, by where the elements stand: element after element into an
// accumulator that keeps the output's shape (pooling, depthwise convolution), along the lanes of the vector unit
// (softmax, norms), or as digital vector-matrix products. Sums of stored integers run in i32, maxima in the stored
// type.
#include "compiler/drivers/pim/lower/terms.hpp"

namespace pimento::pim {

/// Integer weights of a contraction's constant operand: real = scales[column] * stored.
struct ColumnScales {
  std::shared_ptr<const std::vector<double>> scales;
  std::vector<std::int64_t> steps;  ///< of the column index, per kernel axis
  std::int64_t origin = 0;
};

class Reduction {
 public:
  /// `domain`: ranges of the parallel axes to compute, reduction axes whole. `dims`: parallel axes, outermost first.
  /// `columns` may be null.
  Reduction(Builder& builder, const Constants& constants, const std::vector<std::optional<Stored>>& operands,
            std::vector<int> dims, Domain domain, Format work, const ColumnScales* columns, std::string node);
  /// The accumulator over the parallel axes of the domain, by kernel axis.
  Stored accumulate(int accumulator);
  /// All accumulators with a merge of their own, which together are one tuple (arg-max: the best and its place).
  std::vector<std::optional<Stored>> merge_tuple();

 private:
  struct Part {
    ir::Expr body;
    Domain domain;
  };
  /// What one element of the body is, before it is taken in.
  struct Body {
    enum class Kind : std::uint8_t { element, product, weighted, general } kind = Kind::general;
    const ir::Load* a = nullptr;
    const ir::Load* b = nullptr;  ///< product
    ir::Expr weight;              ///< weighted
    Format format;                ///< of the accumulator
    double factor = 1;
    bool columns = false;
  };
  struct ArgBest {
    int best = 0, place = 0;
    isa::Opcode lane_opcode = isa::Opcode::vrargmax;
  };
  std::optional<ArgBest> arg_best() const;
  std::optional<std::vector<std::optional<Stored>>> arg_best_along_lanes();
  static Body general(Format format);
  Body classify(const ir::Expr& e, ir::Combiner combiner) const;
  std::vector<Part> parts(const ir::Accumulator& a, bool& nested) const;
  void take_in(const Part& part, const Body& body, ir::Combiner combiner, bool first);
  bool along_lanes(const Part& part, const Body& body, ir::Combiner combiner);
  bool digital_product(const Part& part, const Body& body);
  void reduce_lanes(const Part& part, const Body& body, ir::Combiner combiner, int lane);
  View body_view(Terms& terms, const Part& part, const Body& body);
  View weight_view(Terms& terms, const Body& body);
  View accumulator_at(const Domain& domain, const std::vector<int>& dims) const;
  std::vector<int> varying_reductions(const Domain& domain) const;
  Terms terms(const std::vector<int>& dims, const Domain& domain) const;
  bool covers(const Part& part) const;
  bool has_one_reduction(const Part& part) const;

  Builder& builder_;
  const Constants& constants_;
  const std::vector<std::optional<Stored>>& operands_;
  std::vector<int> dims_;
  Domain domain_;
  Format work_;
  const ColumnScales* columns_;
  std::string node_;
  std::vector<std::optional<Stored>> none_;
  View acc_;  ///< steps per entry of dims_
};

isa::Opcode combining_opcode(ir::Combiner combiner);

}  // namespace pimento::pim
