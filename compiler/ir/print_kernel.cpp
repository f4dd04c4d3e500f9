#include <fmt/format.h>

#include "compiler/ir/text.hpp"
#include "compiler/ir/text_lexer.hpp"
#include "compiler/ir/text_precedence.hpp"

namespace pimento::ir {
namespace {

class ExprPrinter {
 public:
  explicit ExprPrinter(const ExprNames& names) : names_(names) {}

  std::string print(const Expr& e, int outer = 0) const {
    if (!e) return "_";
    return std::visit([&](const auto& x) { return text(x, e, outer); }, e.node().any);
  }

 private:
  template <class T, class F>
  static std::string name(const std::vector<T>& list, int i, const char* fallback, const F& get) {
    const auto at = static_cast<std::size_t>(i);
    return at < list.size() ? get(list[at]) : fmt::format("{}{}", fallback, i);
  }
  std::string accumulator(int i) const {
    return name(names_.accumulators, i, "acc", [](const auto& a) { return a.first; });
  }
  std::string operand(int i) const {
    return name(names_.operands, i, "operand", [](const Operand& o) { return o.name; });
  }

  static std::string constant(const Scalar& v) {
    const bool plain = v.type == ElementType::i64 || v.type == ElementType::f32 || v.type == ElementType::boolean;
    return plain ? to_string(v) : fmt::format("{}({})", to_string(v.type), to_string(v));
  }

  std::string text(const Const& x, const Expr&, int) const { return constant(x.value); }
  std::string text(const Axis& x, const Expr&, int) const {
    return name(names_.axes, x.axis, "axis", [](const std::string& s) { return s; });
  }
  std::string text(const Load& x, const Expr&, int) const {
    std::vector<std::string> indices;
    for (const Expr& i : x.indices) indices.push_back(print(i));
    std::string s = fmt::format("{}[{}]", operand(x.operand), fmt::join(indices, ", "));
    if (x.rule == OutOfRange::value) s += " outside " + to_string(x.outside);
    if (x.rule == OutOfRange::clamp) s += " clamped";
    return s;
  }
  std::string text(const Lookup& x, const Expr& e, int) const {
    std::vector<std::string> values;
    for (std::int64_t i = 0; i < x.table.elements(); ++i) values.push_back(to_string(x.table.at(i)));
    return fmt::format("table<{}>[{}][{}]", to_string(e.type()), fmt::join(values, ", "), print(x.index));
  }
  std::string text(const Unary& x, const Expr&, int) const {
    return fmt::format("{}({})", unary_operators()[static_cast<std::size_t>(x.op)].name, print(x.a));
  }
  std::string text(const Binary& x, const Expr&, int outer) const {
    const BinaryInfo& row = binary_operators()[static_cast<std::size_t>(x.op)];
    if (row.kind == OperatorKind::call) return fmt::format("{}({}, {})", row.text, print(x.a), print(x.b));
    const int own = precedence(row.text);
    const std::string s = fmt::format("{} {} {}", print(x.a, own), row.text, print(x.b, own + 1));
    return own < outer ? "(" + s + ")" : s;
  }
  std::string text(const Select& x, const Expr&, int) const {
    return fmt::format("select({}, {}, {})", print(x.condition), print(x.a), print(x.b));
  }
  std::string text(const Cast& x, const Expr&, int) const {
    return fmt::format("cast<{}>({})", to_string(x.to), print(x.a));
  }
  std::string text(const Carried& x, const Expr&, int) const {
    return name(names_.states, x.state, "state", [](const auto& s) { return s.first; });
  }
  std::string text(const Accumulated& x, const Expr&, int) const { return accumulator(x.accumulator); }
  std::string text(const Incoming& x, const Expr&, int) const { return "in." + accumulator(x.accumulator); }

  const ExprNames& names_;
};

std::string operand_list(const std::vector<Operand>& operands) {
  std::vector<std::string> texts;
  for (const Operand& o : operands) {
    texts.push_back(fmt::format("{} : {}{}", o.name, o.role == OperandRole::output ? "out " : "", to_string(o.type)));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "n: 1, m: 8 | c: 2 | t: 4"; axes whose kinds are mixed name them: "reduction c: 2, n: 1".
std::string axis_list(const Kernel& k) {
  static constexpr const char* kinds[] = {"parallel", "reduction", "carried"};
  std::string s;
  int kind = 0;
  bool sorted = true;
  for (std::size_t i = 1; i < k.axes.size(); ++i) sorted = sorted && k.axes[i - 1].kind <= k.axes[i].kind;
  bool first = true;
  for (const KernelAxis& a : k.axes) {
    if (sorted && kind < static_cast<int>(a.kind)) {
      for (; kind < static_cast<int>(a.kind); ++kind) s += " |";
      s += " ";
      first = true;
    }
    if (!first) s += ", ";
    if (!sorted) s += fmt::format("{} ", kinds[static_cast<std::size_t>(a.kind)]);
    s += fmt::format("{}: {}", a.name, a.extent);
    first = false;
  }
  return s;
}

}  // namespace

int precedence(std::string_view op) {
  if (op == "*" || op == "/" || op == "//" || op == "%") return 7;
  if (op == "+" || op == "-") return 6;
  if (op == "<<" || op == ">>") return 5;
  if (op == "&") return 4;
  if (op == "^") return 3;
  if (op == "|") return 2;
  return 1;  // comparisons
}

std::string_view combiner_text(Combiner c) {
  static constexpr std::string_view texts[] = {"+=", "*=", "max=", "min=", "&=", "|=", "merge="};
  return texts[static_cast<std::size_t>(c)];
}
std::string_view write_rule_text(WriteRule r) {
  static constexpr std::string_view texts[] = {"=", "+=", "*=", "max=", "min="};
  return texts[static_cast<std::size_t>(r)];
}

ExprNames names_of(const Kernel& k) {
  ExprNames n;
  for (const KernelAxis& a : k.axes) n.axes.push_back(a.name);
  n.operands = k.operands;
  for (const State& s : k.states) n.states.emplace_back(s.name, s.type);
  for (const Accumulator& a : k.accumulators) n.accumulators.emplace_back(a.name, a.type);
  return n;
}

std::string print(const Expr& e, const ExprNames& names) { return ExprPrinter(names).print(e); }

std::string print(const Kernel& k) {
  const ExprNames names = names_of(k);
  const ExprPrinter p(names);
  std::string s = fmt::format("kernel {} ({}) {{\n", k.name, axis_list(k));
  for (const State& state : k.states) {
    s += fmt::format("  state {} : {} = {} then {}\n", state.name, to_string(state.type), p.print(state.initial),
                     p.print(state.next));
  }
  for (const Accumulator& a : k.accumulators) {
    s += fmt::format("  {} : {} {} {}", a.name, to_string(a.type), combiner_text(a.combiner), p.print(a.body));
    if (a.combiner == Combiner::merge) s += " by " + p.print(a.merge);
    if (a.combiner == Combiner::merge || !(a.initial == identity(a.combiner, a.type)))
      s += " init " + to_string(a.initial);
    if (a.guard) s += " if " + p.print(a.guard);
    s += "\n";
  }
  for (const Output& o : k.outputs) {
    std::vector<std::string> map;
    for (const Expr& e : o.map) map.push_back(p.print(e));
    const auto name = [&](int i) { return k.operands[static_cast<std::size_t>(i)].name; };
    s +=
        fmt::format("  {}[{}] {} {}", name(o.operand), fmt::join(map, ", "), write_rule_text(o.rule), p.print(o.value));
    if (o.guard) s += " if " + p.print(o.guard);
    if (o.out_of_range == OutOfRange::value) s += " skipping";
    if (o.starts_from >= 0) s += " from " + name(o.starts_from);
    s += "\n";
  }
  return s + "} where " + operand_list(k.operands);
}

std::string print(const LibraryKernel& k) {
  std::string s = "library " + k.name;
  if (!k.attributes.empty()) s += " " + print(k.attributes);
  return s + " where " + operand_list(k.operands);
}

std::string print(const AnyKernel& k) {
  return std::visit([](const auto& x) { return print(x); }, k);
}

std::string print(const KernelSequence& s) {
  static constexpr const char* kinds[] = {"input", "output", "temporary", "constant"};
  std::string text;
  for (std::size_t i = 0; i < s.temporaries.size(); ++i)
    text += fmt::format("temporary {} : {}\n", i, to_string(s.temporaries[i]));
  for (std::size_t i = 0; i < s.constants.size(); ++i)
    text += fmt::format("constant {} : {}\n", i, print(Attribute(s.constants[i])));
  for (const KernelCall& call : s.calls) {
    std::vector<std::string> slots;
    for (const Slot slot : call.slots)
      slots.push_back(fmt::format("{} {}", kinds[static_cast<std::size_t>(slot.kind)], slot.index));
    text += fmt::format("{}\n  on {}\n", print(call.kernel), fmt::join(slots, ", "));
  }
  return text;
}

}  // namespace pimento::ir
