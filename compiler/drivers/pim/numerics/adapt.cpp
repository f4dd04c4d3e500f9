#include "compiler/drivers/pim/numerics/adapt.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/drivers/pim/numerics/emulate.hpp"
#include "compiler/drivers/pim/numerics/rounding.hpp"
#include "compiler/ir/interpreter.hpp"

namespace pimento::pim {
namespace {

/// Output positions on which one matrix is rounded, over all samples: more are thinned out evenly.
constexpr std::int64_t most_positions = 4096;

/// Flat row-major offset of every physical row; strides of position and channel.
struct Offsets {
  std::vector<std::int64_t> row;
  std::int64_t position = 0, channel = 0;
  std::int32_t positions = 1;

  Offsets(const ir::Shape& shape, const Layout& layout) : positions(layout.positions) {
    const ir::Shape strides = ir::row_major_strides(shape);
    const std::size_t rank = shape.size();
    const auto dimension = [&](std::size_t i) { return static_cast<std::size_t>(layout.order[i]); };
    if (rank > 0) channel = strides[dimension(rank - 1)];
    if (rank > 1) position = strides[dimension(rank - 2)];
    for (std::int32_t r = 0; r < layout.rows; ++r) {
      std::int64_t left = r, offset = 0;
      for (std::size_t i = rank > 2 ? rank - 2 : 0; i-- > 0;) {
        offset += left % shape[dimension(i)] * strides[dimension(i)];
        left /= shape[dimension(i)];
      }
      row.push_back(offset);
    }
  }
};

/// One value under both arithmetics, by sample.
struct Both {
  std::vector<ir::Tensor> real, stored;
};

class Adapter {
 public:
  Adapter(ir::Graph& graph, NumericsPlan& plan, int weight_bits)
      : graph_(graph),
        before_(graph),
        plan_(plan),
        largest_(static_cast<float>(std::ldexp(1.0, weight_bits - 1) - 1)),
        layouts_(choose_layouts(graph)),
        roots_(find_roots(graph, layouts_)),
        values_(graph.values.size()),
        last_reader_(graph.values.size(), 0),
        contractions_(graph.nodes.size()) {
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
      for (const ir::ValueId v : graph.nodes[n].inputs)
        if (v != ir::no_value) last_reader_[ir::to_index(v)] = n;
  }

  void run(const std::vector<std::vector<ir::Tensor>>& samples) {
    for (const auto& sample : samples)
      for (std::size_t i = 0; i < sample.size(); ++i) enter(before_.inputs[i], sample[i]);
    const std::vector<ir::Tensor> states = ir::initial_states(before_);
    for (std::size_t i = 0; i < states.size(); ++i)
      for (std::size_t s = 0; s < samples.size(); ++s) enter(before_.states[i].current, states[i]);
    for (std::size_t n = 0; n < before_.nodes.size(); ++n) {
      round_weights(n);
      for (std::size_t s = 0; s < samples.size(); ++s) execute(n, s);
      for (const ir::ValueId v : before_.nodes[n].inputs)
        if (v != ir::no_value && last_reader_[ir::to_index(v)] == n) values_[ir::to_index(v)] = {};
    }
  }

 private:
  ir::Graph& graph_;
  const ir::Graph before_;
  NumericsPlan& plan_;
  const float largest_;
  const std::vector<Layout> layouts_;
  const std::vector<Root> roots_;
  std::vector<Both> values_;
  std::vector<std::size_t> last_reader_;
  std::vector<std::optional<Contracted>> contractions_;  ///< by node, from its turn on

  /// A value of the outside, as it is and as the chip holds it.
  void enter(ir::ValueId v, const ir::Tensor& given) { keep(v, given, as_stored(plan_.of(v), given)); }
  void keep(ir::ValueId v, const ir::Tensor& real, const ir::Tensor& stored) {
    values_[ir::to_index(v)].real.push_back(real);
    values_[ir::to_index(v)].stored.push_back(stored);
  }

  void execute(std::size_t n, std::size_t sample) {
    const ir::Node& node = before_.nodes[n];
    const auto real =
        interpret_node(before_, node, [&](ir::ValueId v) { return values_[ir::to_index(v)].real.at(sample); });
    const auto stored = emulate(graph_, graph_.nodes[n], plan_, contractions_[n], plan_.weight_scales[n], layouts_,
                                [&](ir::ValueId v) { return values_[ir::to_index(v)].stored.at(sample); });
    std::size_t at = 0;
    for (const ir::ValueId v : node.outputs) {
      if (v == ir::no_value) continue;
      keep(v, real[at], stored[at]);
      ++at;
    }
  }

  void round_weights(std::size_t n) {
    const std::vector<double>& scales = plan_.weight_scales[n];
    if (scales.empty()) return;
    const ir::Node& node = before_.nodes[n];
    std::optional<Contracted>& c = contractions_[n];
    c = contracted(before_, node, layouts_, roots_);
    if (!c) return;
    const auto weight_at = static_cast<std::size_t>(c->weight_input);
    ir::Tensor weights = *before_.value(node.inputs[weight_at]).constant;
    const std::optional<std::size_t> bias_at = bias_input(before_, node, scales.size());
    std::vector<double> offset(scales.size(), 0.0);
    float* data = weights.mutable_data<float>();
    for (const Contracted::Matrix& m : c->matrices) {
      RoundingProblem p = problem(node, *c, m);
      p.free_offset = bias_at.has_value();
      const auto columns = static_cast<std::size_t>(p.columns);
      const auto place = [&](std::size_t r, std::size_t col) {
        return m.weight_base + c->by_column[col] + c->by_reduction[static_cast<std::size_t>(m.elements[r].reduction)];
      };
      for (std::size_t r = 0; r < m.elements.size(); ++r)
        for (std::size_t col = 0; col < columns; ++col)
          p.weights.push_back(static_cast<float>(static_cast<double>(data[place(r, col)]) /
                                                 scales[static_cast<std::size_t>(m.col0) + col]));
      const Rounded rounded = round_adaptively(std::move(p));
      for (std::size_t col = 0; col < columns; ++col) {
        const double scale = scales[static_cast<std::size_t>(m.col0) + col];
        for (std::size_t r = 0; r < m.elements.size(); ++r)
          data[place(r, col)] = static_cast<float>(scale * static_cast<double>(rounded.codes[r * columns + col]));
        offset[static_cast<std::size_t>(m.col0) + col] = scale * rounded.offset[col];
      }
    }
    replace(n, weight_at, std::move(weights));
    if (!bias_at) return;
    ir::Tensor bias = *before_.value(node.inputs[*bias_at]).constant;
    float* to = bias.mutable_data<float>();
    for (std::size_t col = 0; col < offset.size(); ++col)
      to[col] = static_cast<float>(static_cast<double>(to[col]) + offset[col]);
    replace(n, *bias_at, std::move(bias));
  }

  /// The node's own constant in place of one that others may read too.
  void replace(std::size_t n, std::size_t input, ir::Tensor content) {
    ir::ValueId& v = graph_.nodes[n].inputs[input];
    plan_.formats.push_back(plan_.of(v));
    v = graph_.add_constant(graph_.value(v).name, std::move(content));
  }

  /// The inputs that reach one matrix, window by window.
  RoundingProblem problem(const ir::Node& node, const Contracted& c, const Contracted::Matrix& m) const {
    const ir::ValueId in = node.inputs[static_cast<std::size_t>(c.data_input)];
    const ir::ValueId root = roots_[ir::to_index(in)].value;
    const Offsets offsets(before_.type(root).shape, layouts_[ir::to_index(root)]);
    const Layout& out = layouts_[ir::to_index(node.outputs[0])];
    const Both& both = values_[ir::to_index(in)];
    const auto sets = static_cast<std::int64_t>(both.real.size());
    const std::int64_t windows = std::int64_t{out.rows} * out.positions;
    const std::int64_t taken = std::min(windows, std::max<std::int64_t>(1, most_positions / sets));
    RoundingProblem p;
    p.reduction = static_cast<std::int32_t>(m.elements.size());
    p.columns = m.col1 - m.col0;
    p.samples = static_cast<std::int32_t>(taken * sets);
    p.largest_code = largest_;
    p.real_inputs.reserve(m.elements.size() * static_cast<std::size_t>(p.samples));
    p.stored_inputs.reserve(p.real_inputs.capacity());
    const auto rows = static_cast<std::int64_t>(offsets.row.size());
    for (const Contracted::Matrix::Element& e : m.elements)
      for (std::size_t s = 0; s < both.real.size(); ++s) {
        const float* real = both.real[s].data<float>();
        const float* stored = both.stored[s].data<float>();
        for (std::int64_t i = 0; i < taken; ++i) {
          const std::int64_t window = i * windows / taken;
          const auto y = static_cast<std::int32_t>(window / out.positions);
          const auto x = static_cast<std::int32_t>(window % out.positions);
          const std::int64_t row = c.pace.row(y, x) + e.row;
          const std::int64_t position = c.pace.position(x) + e.position;
          const bool outside = row < 0 || row >= rows || position < 0 || position >= offsets.positions;
          const std::int64_t at = outside ? 0
                                          : offsets.row[static_cast<std::size_t>(row)] + position * offsets.position +
                                                e.channel * offsets.channel;
          p.real_inputs.push_back(outside ? 0.0F : real[at]);
          p.stored_inputs.push_back(outside ? 0.0F : stored[at]);
        }
      }
    return p;
  }
};

}  // namespace

void adapt_weights(ir::Graph& graph, NumericsPlan& plan, int weight_bits,
                   const std::vector<std::vector<ir::Tensor>>& samples) {
  Adapter(graph, plan, weight_bits).run(samples);
}

}  // namespace pimento::pim
