#include <fmt/format.h>

#include <set>

#include "compiler/ir/fingerprint.hpp"
#include "compiler/ir/text.hpp"
#include "compiler/ir/text_lexer.hpp"

namespace pimento::ir {
namespace {

std::string tensor_content(const Tensor& t, const PrintOptions& options) {
  if (t.elements() > options.inline_elements) return "#" + to_string(fingerprint(t));
  std::vector<std::string> values;
  for (std::int64_t i = 0; i < t.elements(); ++i) values.push_back(to_string(t.at(i)));
  return fmt::format("[{}]", fmt::join(values, ", "));
}

bool is_bare(const std::string& s) {
  if (s.empty()) return false;
  for (const char c : s) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && c != '_' && c != '.' && c != '/' && c != '$' && c != '-') return false;
  }
  return true;
}

class GraphPrinter {
 public:
  GraphPrinter(const Graph& g, const PrintOptions& options) : g_(g), options_(options), names_(g.values.size()) {
    std::set<std::string> taken;
    for (std::size_t i = 0; i < g.values.size(); ++i) {
      const std::string base = g.values[i].name.empty() ? fmt::format("{}", i) : g.values[i].name;
      names_[i] = base;
      for (std::size_t n = i; !taken.insert(names_[i]).second; ++n) names_[i] = fmt::format("{}.{}", base, n);
    }
  }

  std::string inputs() const {
    std::vector<std::string> texts;
    for (const ValueId v : g_.inputs) texts.push_back(fmt::format("{} : {}", name(v), to_string(g_.type(v))));
    return fmt::format("({})", fmt::join(texts, ", "));
  }

  std::string content(const std::string& indent) const {
    std::string s = "{\n";
    for (const auto& [key, value] : g_.metadata)
      s += fmt::format("{}  meta {} = {}\n", indent, quoted(key), quoted(value));
    for (const ValueId v : mentioned_constants()) {
      s += fmt::format("{}  {} : {} = {}\n", indent, name(v), to_string(g_.type(v)),
                       tensor_content(*g_.value(v).constant, options_));
    }
    for (const GraphState& state : g_.states) {
      s += fmt::format("{}  state {} : {}", indent, name(state.current), to_string(g_.type(state.current)));
      if (state.initial) s += " = " + tensor_content(*state.initial, options_);
      s += fmt::format(" next {}\n", name(state.next));
    }
    for (const Node& n : g_.nodes) {
      s += fmt::format("{}  {}", indent, node(n));
      if (n.body) {
        const GraphPrinter inner(*n.body, options_);
        s += fmt::format(" body {} {}", inner.inputs(), inner.content(indent + "  "));
      }
      s += "\n";
    }
    return s + fmt::format("{}  return {}\n{}}}", indent, list(g_.outputs), indent);
  }

  std::string node(const Node& n) const {
    std::string s = fmt::format("{} = {}", list(n.outputs), n.op);
    if (!n.inputs.empty()) s += " " + list(n.inputs);
    if (!n.attributes.empty()) s += " " + print(n.attributes, options_);
    std::vector<std::string> types;
    for (const ValueId v : n.outputs) types.push_back(v == no_value ? "_" : to_string(g_.type(v)));
    s += fmt::format(" : {}", fmt::join(types, ", "));
    if (!n.source.empty()) s += " from " + quoted(n.source);
    return s;
  }

 private:
  std::string name(ValueId v) const {
    if (v == no_value) return "_";
    const std::string& n = names_[to_index(v)];
    return (g_.is_constant(v) ? "@" : "%") + (is_bare(n) ? n : quoted(n));
  }
  std::string list(const std::vector<ValueId>& values) const {
    std::vector<std::string> texts;
    for (const ValueId v : values) texts.push_back(name(v));
    return fmt::format("{}", fmt::join(texts, ", "));
  }
  std::vector<ValueId> mentioned_constants() const {
    std::set<ValueId> found;
    const auto add = [&](ValueId v) {
      if (g_.is_constant(v)) found.insert(v);
    };
    for (const Node& n : g_.nodes) {
      for (const ValueId v : n.inputs) add(v);
    }
    for (const ValueId v : g_.outputs) add(v);
    for (const GraphState& s : g_.states) add(s.next);
    return {found.begin(), found.end()};
  }

  const Graph& g_;
  const PrintOptions& options_;
  std::vector<std::string> names_;
};

}  // namespace

std::string print(const Attribute& a, const PrintOptions& options) {
  struct Printer {
    const PrintOptions& options;
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return real_text(v); }
    std::string operator()(const std::string& v) const { return quoted(v); }
    std::string operator()(const std::vector<std::int64_t>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
    std::string operator()(const std::vector<double>& v) const {
      std::vector<std::string> texts;
      for (const double x : v) texts.push_back(real_text(x));
      return fmt::format("{}[{}]", v.empty() ? "real " : "", fmt::join(texts, ", "));
    }
    std::string operator()(const Tensor& t) const {
      return fmt::format("{} {}", to_string(t.type()), tensor_content(t, options));
    }
  };
  return std::visit(Printer{options}, a);
}

std::string print(const Attributes& a, const PrintOptions& options) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : a) texts.push_back(fmt::format("{} = {}", key, print(value, options)));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

std::string print(const Graph& g, const PrintOptions& options) {
  const GraphPrinter p(g, options);
  std::string name;
  if (!g.name.empty()) {
    const bool word = is_bare(g.name) && g.name.find_first_of("/$-") == std::string::npos &&
                      (g.name[0] < '0' || g.name[0] > '9') && g.name[0] != '.';
    name = word ? g.name + " " : fmt::format("%{} ", is_bare(g.name) ? g.name : quoted(g.name));
  }
  return fmt::format("graph {}{} {}\n", name, p.inputs(), p.content(""));
}

std::string print(const Graph& g, const Node& n, const PrintOptions& options) {
  return GraphPrinter(g, options).node(n);
}

}  // namespace pimento::ir
