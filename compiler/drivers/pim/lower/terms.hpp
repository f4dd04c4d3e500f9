#pragma once
// The value of a scalar expression at every point of a nest: known at compile time, or in local memory with a meaning,
// or an instruction that has not been emitted yet (so that its result can go straight to where it is wanted).
// Evaluating an expression emits vector instructions through the builder.
#include "compiler/drivers/pim/lower/movement.hpp"

namespace pimento::pim {

/// How stored elements stand for real numbers: real = scale * stored.
struct Format {
  ElementType type = ElementType::f32;
  double scale = 1;
  bool operator==(const Format&) const = default;
};

struct Term {
  ir::Expr known;  ///< set: a compile-time expression
  View view;       ///< else: where it stands (unset while deferred)
  Meaning meaning;
  std::vector<std::int64_t> column_steps;  ///< per dimension of the nest
  std::int64_t column_origin = 0;
  struct Deferred {
    isa::Instruction form;
    View a, b;
    View result;  ///< once it has been emitted into a temporary
  };
  std::shared_ptr<Deferred> deferred;  ///< shared by all copies of the term
  ElementType type() const { return deferred ? deferred->form.type_d : view.type; }
  Format format() const { return {type(), meaning.scale}; }
};

/// One kernel over one nest.
class Terms {
 public:
  /// `operands`, `accumulators`: where they stand (accumulators by kernel axis instead of logical dimension). `dims`:
  /// axes of the nest, outermost first; all other axes have one point in the domain. `work`: format of real
  /// intermediates.
  Terms(Builder& builder, const Constants& constants, const std::vector<std::optional<Stored>>& operands,
        const std::vector<std::optional<Stored>>& accumulators, std::vector<int> dims, Domain domain, Format work,
        std::string node);

  /// Where the carried states of a recurrent kernel stand, by kernel axis.
  void carry(const std::vector<std::optional<Stored>>* states) { states_ = states; }

  Term evaluate(const ir::Expr& e);
  /// Evaluates into `dst` (a step per dimension).
  void store(const ir::Expr& e, const View& dst, Format format);
  /// The term in memory, plainly in this format; a scalar one may come without steps (`whole`: along the last
  /// dimension).
  View plain(const Term& term, Format format, bool whole = false);
  void store(const Term& term, const View& dst, Format format);

  /// A term as a tensor of the operand that `map` writes (one axis per dimension, or a constant index); nothing when
  /// the map mixes axes.
  std::optional<Stored> as_stored(Term term, const std::vector<ir::Expr>& map, const ir::Shape& shape);

  const Extents& nest() const { return nest_; }
  const std::vector<int>& dims() const { return dims_; }
  const Domain& domain() const { return domain_; }
  Format work(ElementType ir_type) const;
  /// Constant over the nest from a function of the point.
  /// `unit`, where given, is one more divisor of the stored number at a point; the real value stays `value`. `source`
  /// tells what the functions depend on besides axes and format: with it the pool remembers the constant.
  struct Source {
    ir::Expr of;
    std::vector<std::int64_t> more;
  };
  View known_view(const std::vector<bool>& used_axes, Format format, const std::function<double(const Point&)>& value,
                  const std::function<double(const Point&)>& unit, const Source& source);
  View known_view(const ir::Expr& e, Format format, bool whole);
  /// The load as it stands, or copied together when its map is not affine.
  Term load(const ir::Load& load);
  /// The affine view of a load over the nest, when it has one and its operand is stored.
  std::optional<Term> direct(const ir::Load& load) const;
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  /// The nest without the dimensions along which none of the views moves: what is the same there is computed once.
  Extents without_repeats(const View& a, const View& b) const;
  /// A temporary over such a nest, as a view over the whole one.
  View repeated_scratch(ElementType type, const Extents& nest);
  /// The last dimension with several points, or -1: the lanes of most instructions.
  int lane() const;
  bool repeats_on_lane(const View& view) const;
  /// The view's elements written out along the lane: a first operand cannot be one element per segment.
  View spread(const View& view);
  View first_operand(const View& a, const View& b);
  void repeat_into(const View& dst, const View& view, const Extents& nest);
  void convert(const Term& term, const View& dst, Format format, const Extents& nest);
  void store_known(const Term& term, const View& dst, Format format, const Extents& nest);
  /// What a term's columns depend on.
  std::vector<std::int64_t> column_key(const Term& term) const;
  Term of_stored(const Stored& stored, View view) const;
  Term force(Term term);
  Term defer(isa::Instruction form, View a, View b = {}, double scale = 1);
  Term unary(const ir::Unary& x);
  Term binary(const ir::Binary& x);
  Term arithmetic(isa::Opcode opcode, Format format, const Term& a, const Term& b, bool commutes);
  Term compare(const ir::Binary& x);
  Term select(const ir::Select& x);
  Term cast(const ir::Cast& x);
  Term function(isa::Opcode opcode, const Term& a);
  Term integer_division(const ir::Binary& x, const Term& a, const Term& b);
  Term clipped(const Term& a, const Term& low, const Term& high);
  Term gather(const ir::Load& load);
  View innermost(const View& indices, const Extents& nest, const std::vector<bool>& moves, std::size_t lane);
  View table_view(int operand, const std::vector<ir::Expr>& indices, std::size_t picked, Stride& pitch);
  Term by_axis(const Stored& stored) const;
  std::optional<Term> with_known(const ir::Binary& x, const Term& a, const Term& b);
  std::optional<Term> narrow_product(const Term& a, const Term& b);
  Term scaled(Term term, double by);
  Term truncated(const Term& term);
  double uniform_value(const Term& term) const;
  bool is_uniform(const Term& term) const;
  void require_f32(std::string_view what) const;
  std::vector<ir::Expr> logical_indices(const ir::Load& load, const Stored& stored) const;

  Builder& builder_;
  const Constants& constants_;
  const std::vector<std::optional<Stored>>& operands_;
  const std::vector<std::optional<Stored>>& accumulators_;
  const std::vector<std::optional<Stored>>* states_ = nullptr;
  std::vector<int> dims_;
  Domain domain_;
  Extents nest_;
  Format work_;
  std::string node_;
  std::map<const void*, std::pair<ir::Expr, Term>> memo_;
};

}  // namespace pimento::pim
