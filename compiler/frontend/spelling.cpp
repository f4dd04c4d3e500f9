#include "compiler/frontend/spelling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/frontend/tensor_proto.hpp"
#include "compiler/ops/define.hpp"

namespace pimento::frontend {

void Spelt::rename(const std::string& from, const std::string& to) {
  const auto it = attributes.find(from);
  if (it == attributes.end()) return;
  auto value = std::move(it->second);
  attributes.erase(it);
  attributes[to] = std::move(value);
}
void Spelt::drop(const std::string& attribute) { attributes.erase(attribute); }
void Spelt::drop_neutral(const std::string& attribute, const ir::Attribute& neutral) {
  const auto it = attributes.find(attribute);
  if (it == attributes.end()) return;
  if (it->second != neutral)
    throw UserError(fmt::format("attribute '{}' has no spelling in ONNX opset {}", attribute, newest_export_opset));
  attributes.erase(it);
}
void Spelt::to_input(const std::string& attribute, std::size_t input, ElementType type) {
  const auto it = attributes.find(attribute);
  if (it == attributes.end()) return;
  ir::Tensor content;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&it->second))
    content = ir::Tensor::of_integers({type, {static_cast<std::int64_t>(list->size())}}, *list);
  else if (const auto* integer = std::get_if<std::int64_t>(&it->second))
    content = ir::Tensor::of_integers({type, {}}, {*integer});
  else if (const auto* real = std::get_if<double>(&it->second))
    content = ir::Tensor::of({type, {}}, {*real});
  else if (const auto* tensor = std::get_if<ir::Tensor>(&it->second))
    content = *tensor;
  else
    throw InternalError(fmt::format("attribute '{}' cannot become an input", attribute));
  if (inputs.size() <= input) inputs.resize(input + 1);
  inputs[input] = constant(attribute, std::move(content));
  attributes.erase(it);
}

namespace {
struct Row {
  const char* op;
  void (*spell)(Spelt&, const ir::Graph&, const ir::Node&);
};
using Integers = std::vector<std::int64_t>;
ElementType element(const ir::Graph& g, const ir::Node& n) { return g.type(n.inputs.at(0)).type; }
const ir::Shape& shape(const ir::Graph& g, const ir::Node& n) { return g.type(n.inputs.at(0)).shape; }

void as_it_is(Spelt&, const ir::Graph&, const ir::Node&) {}
void axes_to_axis(Spelt& s, const ir::Graph&, const ir::Node& n) {
  const auto axes = ir::integers_attribute(n, "axes", {});
  if (axes.size() != 1) throw UserError(fmt::format("{} axes cannot be written as one", axes.size()));
  s.drop("axes");
  s.attributes["axis"] = axes[0];
}
void best(Spelt& s, const ir::Graph&, const ir::Node&) {
  s.rename("keep_dims", "keepdims");
  s.rename("last", "select_last_index");
}
void reduce(Spelt& s, const ir::Graph&, const ir::Node& n) {
  if (ir::integers_attribute(n, "axes", {}).empty())
    throw UserError("a reduction over no axis has no spelling in ONNX");
  s.rename("keep_dims", "keepdims");
  if (n.op == "reduce_sum") s.to_input("axes", 1);  // the one that took its axes as an input first, in opset 13
}
void undilated_pool(Spelt& s, const ir::Graph& g, const ir::Node& n) {
  s.drop_neutral("dilations", Integers(shape(g, n).size() - 2, 1));
}
void plain_scatter(Spelt& s, const ir::Graph&, const ir::Node&) { s.drop_neutral("reduction", std::string("none")); }
/// Inputs from position 1 on make room for one more there.
void make_room(Spelt& s) { s.inputs.insert(s.inputs.begin() + 1, ""); }

void slice(Spelt& s, const ir::Graph&, const ir::Node& n) {
  const auto begins = ir::integers_attribute(n, "begins", {}), sizes = ir::integers_attribute(n, "sizes", {}),
             steps = ir::integers_attribute(n, "steps", {});
  Integers ends, axes;
  for (std::size_t d = 0; d < begins.size(); ++d) {
    const auto end = begins[d] + sizes[d] * steps[d];
    ends.push_back(end < 0 ? std::numeric_limits<std::int64_t>::min() + 1 : end);  // -1 would count from the end
    axes.push_back(static_cast<std::int64_t>(d));
  }
  s.attributes = {{"starts", begins}, {"ends", ends}, {"axes", axes}, {"steps", steps}};
  s.to_input("starts", 1);
  s.to_input("ends", 2);
  s.to_input("axes", 3);
  s.to_input("steps", 4);
}
void pad(Spelt& s, const ir::Graph& g, const ir::Node& n) {
  make_room(s);
  s.to_input("pads", 1);
  if (s.inputs.size() > 2 && !s.inputs[2].empty())
    s.drop("value");
  else
    s.to_input("value", 2, element(g, n));
}
void resize(Spelt& s, const ir::Graph& g, const ir::Node& n) {
  s.rename("coordinates", "coordinate_transformation_mode");
  s.rename("nearest", "nearest_mode");
  s.drop_neutral("antialias", std::int64_t{0});
  s.drop_neutral("crop_begins", std::vector<double>{});
  s.drop_neutral("crop_ends", std::vector<double>{});
  const auto sizes = ir::integers_attribute(n, "sizes", {});
  const auto scales = ir::reals_attribute(n, "scales", {});
  bool by_size = true;  // the scales are then what ONNX derives from the sizes
  for (std::size_t d = 0; d < sizes.size(); ++d)
    by_size =
        by_size && static_cast<float>(scales[d]) == static_cast<float>(sizes[d]) / static_cast<float>(shape(g, n)[d]);
  s.inputs.resize(by_size ? 4 : 3);
  if (by_size)
    s.to_input("sizes", 3);
  else
    s.inputs[2] =
        s.constant("scales", ir::Tensor::of({ElementType::f32, {static_cast<std::int64_t>(scales.size())}}, scales));
  s.drop("sizes");
  s.drop("scales");
}

constexpr Row rows[] = {
    {"arg_max", best},
    {"arg_min", best},
    {"average_pool", undilated_pool},
    {"batch_norm", as_it_is},
    {"bit_shift", as_it_is},
    {"cast",
     [](Spelt& s, const ir::Graph&, const ir::Node& n) {
       const auto type = parse_element_type(ir::text_attribute(n, "to", ""));
       PIMENTO_CHECK(type.has_value(), "a cast to no type");
       s.attributes = {{"to", static_cast<std::int64_t>(onnx_type(*type))}};
     }},
    {"celu", as_it_is},
    {"clip",
     [](Spelt& s, const ir::Graph& g, const ir::Node& n) {
       s.to_input("min", 1, element(g, n));
       s.to_input("max", 2, element(g, n));
     }},
    {"concat", as_it_is},
    {"conv", as_it_is},
    {"conv_transpose", as_it_is},
    {"cum_sum", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.to_input("axis", 1); }},
    {"depth_to_space", as_it_is},
    {"dequantize_linear", as_it_is},
    {"einsum", as_it_is},
    {"elu", as_it_is},
    {"expand", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.to_input("shape", 1); }},
    {"gather", as_it_is},
    {"gather_elements", as_it_is},
    {"gather_nd", as_it_is},
    {"gemm",
     [](Spelt& s, const ir::Graph&, const ir::Node&) {
       s.rename("trans_a", "transA");
       s.rename("trans_b", "transB");
     }},
    {"global_lp_pool", as_it_is},
    {"hard_sigmoid", as_it_is},
    {"hardmax", axes_to_axis},
    {"instance_norm", as_it_is},
    {"is_inf", as_it_is},
    {"layer_norm", as_it_is},
    {"leaky_relu", as_it_is},
    {"log_softmax", axes_to_axis},
    {"lp_normalization", as_it_is},
    {"lp_pool",
     [](Spelt& s, const ir::Graph& g, const ir::Node& n) {
       undilated_pool(s, g, n);
       s.drop_neutral("ceil_mode", std::int64_t{0});
     }},
    {"lrn", as_it_is},
    {"max_pool", as_it_is},
    {"mean_variance_norm", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.drop_neutral("epsilon", 0.0); }},
    {"mod", as_it_is},
    {"one_hot",
     [](Spelt& s, const ir::Graph&, const ir::Node&) {
       make_room(s);
       s.to_input("depth", 1);
     }},
    {"pad", pad},
    {"quantize_linear",
     [](Spelt& s, const ir::Graph&, const ir::Node&) {
       if (s.inputs.size() > 2)
         s.drop("type");  // it is the zero point's
       else
         s.drop_neutral("type", std::string("u8"));
     }},
    {"reduce_l1", reduce},
    {"reduce_l2", reduce},
    {"reduce_log_sum", reduce},
    {"reduce_log_sum_exp", reduce},
    {"reduce_max", reduce},
    {"reduce_mean", reduce},
    {"reduce_min", reduce},
    {"reduce_prod", reduce},
    {"reduce_sum", reduce},
    {"reduce_sum_square", reduce},
    {"reshape", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.to_input("shape", 1); }},
    {"resize", resize},
    {"reverse_sequence", as_it_is},
    {"scatter_elements", plain_scatter},
    {"scatter_nd", plain_scatter},
    {"selu", as_it_is},
    {"shrink", as_it_is},
    {"slice", slice},
    {"softmax", axes_to_axis},
    {"space_to_depth", as_it_is},
    {"split", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.to_input("split", 1); }},
    {"thresholded_relu", as_it_is},
    {"tile", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.to_input("repeats", 1); }},
    {"top_k",
     [](Spelt& s, const ir::Graph&, const ir::Node& n) {
       s.attributes["k"] = Integers{ir::integer_attribute(n, "k", 0)};
       s.to_input("k", 1);
     }},
    {"transpose", as_it_is},
    {"trilu", [](Spelt& s, const ir::Graph&, const ir::Node&) { s.to_input("k", 1); }},
};
}  // namespace

Spelt spell(const ir::Graph& graph, const ir::Node& node, const Names& names) {
  const auto* op = ops::find(node.op);
  const ops::OnnxForm* form = nullptr;
  if (op != nullptr)
    for (const auto& candidate : op->onnx)
      if (form == nullptr && candidate.domain.empty() && candidate.since <= newest_export_opset && candidate.until == 0)
        form = &candidate;
  // An operator of another domain whose ONNX form is the canonical one, as those of plug-ins are.
  const bool is_foreign = form == nullptr && op != nullptr;
  if (is_foreign)
    for (const auto& candidate : op->onnx)
      if (!candidate.domain.empty() && candidate.until == 0 && !candidate.normalise) form = &candidate;
  const auto* row = std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return node.op == r.op; });
  const Place place{.node = fmt::format("node '{}'", node.source)};
  if (form == nullptr || (row == std::end(rows) && !is_foreign && !node.attributes.empty()))
    throw UserError(place, fmt::format("operator '{}' has no spelling in ONNX opset {}", node.op, newest_export_opset));
  Spelt s{.op_type = form->name,
          .domain = form->domain,
          .since = form->since,
          .attributes = node.attributes,
          .constant = names.constant};
  for (const auto v : node.inputs) s.inputs.push_back(v == ir::no_value ? "" : names.of(v));
  try {
    if (row != std::end(rows)) row->spell(s, graph, node);
  } catch (const UserError& e) {
    throw UserError(place, e.what());
  }
  return s;
}

}  // namespace pimento::frontend
