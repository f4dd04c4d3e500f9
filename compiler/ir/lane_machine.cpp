#include "compiler/ir/lane_machine.hpp"

#include <algorithm>

#include "compiler/ir/lane_operators.hpp"
#include "compiler/ir/scalar_operators.hpp"

namespace pimento::ir {
namespace {

constexpr int block_lanes = 512;

template <class T>
void select(T* to, const std::int64_t* c, const T* a, const T* b, int n) {
  for (int j = 0; j < n; ++j) to[j] = c[j] != 0 ? a[j] : b[j];
}

void combine(BinaryOp op, float* to, const float* b, ElementType t) {
  lanes_binary(op, to, to, b, 1);
  settle(t, to, 1);
}
void combine(BinaryOp op, std::int64_t* to, const std::int64_t* b, ElementType t) { lanes_binary(op, to, to, b, t, 1); }

}  // namespace

LaneMachine::LaneMachine(KernelRun& run)
    : run_(run),
      k_(run.kernel),
      plan_(plan_lanes(run)),
      p_(compile_lanes(run.kernel, plan_)),
      at_(plan_.loops.size(), 0) {
  const std::int64_t extent = plan_.lane_loop < 0 ? 1 : plan_.loops[static_cast<std::size_t>(plan_.lane_loop)].extent;
  width_ = static_cast<int>(std::clamp<std::int64_t>(extent, 1, block_lanes));
  offset_.resize(p_.registers.size());
  std::size_t reals = 0, integers = 0;
  for (std::size_t i = 0; i < p_.registers.size(); ++i) {
    std::size_t& next = is_float(p_.registers[i]) ? reals : integers;
    offset_[i] = next;
    next += static_cast<std::size_t>(width_);
  }
  reals_.resize(reals);
  integers_.resize(integers);
  offsets_.resize(static_cast<std::size_t>(width_));
  valid_.resize(static_cast<std::size_t>(width_));
  for (const auto& [r, value] : p_.constants) fill(r, value, width_);
}

void LaneMachine::fill(Register r, const Scalar& v, int lanes) {
  if (is_float(v.type)) {
    std::fill_n(real(r), lanes, v.real);
  } else {
    std::fill_n(integer(r), lanes, v.integer);
  }
}

void LaneMachine::copy(Register to, Register from, int lanes) {
  if (is_float(type(to))) {
    std::copy_n(real(from), lanes, real(to));
  } else {
    std::copy_n(integer(from), lanes, integer(to));
  }
}

std::int64_t LaneMachine::value_of(const LoopAffine& f) const {
  std::int64_t v = f.constant;
  for (std::size_t i = 0; i < at_.size(); ++i) v += f.coefficients[i] * at_[i];
  return v;
}

std::int64_t LaneMachine::lane_step(const LoopAffine& f) const {
  return plan_.lane_loop < 0 ? 0 : f.coefficients[static_cast<std::size_t>(plan_.lane_loop)];
}

/// The lanes whose affine checked dimensions are in range: an interval, as each index is monotone.
LaneMachine::Lanes LaneMachine::inside(const Access& a, int n) const {
  Lanes r{0, n};
  for (const auto& c : a.checks) {
    const std::int64_t first = value_of(c.index), step = n == 1 ? 0 : lane_step(c.index);
    if (step == 0) {
      if (first < 0 || first >= c.extent) return {0, 0};
    } else {
      const std::int64_t low = step > 0 ? -first : first - c.extent + 1, high = step > 0 ? c.extent - 1 - first : first;
      const std::int64_t s = step > 0 ? step : -step;  // lanes j with low <= s * j <= high
      r.begin = static_cast<int>(std::clamp<std::int64_t>(-integer_floor_div(-low, s), r.begin, n));
      r.end = static_cast<int>(std::clamp<std::int64_t>(integer_floor_div(high, s) + 1, 0, r.end));
    }
  }
  if (r.end < r.begin) return {0, 0};
  return r;
}

void LaneMachine::outside_error(const Access& a, int lane) const {
  for (const auto& c : a.checks) {
    const std::int64_t i = value_of(c.index) + lane_step(c.index) * lane;
    if (i < 0 || i >= c.extent) index_error(k_, a.operand, c.dimension, i);
  }
  index_error(k_, a.operand, 0, -1);
}

/// Flat offsets of all lanes and whether each is in range; out-of-range lanes that matter raise under
/// OutOfRange::error.
void LaneMachine::locate(const Access& a, const std::vector<Register>& indices, const std::int64_t* where, int n) {
  const Lanes in = inside(a, n);
  const std::int64_t first = value_of(a.flat), step = lane_step(a.flat);
  for (int j = 0; j < n; ++j) {
    const auto lane = static_cast<std::size_t>(j);
    valid_[lane] = j >= in.begin && j < in.end;
    offsets_[lane] = first + step * j;
    if (!valid_[lane] && a.rule == OutOfRange::error && (where == nullptr || where[j] != 0)) outside_error(a, j);
  }
  for (std::size_t g = 0; g < a.general.size(); ++g) {
    const auto& dimension = a.general[g];
    const std::int64_t* index = integer(indices[g]);
    for (int j = 0; j < n; ++j) {
      const auto lane = static_cast<std::size_t>(j);
      std::int64_t i = index[j];
      if (i < 0 || i >= dimension.extent) {
        if (a.rule == OutOfRange::clamp && dimension.extent > 0) {
          i = i < 0 ? 0 : dimension.extent - 1;
        } else {
          if (a.rule != OutOfRange::value && (where == nullptr || where[j] != 0)) {
            index_error(k_, a.operand, dimension.dimension, i);
          }
          valid_[lane] = false;
          continue;
        }
      }
      offsets_[lane] += i * dimension.stride;
    }
  }
}

template <class T>
void LaneMachine::load(const Instruction& i, T* to, T outside, int n) {
  const Access& a = *i.access;
  const Tensor& tensor = run_.tensors[static_cast<std::size_t>(a.operand)];
  const std::int64_t size = size_of(i.type);
  const std::int64_t* where = i.mask == no_register ? nullptr : integer(i.mask);
  if (a.general.empty()) {
    const Lanes in = inside(a, n);
    if (a.rule == OutOfRange::error && (in.begin > 0 || in.end < n)) {
      for (int j = 0; j < n; ++j) {
        if ((j < in.begin || j >= in.end) && (where == nullptr || where[j] != 0)) outside_error(a, j);
      }
    }
    std::fill_n(to, in.begin, outside);
    const std::int64_t step = lane_step(a.flat);
    const std::int64_t first = value_of(a.flat) + step * in.begin;
    if (in.end > in.begin) lanes_gather(i.type, to + in.begin, tensor.bytes() + first * size, step, in.end - in.begin);
    std::fill_n(to + in.end, n - in.end, outside);
    return;
  }
  locate(a, i.indices, where, n);
  for (int j = 0; j < n; ++j) {
    const auto lane = static_cast<std::size_t>(j);
    if (valid_[lane]) {
      lanes_gather(i.type, to + j, tensor.bytes() + offsets_[lane] * size, 0, 1);
    } else {
      to[j] = outside;
    }
  }
}

template <class T>
void LaneMachine::store(std::size_t o, const T* from, int n) {
  const Output& output = k_.outputs[o];
  const Access& a = plan_.writes[o];
  const LaneProgram::Write& w = p_.writes[o];
  Tensor& tensor = run_.tensors[static_cast<std::size_t>(output.operand)];
  std::byte* bytes = tensor.mutable_bytes();
  const ElementType t = tensor.element_type();
  const std::int64_t size = size_of(t);
  const std::int64_t* where = w.guard == no_register ? nullptr : integer(w.guard);
  if (a.checks.empty() && a.general.empty() && where == nullptr && output.rule == WriteRule::assign) {
    lanes_scatter(t, from, bytes + value_of(a.flat) * size, lane_step(a.flat), n);
    return;
  }
  locate(a, w.indices, where, n);
  for (int j = 0; j < n; ++j) {  // in lane order: the order of points
    const auto lane = static_cast<std::size_t>(j);
    if (!valid_[lane] || (where != nullptr && where[j] == 0)) continue;
    std::byte* element = bytes + offsets_[lane] * size;
    T v = from[j];
    if (output.rule != WriteRule::assign) {
      T old;
      lanes_gather(t, &old, element, 0, 1);
      combine(operator_of(output.rule), &old, &v, t);
      v = old;
    }
    lanes_scatter(t, &v, element, 0, 1);
  }
}

void LaneMachine::write(std::size_t o, int lanes) {
  const Register r = p_.writes[o].value;
  if (is_float(type(r))) {
    store(o, static_cast<const float*>(real(r)), lanes);
  } else {
    store(o, static_cast<const std::int64_t*>(integer(r)), lanes);
  }
}

void LaneMachine::execute(Level level, int n) {
  for (const Instruction& i : p_.code[static_cast<std::size_t>(level)]) execute(i, n);
}

void LaneMachine::execute(const Instruction& i, int n) {
  const bool real_type = is_float(i.type);
  switch (i.kind) {
    case InstructionKind::axis:
      return axis(i, n);
    case InstructionKind::load:
      return real_type ? load(i, real(i.to), i.outside.real, n) : load(i, integer(i.to), i.outside.integer, n);
    case InstructionKind::lookup:
      return lookup(i, n);
    case InstructionKind::unary:
      if (!real_type && is_float(i.from)) return lanes_test(UnaryOp{i.op}, integer(i.to), real(i.a), n);
      if (!real_type) return lanes_unary(UnaryOp{i.op}, integer(i.to), integer(i.a), i.type, n);
      lanes_unary(UnaryOp{i.op}, real(i.to), real(i.a), n);
      return settle(i.type, real(i.to), n);
    case InstructionKind::binary:
      if (!real_type) return lanes_binary(BinaryOp{i.op}, integer(i.to), integer(i.a), integer(i.b), i.type, n);
      lanes_binary(BinaryOp{i.op}, real(i.to), real(i.a), real(i.b), n);
      return settle(i.type, real(i.to), n);
    case InstructionKind::compare:
      if (is_float(i.from)) return lanes_compare(BinaryOp{i.op}, integer(i.to), real(i.a), real(i.b), n);
      return lanes_compare(BinaryOp{i.op}, integer(i.to), integer(i.a), integer(i.b), n);
    case InstructionKind::select:
      if (real_type) return select(real(i.to), integer(i.c), real(i.a), real(i.b), n);
      return select(integer(i.to), integer(i.c), integer(i.a), integer(i.b), n);
    case InstructionKind::cast:
      return cast_lanes(i, n);
    case InstructionKind::broadcast:
      if (real_type) {
        std::fill_n(real(i.to), n, *real(i.a));
      } else {
        std::fill_n(integer(i.to), n, *integer(i.a));
      }
      return;
  }
}
void LaneMachine::axis(const Instruction& i, int n) {
  const int at = plan_.loop_of_axis[static_cast<std::size_t>(i.axis)];
  std::int64_t* to = integer(i.to);
  if (at < 0) {
    std::fill_n(to, n, 0);
  } else if (at != plan_.lane_loop) {
    std::fill_n(to, n, at_[static_cast<std::size_t>(at)]);
  } else {
    for (int j = 0; j < n; ++j) to[j] = at_[static_cast<std::size_t>(at)] + j;
  }
}

void LaneMachine::lookup(const Instruction& i, int n) {
  const std::int64_t* index = integer(i.a);
  const std::int64_t* where = i.mask == no_register ? nullptr : integer(i.mask);
  const std::int64_t size = i.table.elements();
  for (int j = 0; j < n; ++j) {
    const bool in = index[j] >= 0 && index[j] < size;
    if (!in && (where == nullptr || where[j] != 0)) table_error(k_, index[j], size);
    const std::byte* element = i.table.bytes() + (in ? index[j] : 0) * size_of(i.type);
    if (!in) {
      is_float(i.type) ? void(real(i.to)[j] = 0) : void(integer(i.to)[j] = 0);
    } else if (is_float(i.type)) {
      lanes_gather(i.type, real(i.to) + j, element, 0, 1);
    } else {
      lanes_gather(i.type, integer(i.to) + j, element, 0, 1);
    }
  }
}

void LaneMachine::cast_lanes(const Instruction& i, int n) {
  if (is_float(i.type)) {
    if (!is_float(i.from)) return lanes_cast(i.type, real(i.to), integer(i.a), n);
    std::copy_n(real(i.a), n, real(i.to));
    return settle(i.type, real(i.to), n);
  }
  if (is_float(i.from)) return lanes_cast(i.type, integer(i.to), real(i.a), n);
  std::copy_n(integer(i.a), n, integer(i.to));
  settle(i.type, integer(i.to), n);
}

}  // namespace pimento::ir
