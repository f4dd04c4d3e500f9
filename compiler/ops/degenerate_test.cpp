// Every operator on small shapes, extents of 0 and 1 among them: what its rules accept, its kernels must hold.
#include <doctest/doctest.h>

#include <random>
#include <set>

#include "compiler/ops/entries.hpp"
#include "compiler/ops/testing.hpp"

using namespace pimento;
using namespace pimento::ops::testing;

namespace {
using Random = std::mt19937_64;
std::int64_t below(Random& random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

double any_real(Random& random) {
  static const Reals known{0.5, 0.25, 2, -1, 0, 1e30, -1e30, std::nan("")};
  return known[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(known.size())))];
}

ir::Attribute attribute_of(const ops::AttributeSpec& spec, int rank, Random& random) {
  using ops::AttributeKind;
  switch (spec.kind) {
    case AttributeKind::integer:
      return std::clamp<std::int64_t>(below(random, 4) - 1, spec.least.value_or(-1), spec.most.value_or(3));
    case AttributeKind::real:
      return any_real(random);
    case AttributeKind::text: {
      static const std::vector<std::string> equations{"ij,jk->ik", "i,i->i",    "ij->ji",  "...i,...i->...",
                                                      "ii->i",     "ij,kj->ik", "a,b->ab", "ijk->"};
      const std::vector<std::string>& choices = spec.choices.empty() ? equations : spec.choices;
      return choices[static_cast<std::size_t>(below(random, static_cast<std::int64_t>(choices.size())))];
    }
    case AttributeKind::integers: {
      Ints values(static_cast<std::size_t>(below(random, rank + 1)));
      for (std::int64_t& v : values) v = std::max(below(random, 3), spec.least.value_or(0));
      if (!values.empty() && below(random, 8) == 0) values[0] = std::int64_t{1} << (20 + below(random, 43));
      return values;
    }
    case AttributeKind::reals:
      return Reals{any_real(random), 0.25};
    case AttributeKind::tensor:
      return sample({2}, 1);
  }
  return std::int64_t{0};
}

Tensor operand(const ops::OperandSpec& spec, const Shape& like, Random& random) {
  Shape shape = like;
  if (below(random, 3) == 0) shape.resize(static_cast<std::size_t>(below(random, 5)), below(random, 3));
  for (std::int64_t& extent : shape)
    if (below(random, 4) == 0) extent = below(random, 3);
  using ops::Types;
  const ElementType type = spec.types == Types::boolean                                 ? ElementType::boolean
                           : spec.types == Types::index || spec.types == Types::integer ? i64
                                                                                        : f32;
  if (type != f32) {
    Ints values(static_cast<std::size_t>(ir::element_count(shape)));
    for (std::int64_t& v : values) v = below(random, 2);
    return Tensor::of_integers({type, shape}, values);
  }
  return sample(shape, below(random, 100));
}
}  // namespace

TEST_CASE("operators: does every one refuse or hold, whatever small shapes it is given, those of extent 0 too?") {
  Random random(7);
  std::int64_t held = 0, empty = 0;
  std::set<std::string> never;
  for (const ops::OpDef* op : ops::all()) {
    const std::int64_t before = held;
    for (const ops::OnnxForm& form : op->onnx)
      for (int trial = 0; trial < 200 || (held == before && trial < 30000); ++trial) {
        Shape shape(static_cast<std::size_t>(below(random, 5)));
        for (std::int64_t& extent : shape) extent = below(random, 4);
        std::vector<Tensor> inputs;
        for (ops::OperandSpec spec : op->inputs) {
          if (spec.as_first) spec.types = op->inputs.front().types;
          if (spec.optional && below(random, 2) == 0) break;
          inputs.push_back(operand(spec, shape, random));
          if (spec.variadic && below(random, 2) == 0) inputs.push_back(operand(spec, shape, random));
        }
        // what an entry has as attributes, ONNX may have as inputs of small integers
        for (std::int64_t more = below(random, 3); more > 0; --more) {
          Ints values(static_cast<std::size_t>(below(random, 5)));
          for (std::int64_t& v : values) v = below(random, 5) - 1;
          if (!values.empty() && below(random, 6) == 0) values[0] = std::int64_t{1} << (20 + below(random, 44));
          if (values.size() > 1 && below(random, 6) == 0) values[1] = std::int64_t{1} << (20 + below(random, 44));
          const Shape list{static_cast<std::int64_t>(values.size())};
          if (below(random, 4) != 0) {
            inputs.push_back(ints(list, values));
            continue;
          }
          Reals numbers(values.size());
          for (double& v : numbers) v = any_real(random);
          inputs.push_back(real(list, numbers));
        }
        Attributes attributes;
        for (const ops::AttributeSpec& spec : op->attributes)
          if ((!spec.fallback && !spec.is_optional) || below(random, 2) == 0)
            attributes[spec.name] = attribute_of(spec, static_cast<int>(shape.size()), random);
        const int opset = form.until != 0 ? form.until : std::max(form.since, ops::newest_opset);
        std::string story = fmt::format("{} opset {}, trial {}:", form.name, opset, trial);
        for (const Tensor& t : inputs) story += " " + ir::to_string(t.type());
        CAPTURE(story);
        try {
          const Node n =
              import(form.name, opset, attributes, inputs, static_cast<int>(op->outputs.size()), form.domain);
          if (n.finding || n.node.op.empty() || n.node.op == "loop") continue;
          const bool is_large = std::any_of(n.node.outputs.begin(), n.node.outputs.end(), [&](ir::ValueId v) {
            return v != ir::no_value && n.graph.type(v).elements() > 100000;
          });
          if (is_large) continue;
          const std::vector<Tensor> made = ops::fold(n.graph, n.node);
          ++held;
          for (const Tensor& t : made) empty += t.type().elements() == 0 ? 1 : 0;
        } catch (const UserError&) {  // refused, with a reason
        } catch (const std::exception& e) {
          FAIL_CHECK(fmt::format("{} {}", story, e.what()));
        }
      }
    if (held == before) never.insert(op->name);
  }
  CHECK(empty > 0);
  // what the draws do not reach: operands that must match in more ways than these do, of whole-number types of their
  // own, that become constants where they are imported, or that only the optimizer makes; each has tests of its own
  CHECK(fmt::format("{}", fmt::join(never, " ")) ==
        "constant conv_integer conv_transpose eye_like fill matmul_integer matmul_nt max_roi_pool max_unpool "
        "qlinear_conv qlinear_matmul range rearrange roi_align shape");
}
