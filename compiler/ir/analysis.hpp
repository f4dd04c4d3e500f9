#pragma once
// Questions to a kernel's structure. Every answer is derived; nothing is declared.
#include <optional>

#include "compiler/ir/library.hpp"

namespace pimento::ir {

/// Half-open: begin <= i < end. Empty when end <= begin.
struct Range {
  std::int64_t begin = 0, end = 0;
  bool empty() const { return end <= begin; }
  std::int64_t size() const { return empty() ? 0 : end - begin; }
  bool operator==(const Range&) const = default;
};
/// One range per dimension; empty as soon as one of them is. A box of rank 0 holds one element.
using Box = std::vector<Range>;
bool is_empty(const Box& box);
Box whole(const Shape& shape);
Box intersect(const Box& a, const Box& b);
/// Smallest box that holds both; an empty box adds nothing.
Box bounding(const Box& a, const Box& b);

/// A box of a tensor where the same elements, in the same order, have another shape: the smallest box round them that
/// follows from the dimensions which both shapes share as products; the box itself where the shapes are equal.
Box reshaped(const Box& box, const Shape& from, const Shape& to);

/// A read of one operand: each distinct Load of the kernel, and whether it stands in an index map or guard.
struct Read {
  Expr load;
  const Load& operator*() const { return *load.as<Load>(); }
};
/// Distinct loads of the whole kernel (bodies, guards, merges, states, outputs, index maps), in order of first
/// appearance.
std::vector<Read> reads(const Kernel& k);
std::vector<Read> reads_of(const Kernel& k, int operand);

/// Interval of an integer expression when axis k runs through axes[k]. Loads of data give the range of their type;
/// bounds that would overflow saturate. Exact for affine expressions and tables, an enclosure otherwise.
Range interval(const Expr& e, const std::vector<Range>& axes);
std::vector<Range> full_axes(const Kernel& k);
/// Ranges of the axes that write into `box` of output `output` (index into Kernel::outputs); an enclosure, exact for
/// maps of single axes and for mixed-radix maps such as g * M + m.
std::vector<Range> axes_for(const Kernel& k, int output, const Box& box);

/// The part of operand `operand` that is read to compute `box` of output `output`, clipped to the operand (padding
/// needs nothing). Carried axes run from 0, since a state depends on all earlier steps. Empty ranges when nothing is
/// read.
Box needed(const Kernel& k, int operand, const Box& box, int output = 0);
Box needed(const Kernel& k, std::string_view operand, const Box& box, int output = 0);
Box needed(const LibraryKernel& k, int operand, const Box& box, int output = 0);
/// The part of output `output` that the given axis ranges write (an enclosure, clipped).
Box written(const Kernel& k, int output, const std::vector<Range>& axes);

/// acc += f(a) * g(b) over reduction axes, where f and g touch one load each (casts, zero-point subtraction and the
/// like) with affine maps, and exactly that one accumulator. Matrix product, convolution (grouped, strided, dilated),
/// einsum.
struct Contraction {
  int accumulator = 0;
  Expr left, right;            ///< the two factors as they stand in the body
  Expr left_load, right_load;  ///< the loads in them
  /// Axis indices by the loads that use them. `neither` axes only repeat the value.
  std::vector<int> batch, left_only, right_only, neither, reduction;
};
std::optional<Contraction> as_contraction(const Kernel& k);
inline bool is_contraction(const Kernel& k) { return as_contraction(k).has_value(); }

/// No reduction or carried axis; output 0's map is all parallel axes, each once; every read of an operand is affine in
/// single axes with coefficient 0 or 1 (broadcasting allowed), constant 0, no data-dependent map.
bool is_elementwise(const Kernel& k);
/// Element-wise with one output of that shape, and every operand but those that are `constant` (by operand) is as large
/// and read just where the output is written.
bool works_in_place(const KernelCall& call, const Shape& shape, const std::vector<bool>& constant);
/// By operand of a call: whether it is a constant of the sequence.
std::vector<bool> constants_of(const KernelCall& call);
/// Element-wise, and nothing but a move of elements (transpose, slice, pad, reshape, gather, concat): every output's
/// value is one Load (of any map), possibly selected.
bool is_data_movement(const Kernel& k);
/// Every output map is injective over the parallel and carried axes (mixed radix of single axes); then the order of
/// points is free.
bool writes_are_injective(const Kernel& k);
bool has_data_dependent_map(const Kernel& k);
bool has_axis(const Kernel& k, AxisKind kind);
/// Iteration points: of all axes, and of one kind (1 when there is none).
std::int64_t points(const Kernel& k);
std::int64_t points(const Kernel& k, AxisKind kind);
/// Scalar operators applied in one run, loads and index arithmetic excluded: a cost proxy.
std::int64_t operations(const Kernel& k);

}  // namespace pimento::ir
