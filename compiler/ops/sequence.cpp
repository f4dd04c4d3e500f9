#include "compiler/ops/sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace pimento::ops {

Formula::Operand Formula::read(const Place& place) { return read(place, place.type.shape); }
Formula::Operand Formula::read(const Place& place, Shape view) {
  slots_.push_back(place.slot);
  return input(unique(place.name), {place.type.type, std::move(view)});
}
Formula::Operand Formula::write_to(const Place& place) { return write_to(place, place.type.shape); }
Formula::Operand Formula::write_to(const Place& place, Shape view) {
  slots_.push_back(place.slot);
  return output(unique(place.name), {place.type.type, std::move(view)});
}
std::string Formula::unique(const std::string& name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result += c;
    } else if (c != ']') {
      result += '_';
    }
  }
  if (std::find(names_.begin(), names_.end(), result) != names_.end()) result += fmt::format("_{}", names_.size());
  names_.push_back(result);
  return result;
}

Place Sequence::input(int i) const { return {{ir::SlotKind::input, i}, call_.type(i), call_.input_name(i)}; }
Place Sequence::output(int i) const {
  return {{ir::SlotKind::output, i}, call_.output(i), i == 0 ? "Y" : fmt::format("Y{}", i)};
}
Place Sequence::temporary(const std::string& name, TensorType type) {
  result_.temporaries.push_back(type);
  return {{ir::SlotKind::temporary, static_cast<int>(result_.temporaries.size()) - 1}, std::move(type), name};
}
Place Sequence::constant(const std::string& name, ir::Tensor content) {
  auto type = content.type();
  result_.constants.push_back(std::move(content));
  return {{ir::SlotKind::constant, static_cast<int>(result_.constants.size()) - 1}, std::move(type), name};
}
void Sequence::kernel(const std::string& name, const std::function<void(Formula&)>& write) {
  Formula formula(name);
  write(formula);
  result_.calls.push_back({formula.build(), std::move(formula.slots_)});
}
void Sequence::call_library(ir::LibraryKernel kernel, std::vector<ir::Slot> slots) {
  result_.calls.push_back({std::move(kernel), std::move(slots)});
}

Expr aligned(const Formula::Operand& t, const Axes& at) {
  const auto& shape = t.type().shape;
  Axes indices;
  for (std::size_t d = 0; d < shape.size(); ++d)
    indices.push_back(shape[d] == 1 ? ir::index(0) : at[at.size() - shape.size() + d]);
  return t.at(std::move(indices));
}
ElementType accumulator_type(ElementType type) {
  if (is_float(type)) return ElementType::f32;
  return size_of(type) < 4 ? ElementType::i32 : type;
}
Expr as(const Formula::Operand& t, const Expr& value) { return ir::cast(t.type().type, value); }
Expr scaled(const Expr& e, std::int64_t factor) { return factor == 1 ? e : e * ir::index(factor); }
Expr shifted(const Expr& e, std::int64_t offset) {
  if (offset == 0) return e;
  return offset > 0 ? e + ir::index(offset) : e - ir::index(-offset);
}
Expr mixed(const Expr& outer, std::int64_t extent, const Expr& inner) {
  if (!outer) return inner ? inner : ir::index(0);
  return inner ? scaled(outer, extent) + inner : scaled(outer, extent);
}
Expr by_table(const std::vector<std::int64_t>& table, const Expr& position) {
  const TensorType type{ElementType::i64, {static_cast<std::int64_t>(table.size())}};
  return ir::Lookup::make(ir::Tensor::of_integers(type, table), position);
}
Expr by_table(const std::vector<double>& table, const Expr& position) {
  const TensorType type{ElementType::f32, {static_cast<std::int64_t>(table.size())}};
  return ir::Lookup::make(ir::Tensor::of(type, table), position);
}
double lowest(ElementType type) { return ir::identity(ir::Combiner::max, type).as_double(); }
double highest(ElementType type) { return ir::identity(ir::Combiner::min, type).as_double(); }

}  // namespace pimento::ops
