// Einstein's sum: a product of all operands, summed over the letters that the result lacks.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/ops/define.hpp"

namespace pimento::ops {
namespace {

/// The equation as labels per dimension; dimensions under an ellipsis are labelled '0', '1', ... from its end.
struct Equation {
  std::vector<std::string> terms;
  std::string result;
  std::map<char, std::int64_t> extents;

  explicit Equation(const Call& c) {
    std::string text;
    for (const char ch : c.text("equation")) {
      const bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
      if (!letter && std::string_view(" ,.->").find(ch) == std::string_view::npos)
        c.refuse("equation", "letters, commas, '...' and '->'", "'" + c.text("equation") + "'");
      if (ch != ' ') text += ch;
    }
    const auto arrow = text.find("->");
    std::string part;
    for (const char ch : text.substr(0, arrow) + ",") {
      if (ch != ',') {
        part += ch;
        continue;
      }
      terms.push_back(part);
      part.clear();
    }
    if (static_cast<int>(terms.size()) != c.inputs())
      c.refuse("equation", fmt::format("{} terms, as there are inputs", c.inputs()), std::to_string(terms.size()));
    std::string ellipsis;  // labels of the widest ellipsis
    for (int i = 0; i < c.inputs(); ++i) {
      auto& term = terms[static_cast<std::size_t>(i)];
      const auto dots = term.find("...");
      if (dots != std::string::npos) {
        std::string labels;
        for (auto n = c.rank(i) - static_cast<int>(term.size()) + 3; n > 0; --n)
          labels += static_cast<char>('0' + n - 1);
        term.replace(dots, 3, labels);
        if (labels.size() > ellipsis.size()) ellipsis = labels;
      }
      if (static_cast<int>(term.size()) != c.rank(i))
        c.refuse(i, fmt::format("rank {}, as the equation says", term.size()), fmt::format("rank {}", c.rank(i)));
      for (int d = 0; d < c.rank(i); ++d) {
        if (std::string_view(".->").find(term[static_cast<std::size_t>(d)]) != std::string_view::npos)
          c.refuse("equation", "letters, at most one '...' in a term", "'" + term + "'");
        auto& extent = extents.try_emplace(term[static_cast<std::size_t>(d)], 1).first->second;
        if (extent != 1 && c.dim(i, d) != 1 && extent != c.dim(i, d))
          c.refuse(i, fmt::format("extent {} on dimension {}", extent, d), std::to_string(c.dim(i, d)));
        if (extent == 1) extent = c.dim(i, d);  // 1 meets any extent, 0 as well
      }
    }
    if (arrow != std::string::npos) {
      result = text.substr(arrow + 2);
      if (const auto dots = result.find("..."); dots != std::string::npos) result.replace(dots, 3, ellipsis);
    } else {
      result = ellipsis;
      for (const auto& [label, extent] : extents)
        if (std::isalpha(static_cast<unsigned char>(label)) != 0 && times(label) == 1) result += label;
    }
    for (const char label : result)
      if (!extents.contains(label) || std::count(result.begin(), result.end(), label) > 1)
        c.refuse("equation", "a result of letters from the terms, each once", "'" + result + "'");
  }
  std::ptrdiff_t times(char label) const {
    std::ptrdiff_t count = 0;
    for (const auto& term : terms) count += std::count(term.begin(), term.end(), label);
    return count;
  }
  Shape shape() const {
    Shape extents_of_result;
    for (const char label : result) extents_of_result.push_back(extents.at(label));
    return extents_of_result;
  }
};

void einsum_kernels(const Call& c, Sequence& s) {
  const Equation e(c);
  s.kernel("einsum", [&](Formula& k) {
    std::map<char, Expr> axes;
    Axes to;
    const auto name = [](char label) {
      return fmt::format("{}{}", std::isdigit(static_cast<unsigned char>(label)) != 0 ? "e" : "", label);
    };
    for (const char label : e.result) to.push_back(axes[label] = k.parallel(name(label), e.extents.at(label)));
    bool reduces = false;
    for (const auto& [label, extent] : e.extents) {
      if (axes.contains(label)) continue;
      axes[label] = k.reduction(name(label), extent);
      reduces = true;
    }
    const auto wide = accumulator_type(c.element());
    Expr product;
    for (int i = 0; i < c.inputs(); ++i) {
      const auto X = k.read(s.input(i));
      Axes at;
      for (int d = 0; d < c.rank(i); ++d)
        at.push_back(c.dim(i, d) == 1 ? ir::index(0)
                                      : axes.at(e.terms[static_cast<std::size_t>(i)][static_cast<std::size_t>(d)]));
      const auto factor = ir::cast(wide, X.at(at));
      product = product ? product * factor : factor;
    }
    const auto Y = k.write_to(s.output());
    k.write(Y, to, as(Y, reduces ? k.sum(product) : product));
  });
}

OP({
    .name = "einsum",
    .summary = "product of the inputs, summed over the letters that the result lacks",
    .onnx = {{"Einsum", 12}},
    .inputs = {many(in("inputs", Types::numeric))},
    .attributes = {text("equation", {})},
    .infer = [](const Call& c) -> std::vector<TensorType> {
      return {{c.element(), Equation(c).shape()}};
    },
    .kernels = einsum_kernels,
});

}  // namespace
}  // namespace pimento::ops
