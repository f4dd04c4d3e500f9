#pragma once
// A nest is the iteration space of one vector operation: extents, outermost first. A view says where the element of one
// operand stands at every point of a nest: an origin and one step per dimension. The builder turns (instruction, nest,
// views) into PimOps: one dimension becomes the segment's elements, one its segments, the others hardware loops.
#include <memory>
#include <vector>

#include "compiler/drivers/pim/lower/select.hpp"

namespace pimento::pim {

using Extents = std::vector<std::int32_t>;
using Stride = OperandRef::LoopStep;
inline Stride operator+(Stride a, Stride b) { return {a.row + b.row, a.position + b.position, a.channel + b.channel}; }
inline Stride operator*(Stride a, std::int64_t n) {
  const auto k = static_cast<std::int32_t>(n);
  return {a.row * k, a.position * k, a.channel * k};
}
inline std::int64_t points(const Extents& extents) {
  std::int64_t product = 1;
  for (const auto e : extents) product *= e;
  return product;
}

struct View {
  OperandRef::Kind kind = OperandRef::Kind::none;
  std::int32_t id = -1;
  ElementType type = ElementType::f32;
  Stride origin;
  std::vector<Stride> steps;  ///< one per dimension of the nest
  explicit operator bool() const { return kind != OperandRef::Kind::none; }
  bool operator==(const View&) const = default;
};
/// The view without dimension `d`, at its index 0.
View without(View view, std::size_t d);

class Builder {
 public:
  explicit Builder(const SelectContext& context) : context_(context) {}
  const SelectContext& context() const { return context_; }
  bool has_vector_type(ElementType type) const;

  /// A packed temporary over the whole nest.
  View scratch(ElementType type, const Extents& nest);
  /// Constant data; its view steps through `nest` row-major over the dimensions that `used` marks, 0 elsewhere.
  View constant(ConstantData data, const Extents& nest, const std::vector<bool>& used);
  /// The same for a constant of the pool.
  View constant(std::int32_t index, const Extents& nest, const std::vector<bool>& used);

  /// An instruction whose operands are segments. Accumulates in nest order where dst has zero steps.
  void emit(isa::Instruction form, const Extents& nest, const View& dst, const View& a = {}, const View& b = {});
  /// A reduction of the last dimension; `dst` has steps for the others.
  void reduce(isa::Opcode opcode, const Extents& nest, const View& dst, const View& a);
  /// One MVM or digital product per point of the nest: counts, lengths and segment steps stand in `op`.
  void each(PimOp op, const Extents& nest, const View& dst, const View& a, const View& b = {});

  bool contiguous(const View& view, std::size_t dimension) const;
  std::size_t operations() const { return selected_.ops.size(); }
  /// The finished operations; temporaries get their offsets.
  Selected take();

 private:
  void push(PimOp op, const Extents& nest, const std::vector<std::size_t>& loops, const View& dst, const View& a,
            const View& b);
  const SelectContext& context_;
  Selected selected_;
  std::int32_t next_loop_ = 0;
};

isa::Instruction instruction(isa::Opcode opcode, ElementType d, ElementType a = ElementType::u8,
                             ElementType b = ElementType::u8);

/// Offsets within the compute's scratch memory by first fit over the operations that use each temporary; an operation
/// may write where an operand dies when both are walked alike.
void place_scratch(Selected& selected, Bytes alignment);

}  // namespace pimento::pim
