#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "compiler/ir/analysis.hpp"
#include "compiler/ir/kernel_sections.hpp"
#include "compiler/ir/verify.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

std::string counted(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// What the textual form can name.
bool is_word(const std::string& s) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (s.empty() || !letter(s[0])) return false;
  return std::all_of(s.begin(), s.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& k) : k_(k), axes_(full_axes(k)) {}

  Findings run() {
    for (const KernelAxis& a : k_.axes) {
      if (a.extent < 0) say(fmt::format("axis '{}' has extent {}, at least 0 is needed", a.name, a.extent));
    }
    unique_names();
    if (k_.outputs.empty()) say("it has no output");
    if (!k_.accumulators.empty() && !has_axis(k_, AxisKind::reduction))
      say("it has an accumulator but no reduction axis");
    if (k_.accumulators.empty() && has_axis(k_, AxisKind::reduction)) say("it has a reduction axis but no accumulator");
    if (!k_.states.empty() && !has_axis(k_, AxisKind::carried)) say("it has a state but no carried axis");
    if (!findings_.empty()) return findings_;
    for_each_expr(k_, [&](const Expr& e, Section s) { expression(e, s, false); });
    for (const Accumulator& a : k_.accumulators) accumulator(a);
    for (const State& s : k_.states) {
      typed(s.initial, s.type, fmt::format("the initial value of state '{}'", s.name));
      typed(s.next, s.type, fmt::format("the next value of state '{}'", s.name));
    }
    std::vector<bool> is_written(k_.operands.size(), false);
    for (const Output& o : k_.outputs) output(o, is_written);
    for (std::size_t i = 0; i < k_.operands.size(); ++i) {
      if (k_.operands[i].role == OperandRole::output && !is_written[i]) {
        say(fmt::format("output operand '{}' is never written", k_.operands[i].name));
      }
    }
    return findings_;
  }

 private:
  void say(const std::string& message) { findings_.push_back({fmt::format("kernel '{}': {}", k_.name, message)}); }

  void unique_names() {
    std::vector<std::string_view> seen;  // a kernel has few
    const auto add = [&](const std::string& name, const char* what) {
      if (!is_word(name))
        say(fmt::format("{} has the name '{}', which is no word of letters, digits and '_'", what, name));
      for (const std::string_view reserved :
           {"outside", "clamped", "init", "if", "merge", "from", "by", "then", "skipping"}) {
        if (name == reserved) say(fmt::format("{} has the name '{}', a word of the language", what, name));
      }
      if (std::ranges::find(seen, name) != seen.end()) say(fmt::format("the name '{}' stands for two things", name));
      seen.push_back(name);
    };
    for (const KernelAxis& a : k_.axes) add(a.name, "an axis");
    for (const Operand& o : k_.operands) add(o.name, "an operand");
    for (const Accumulator& a : k_.accumulators) add(a.name, "an accumulator");
    for (const State& s : k_.states) add(s.name, "a state");
  }

  void typed(const Expr& e, ElementType type, const std::string& what) {
    if (!e) {
      say(what + " is missing");
    } else if (e.type() != type) {
      say(fmt::format("{} is {}, expected {}", what, to_string(e.type()), to_string(type)));
    }
  }

  void accumulator(const Accumulator& a) {
    typed(a.body, a.type, fmt::format("the body of accumulator '{}'", a.name));
    if (a.guard) typed(a.guard, ElementType::boolean, fmt::format("the guard of accumulator '{}'", a.name));
    if (a.initial.type != a.type) {
      say(fmt::format("the initial value of accumulator '{}' is {}, expected {}", a.name, to_string(a.initial.type),
                      to_string(a.type)));
    }
    const bool logical = a.combiner == Combiner::logical_and || a.combiner == Combiner::logical_or;
    if (logical && is_float(a.type))
      say(fmt::format("accumulator '{}' combines {} by logic", a.name, to_string(a.type)));
    if (!logical && a.combiner != Combiner::merge && a.type == ElementType::boolean &&
        (a.combiner == Combiner::add || a.combiner == Combiner::mul)) {
      say(fmt::format("accumulator '{}' adds or multiplies bool", a.name));
    }
    if (a.combiner == Combiner::merge) {
      typed(a.merge, a.type, fmt::format("the merge of accumulator '{}'", a.name));
      tuple_guards(a);
    } else if (a.merge) {
      say(fmt::format("accumulator '{}' has a merge expression but another combiner", a.name));
    }
  }

  /// An incoming value exists only where its guard holds.
  void tuple_guards(const Accumulator& a) {
    visit(a.merge, [&](const Expr& e) {
      const auto* in = e.as<Incoming>();
      if (in == nullptr || static_cast<std::size_t>(in->accumulator) >= k_.accumulators.size()) return;
      const Accumulator& other = k_.accumulators[static_cast<std::size_t>(in->accumulator)];
      if (!other.guard || (a.guard && equal(a.guard, other.guard))) return;
      say(fmt::format("the merge of accumulator '{}' takes the incoming value of '{}', which has another guard", a.name,
                      other.name));
    });
  }

  void output(const Output& o, std::vector<bool>& is_written) {
    if (!operand_exists(o.operand)) return;
    const Operand& operand = k_.operands[static_cast<std::size_t>(o.operand)];
    is_written[static_cast<std::size_t>(o.operand)] = true;
    if (operand.role != OperandRole::output)
      say(fmt::format("it writes operand '{}', which is an input", operand.name));
    map_rank(o.map.size(), operand);
    for (const Expr& e : o.map) typed(e, ElementType::i64, fmt::format("an index of output '{}'", operand.name));
    typed(o.value, operand.type.type, fmt::format("the value of output '{}'", operand.name));
    if (o.guard) typed(o.guard, ElementType::boolean, fmt::format("the guard of output '{}'", operand.name));
    if (o.out_of_range == OutOfRange::clamp)
      say(fmt::format("output '{}' clamps its map; a write is in range or skipped", operand.name));
    if (o.rule != WriteRule::assign && operand.type.type == ElementType::boolean) {
      say(fmt::format("output '{}' combines bool where it writes", operand.name));
    }
    if (o.map.size() == operand.type.shape.size() && o.out_of_range == OutOfRange::error && !o.guard) {
      for (std::size_t d = 0; d < o.map.size(); ++d) in_range(o.map[d], operand, d);
    }
    if (o.starts_from >= 0 && operand_exists(o.starts_from)) {
      const Operand& from = k_.operands[static_cast<std::size_t>(o.starts_from)];
      if (from.role != OperandRole::input || from.type != operand.type) {
        say(fmt::format("output '{}' {} starts from '{}' {}; an input of the same type is needed", operand.name,
                        to_string(operand.type), from.name, to_string(from.type)));
      }
    }
  }

  bool operand_exists(int operand) {
    if (operand >= 0 && static_cast<std::size_t>(operand) < k_.operands.size()) return true;
    say(fmt::format("operand number {} is used, it has {}", operand,
                    counted(k_.operands.size(), "operand", "operands")));
    return false;
  }

  void map_rank(std::size_t indices, const Operand& operand) {
    if (indices == operand.type.shape.size()) return;
    say(fmt::format("the map of operand '{}' yields {}, its tensor has rank {}: {}", operand.name,
                    counted(indices, "index", "indices"), operand.type.shape.size(), to_string(operand.type)));
  }

  /// Whether the interval of `e` is exact, so that leaving a tensor is certain: affine, and some point reaches both
  /// ends.
  void in_range(const Expr& e, const Operand& operand, std::size_t d) {
    if (!as_affine(e, static_cast<int>(axes_.size()))) return;
    const Range r = interval(e, axes_);
    const std::int64_t extent = operand.type.shape[d];
    if (r.empty() || (r.begin >= 0 && r.end <= extent)) return;
    say(fmt::format("the map of operand '{}' reaches index {} of dimension {}, which has extent {}: {}", operand.name,
                    r.begin < 0 ? r.begin : r.end - 1, d, extent, to_string(operand.type)));
  }

  /// `conditional`: some select or guard may keep the node from being evaluated.
  void expression(const Expr& e, Section s, bool conditional) {
    if (const auto* a = e.as<Axis>()) axis(*a, s);
    if (const auto* a = e.as<Accumulated>()) numbered(a->accumulator, k_.accumulators, e.type(), "accumulator");
    if (const auto* a = e.as<Incoming>()) numbered(a->accumulator, k_.accumulators, e.type(), "accumulator");
    if (const auto* c = e.as<Carried>()) numbered(c->state, k_.states, e.type(), "state");
    if (e.as<Incoming>() != nullptr && s != Section::merge) say("an incoming value is used outside a merge");
    if (e.as<Accumulated>() != nullptr && (s == Section::body || s == Section::initial)) {
      say("an accumulated value is used before its reduction has ended");
    }
    if (e.as<Carried>() != nullptr && s == Section::initial)
      say("a carried value is used in the initial value of a state");
    if (const auto* l = e.as<Load>()) load(e, *l, conditional || guarded(s));
    if (const auto* l = e.as<Lookup>()) lookup(*l, conditional);
    if (const auto* b = e.as<Binary>()) divisor(*b);
    const bool select = e.as<Select>() != nullptr;
    for (const Expr& c : children(e)) expression(c, s, conditional || select);
  }
  bool guarded(Section s) const {
    if (s == Section::finish) {
      return std::any_of(k_.outputs.begin(), k_.outputs.end(), [](const Output& o) { return bool(o.guard); });
    }
    if (s != Section::body) return false;
    for (const Accumulator& a : k_.accumulators) {
      if (a.guard) return true;
    }
    return false;
  }

  void axis(const Axis& a, Section s) {
    if (static_cast<std::size_t>(a.axis) >= k_.axes.size()) {
      say(fmt::format("axis number {} is used, it has {}", a.axis, counted(k_.axes.size(), "axis", "axes")));
      return;
    }
    const KernelAxis& axis = k_.axes[static_cast<std::size_t>(a.axis)];
    if (axis.kind == AxisKind::reduction && (s == Section::finish || s == Section::initial)) {
      say(fmt::format("reduction axis '{}' is used outside an accumulator", axis.name));
    }
    if (axis.kind == AxisKind::carried && s == Section::initial) {
      say(fmt::format("carried axis '{}' is used in the initial value of a state", axis.name));
    }
  }

  template <class T>
  void numbered(int number, const std::vector<T>& list, ElementType type, const char* what) {
    if (number < 0 || static_cast<std::size_t>(number) >= list.size()) {
      say(fmt::format("{} number {} is used, it has {}", what, number, list.size()));
    } else if (list[static_cast<std::size_t>(number)].type != type) {
      const auto& item = list[static_cast<std::size_t>(number)];
      say(fmt::format("{} '{}' is {}, it is read as {}", what, item.name, to_string(item.type), to_string(type)));
    }
  }

  void load(const Expr& e, const Load& l, bool conditional) {
    if (!operand_exists(l.operand)) return;
    const Operand& operand = k_.operands[static_cast<std::size_t>(l.operand)];
    if (operand.role != OperandRole::input) say(fmt::format("it reads operand '{}', which is an output", operand.name));
    if (operand.type.type != e.type()) {
      say(fmt::format("operand '{}' is {}, it is read as {}", operand.name, to_string(operand.type),
                      to_string(e.type())));
    }
    map_rank(l.indices.size(), operand);
    if (conditional || l.rule != OutOfRange::error || l.indices.size() != operand.type.shape.size()) return;
    for (std::size_t d = 0; d < l.indices.size(); ++d) in_range(l.indices[d], operand, d);
  }

  void lookup(const Lookup& l, bool conditional) {
    if (conditional || !as_affine(l.index, static_cast<int>(axes_.size()))) return;
    const Range r = interval(l.index, axes_);
    if (r.empty() || (r.begin >= 0 && r.end <= l.table.elements())) return;
    say(fmt::format("a table of {} is looked up at {}",
                    counted(static_cast<std::size_t>(l.table.elements()), "element", "elements"),
                    r.begin < 0 ? r.begin : r.end - 1));
  }

  /// Divisions that no data decides must not meet 0.
  void divisor(const Binary& b) {
    const bool divides =
        b.op == BinaryOp::floor_div || b.op == BinaryOp::floor_mod || b.op == BinaryOp::div || b.op == BinaryOp::rem;
    if (!divides || is_float(b.b.type())) return;
    bool data = false;
    visit(b.b, [&](const Expr& n) {
      data = data || n.as<Load>() || n.as<Carried>() || n.as<Accumulated>() || n.as<Incoming>();
    });
    if (data) return;
    const Range r = interval(b.b, axes_);
    if (r.begin <= 0 && r.end > 0) {
      say(fmt::format("the divisor of '{}' has the range {} .. {}, which contains 0",
                      binary_operators()[static_cast<std::size_t>(b.op)].text, r.begin, r.end - 1));
    }
  }

  const Kernel& k_;
  std::vector<Range> axes_;
  Findings findings_;
};

}  // namespace

Findings verify(const Kernel& k) { return KernelVerifier(k).run(); }

Findings verify(const LibraryKernel& k) {
  const LibraryKind& kind = library_kind(k.name);
  bool outputs_begun = false;
  for (const Operand& o : k.operands) {
    if (o.role == OperandRole::output) outputs_begun = true;
    if (o.role == OperandRole::input && outputs_begun) {
      return {{fmt::format("library kernel '{}': input '{}' stands after an output", k.name, o.name)}};
    }
  }
  const std::string reason = kind.check(k);
  if (reason.empty()) return {};
  return {{fmt::format("library kernel '{}': {}", k.name, reason)}};
}

namespace {

void verify_call(const KernelCall& call, const std::vector<TensorType>* types_by_kind[4], Findings& findings) {
  static constexpr const char* kind_names[] = {"input", "output", "temporary", "constant"};
  const auto& operands = operands_of(call.kernel);
  const std::string& name = name_of(call.kernel);
  if (call.slots.size() != operands.size()) {
    findings.push_back(
        {fmt::format("kernel '{}': {} bound to {}", name, counted(operands.size(), "operand", "operands"),
                     counted(call.slots.size(), "slot", "slots"))});
    return;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Slot slot = call.slots[i];
    const auto& types = *types_by_kind[static_cast<std::size_t>(slot.kind)];
    const char* kind = kind_names[static_cast<std::size_t>(slot.kind)];
    if (slot.index < 0 || static_cast<std::size_t>(slot.index) >= types.size()) {
      findings.push_back({fmt::format("kernel '{}': operand '{}' is bound to {} {}, there are {}", name,
                                      operands[i].name, kind, slot.index, types.size())});
      continue;
    }
    const TensorType& bound = types[static_cast<std::size_t>(slot.index)];
    if (bound.type != operands[i].type.type || bound.elements() != operands[i].type.elements()) {
      findings.push_back(
          {fmt::format("kernel '{}': operand '{}' is {}, {} {} bound to it is {}", name, operands[i].name,
                       to_string(operands[i].type), kind, slot.index, to_string(bound))});
    }
    const bool writable = slot.kind == SlotKind::output || slot.kind == SlotKind::temporary;
    if (operands[i].role == OperandRole::output && !writable) {
      findings.push_back(
          {fmt::format("kernel '{}': output '{}' is bound to {} {}", name, operands[i].name, kind, slot.index)});
    }
  }
}

}  // namespace

Findings verify(const KernelSequence& s, const std::vector<TensorType>& inputs,
                const std::vector<TensorType>& outputs) {
  Findings findings;
  std::vector<TensorType> constants;
  for (const Tensor& t : s.constants) constants.push_back(t.type());
  const std::vector<TensorType>* types[4] = {&inputs, &outputs, &s.temporaries, &constants};
  for (const KernelCall& call : s.calls) {
    const Findings own = std::visit([](const auto& k) { return verify(k); }, call.kernel);
    findings.insert(findings.end(), own.begin(), own.end());
    verify_call(call, types, findings);
  }
  return findings;
}

}  // namespace pimento::ir
