#include "validation/whole/random_windows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "compiler/frontend/import.hpp"
#include "isa/support/error.hpp"
#include "models/zoo/random.hpp"
#include "validation/whole/whole.hpp"

namespace pimento::validation {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  WindowModel write() {
    const auto rank = static_cast<std::size_t>(1 + below(3));
    const std::int64_t most = rank == 1 ? 10 : rank == 2 ? 6 : 2;  // beyond the window's own extent
    for (std::size_t d = 0; d < rank; ++d) {
      kernel_.push_back(1 + below(rank == 3 ? 3 : 4));
      strides_.push_back(1 + below(3));
      dilations_.push_back(1 + below(rank == 3 ? 2 : 3));
      spatial_.push_back(reach(d) + below(most + 1));
    }
    const std::string op =
        std::array{"Conv", "Conv", "Conv", "MaxPool", "AveragePool", "LpPool"}[static_cast<std::size_t>(below(6))];
    op == "Conv" ? conv() : pool(op);
    WindowModel model;
    std::vector<std::int64_t> shape{batch_, channels_};
    shape.insert(shape.end(), spatial_.begin(), spatial_.end());
    model.text = fmt::format(
        "<ir_version: 8, opset_import: [\"\" : {}]>\ng (float[{}] x{}) => (float[{}] y) {{ y = {} <{}> (x{}) }}",
        op == "AveragePool" ? 19 : 13, fmt::join(shape, ","), declared_, unnamed(2 + rank), op, attributes_, operands_);
    frontend::ImportOptions options;
    options.constant_inputs = constants_;
    model.graph = frontend::import_text(model.text, options);
    return model;
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.bits() % static_cast<std::uint64_t>(bound));
  }
  bool chance(int percent) { return below(100) < percent; }
  /// From the first tap to the last, both included.
  std::int64_t reach(std::size_t d) const { return dilations_[d] * (kernel_[d] - 1) + 1; }
  static std::string unnamed(std::size_t rank) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < rank; ++d) names.push_back("y" + std::to_string(d));
    return fmt::format("{}", fmt::join(names, ","));
  }

  void attribute(const std::string& name, const std::string& value) {
    attributes_ += (attributes_.empty() ? "" : ", ") + name + " = " + value;
  }
  void attribute(const std::string& name, const std::vector<std::int64_t>& values) {
    attribute(name, fmt::format("[{}]", fmt::join(values, ",")));
  }
  void constant(const std::string& name, ir::Shape shape, double deviation) {
    std::vector<double> values(static_cast<std::size_t>(ir::element_count(shape)));
    for (double& v : values) v = deviation * static_cast<double>(random_.normal());
    declared_ += fmt::format(", float[{}] {}", fmt::join(shape, ","), name);
    operands_ += ", " + name;
    constants_[name] = ir::Tensor::of({ElementType::f32, std::move(shape)}, values);
  }

  /// `dilated`: the operator has dilations. No window lies in the padding alone.
  void window(bool dilated) {
    if (!dilated)
      for (std::size_t d = 0; d < kernel_.size(); ++d) dilations_[d] = 1;
    attribute("kernel_shape", kernel_);
    if (chance(70)) attribute("strides", strides_);
    if (dilated && chance(70)) attribute("dilations", dilations_);
    if (attributes_.find("dilations") == std::string::npos)
      for (std::int64_t& d : dilations_) d = 1;
    if (chance(30)) {
      attribute("auto_pad",
                std::array{"\"SAME_UPPER\"", "\"SAME_LOWER\"", "\"VALID\""}[static_cast<std::size_t>(below(3))]);
    } else if (chance(70)) {
      std::vector<std::int64_t> pads;
      for (int side = 0; side < 2; ++side)
        for (std::size_t d = 0; d < kernel_.size(); ++d) pads.push_back(below(reach(d)));
      attribute("pads", pads);
    }
  }
  void conv() {
    std::int64_t groups = 1 + below(3);
    std::int64_t per_group = 1 + below(5);
    if (chance(30)) groups = 2 + below(6), per_group = 1;  // depthwise
    if (chance(40)) groups = 1;
    channels_ = groups * per_group;
    const std::int64_t filters = groups * (1 + below(4));
    window(true);
    if (groups > 1 || chance(30)) attribute("group", std::to_string(groups));
    ir::Shape weights{filters, per_group};
    weights.insert(weights.end(), kernel_.begin(), kernel_.end());
    const double terms = static_cast<double>(ir::element_count(weights)) / static_cast<double>(filters);
    constant("w", weights, 1 / std::sqrt(terms));
    if (chance(50)) constant("b", {filters}, 0.5);
  }
  void pool(const std::string& op) {
    channels_ = 1 + below(5);
    window(op != "LpPool");
    if (op != "LpPool" && chance(40)) attribute("ceil_mode", "1");
    if (op == "AveragePool" && chance(50)) attribute("count_include_pad", "1");
    if (op == "LpPool") attribute("p", std::to_string(1 + below(2)));
  }

  zoo::Random random_;
  std::int64_t batch_ = 1 + below(2);
  std::int64_t channels_ = 1;
  std::vector<std::int64_t> kernel_, strides_, dilations_, spatial_;
  std::string attributes_, declared_, operands_;
  std::map<std::string, ir::Tensor> constants_;
};

}  // namespace

WindowModel random_window(std::uint64_t seed) { return Writer(seed).write(); }

std::optional<std::string> fault_of(const WindowModel& model, const isa::Chip& chip) {
  try {
    const Whole whole = make_whole(model.graph, chip, Numerics::exact);
    const sim::Result result = simulate(whole, chip);
    if (result.stop != sim::StopReason::finished) return result.explanation;
    const NumericalCheck values = check(whole, result);
    return values.passed ? "" : to_text(values);
  } catch (const UserError& fault) {
    const std::string text = fault.what();
    if (text.find("on the chip") != std::string::npos || text.find("instruction memory") != std::string::npos)
      return std::nullopt;
    return text;
  }
}

}  // namespace pimento::validation
