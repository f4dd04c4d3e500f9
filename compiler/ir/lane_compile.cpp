#include <map>
#include <tuple>

#include "compiler/ir/kernel_sections.hpp"
#include "compiler/ir/lane_program.hpp"
#include "isa/support/error.hpp"

namespace pimento::ir {
namespace {

class Compiler {
 public:
  Compiler(const Kernel& k, const LanePlan& plan) : k_(k), plan_(plan) {}

  LaneProgram compile() {
    for (const State& s : k_.states) {
      p_.states.push_back(make_register(s.type));
      p_.state_initial.push_back(no_register);
      p_.state_next.push_back(no_register);
    }
    for (const Accumulator& a : k_.accumulators) {
      p_.accumulators.push_back({make_register(a.type), no_register, no_register, no_register, no_register});
    }
    for (std::size_t i = 0; i < k_.states.size(); ++i) {
      p_.state_initial[i] = value(k_.states[i].initial, Section::initial, no_register);
    }
    for (std::size_t i = 0; i < k_.accumulators.size(); ++i) {
      const Accumulator& a = k_.accumulators[i];
      auto& made = p_.accumulators[i];
      if (a.guard) made.guard = value(a.guard, Section::body, no_register);
      made.body = value(a.body, Section::body, made.guard);
      made.incoming = plan_.lanes_reduce ? make_register(a.type) : made.body;
    }
    for (std::size_t i = 0; i < k_.accumulators.size(); ++i) {
      if (k_.accumulators[i].merge)
        p_.accumulators[i].merged = value(k_.accumulators[i].merge, Section::merge, no_register);
    }
    for (std::size_t i = 0; i < k_.outputs.size(); ++i) {
      const Output& o = k_.outputs[i];
      LaneProgram::Write w{no_register, no_register, {}};
      if (o.guard) w.guard = value(o.guard, Section::finish, no_register);
      for (const auto& g : plan_.writes[i].general) w.indices.push_back(value(g.index, Section::finish, w.guard));
      w.value = value(o.value, Section::finish, w.guard);
      p_.writes.push_back(w);
    }
    for (std::size_t i = 0; i < k_.states.size(); ++i) {
      p_.state_next[i] = value(k_.states[i].next, Section::finish, no_register);
    }
    return std::move(p_);
  }

 private:
  Register make_register(ElementType type) {
    p_.registers.push_back(type);
    return static_cast<Register>(p_.registers.size()) - 1;
  }

  struct Facts {
    Level level = Level::block;
    bool may_fail = false;  ///< holds a load or table whose index could be out of range
  };
  static void raise(Level& level, Level to) {
    if (to > level) level = to;
  }
  Facts facts(const Expr& e, Section s) {
    const auto key = std::pair{e.identity(), s == Section::merge};
    if (const auto found = facts_.find(key); found != facts_.end()) return found->second;
    Facts f;
    if (const auto* a = e.as<Axis>()) {
      const AxisKind kind = k_.axes[static_cast<std::size_t>(a->axis)].kind;
      if (kind == AxisKind::carried) raise(f.level, Level::step);
      if (kind == AxisKind::reduction) raise(f.level, Level::point);
    }
    if (e.as<Carried>() != nullptr) raise(f.level, Level::step);
    if (e.as<Incoming>() != nullptr) raise(f.level, Level::merge);
    if (e.as<Accumulated>() != nullptr) raise(f.level, s == Section::merge ? Level::merge : Level::finish);
    if (const auto* l = e.as<Load>())
      f.may_fail = l->rule == OutOfRange::error && plan_.loads.at(e.identity()).may_leave();
    if (e.as<Lookup>() != nullptr) f.may_fail = true;
    for (const Expr& c : children(e)) {
      const Facts inner = facts(c, s);
      raise(f.level, inner.level);
      f.may_fail = f.may_fail || inner.may_fail;
    }
    facts_.emplace(key, f);
    return f;
  }

  /// The level at which an expression of section `s` runs. With lanes along the reduction, bodies have lanes of their
  /// own, so nothing of them is shared with the one-lane levels.
  Level level_of(Level own, Section s) const {
    if (!plan_.lanes_reduce) return own;
    if (s == Section::body) return Level::point;
    if (s == Section::merge) return Level::merge;
    return own;
  }

  Register value(const Expr& e, Section s, Register mask) {
    const Facts f = facts(e, s);
    if (!f.may_fail) mask = no_register;
    Level level = level_of(f.level, s);
    if (mask != no_register) raise(level, level_of_register_[mask]);
    const auto key =
        std::tuple{e.identity(), mask, plan_.lanes_reduce ? static_cast<int>(s) : 10 + static_cast<int>(level)};
    if (const auto found = memo_.find(key); found != memo_.end()) return found->second;
    const Register r = emit(e, s, mask, level);
    level_of_register_[r] = level;
    memo_.emplace(key, r);
    return r;
  }

  Register emit(const Expr& e, Section s, Register mask, Level level) {
    if (const auto* c = e.as<Const>()) {
      const Register r = make_register(c->value.type);
      p_.constants.emplace_back(r, c->value);
      return r;
    }
    if (const auto* a = e.as<Accumulated>()) return p_.accumulators[static_cast<std::size_t>(a->accumulator)].value;
    if (const auto* a = e.as<Incoming>()) return p_.accumulators[static_cast<std::size_t>(a->accumulator)].incoming;
    Instruction i;
    i.type = i.from = e.type();
    i.mask = mask;
    if (const auto* c = e.as<Carried>()) {
      const Register state = p_.states[static_cast<std::size_t>(c->state)];
      if (!plan_.lanes_reduce || s != Section::body) return state;
      i.kind = InstructionKind::broadcast;
      i.a = state;
    } else if (const auto* a = e.as<Axis>()) {
      i.kind = InstructionKind::axis;
      i.axis = a->axis;
    } else if (const auto* l = e.as<Load>()) {
      i.kind = InstructionKind::load;
      i.access = &plan_.loads.at(e.identity());
      i.outside = l->outside;
      for (const auto& g : i.access->general) i.indices.push_back(value(g.index, s, mask));
    } else if (const auto* t = e.as<Lookup>()) {
      i.kind = InstructionKind::lookup;
      i.table = t->table;
      i.a = value(t->index, s, mask);
    } else if (const auto* u = e.as<Unary>()) {
      i.kind = InstructionKind::unary;
      i.op = static_cast<std::uint8_t>(u->op);
      i.from = u->a.type();
      i.a = value(u->a, s, mask);
    } else if (const auto* b = e.as<Binary>()) {
      const bool compare = binary_operators()[static_cast<std::size_t>(b->op)].kind == OperatorKind::compare;
      i.kind = compare ? InstructionKind::compare : InstructionKind::binary;
      i.op = static_cast<std::uint8_t>(b->op);
      i.from = b->a.type();
      i.a = value(b->a, s, mask);
      i.b = value(b->b, s, mask);
    } else if (const auto* conversion = e.as<Cast>()) {
      i.kind = InstructionKind::cast;
      i.from = conversion->a.type();
      i.a = value(conversion->a, s, mask);
    } else {
      const auto* select = e.as<Select>();
      i.kind = InstructionKind::select;
      i.c = value(select->condition, s, mask);
      i.a = value(select->a, s, narrowed(mask, select->a, i.c, true, s));
      i.b = value(select->b, s, narrowed(mask, select->b, i.c, false, s));
    }
    i.to = make_register(e.type());
    const Register result = i.to;
    p_.code[static_cast<std::size_t>(level)].push_back(std::move(i));
    return result;
  }

  /// mask and condition (or not condition), where the side can fail at all.
  Register narrowed(Register mask, const Expr& side, Register condition, bool taken, Section s) {
    if (!facts(side, s).may_fail) return no_register;
    Register r = condition;
    if (!taken) {
      Instruction i;
      i.kind = InstructionKind::unary;
      i.type = i.from = ElementType::boolean;
      i.op = static_cast<std::uint8_t>(UnaryOp::logical_not);
      i.a = condition;
      r = append(std::move(i), level_of_register_[condition]);
    }
    if (mask == no_register) return r;
    Instruction i;
    i.kind = InstructionKind::binary;
    i.type = i.from = ElementType::boolean;
    i.op = static_cast<std::uint8_t>(BinaryOp::bit_and);
    i.a = mask;
    i.b = r;
    Level level = level_of_register_[mask];
    raise(level, level_of_register_[r]);
    return append(std::move(i), level);
  }
  Register append(Instruction i, Level level) {
    const Register r = make_register(i.type);
    i.to = r;
    p_.code[static_cast<std::size_t>(level)].push_back(std::move(i));
    level_of_register_[r] = level;
    return r;
  }

  const Kernel& k_;
  const LanePlan& plan_;
  LaneProgram p_;
  std::map<std::pair<const void*, bool>, Facts> facts_;
  std::map<std::tuple<const void*, Register, int>, Register> memo_;
  std::map<Register, Level> level_of_register_;
};

}  // namespace

LaneProgram compile_lanes(const Kernel& k, const LanePlan& plan) { return Compiler(k, plan).compile(); }

}  // namespace pimento::ir
