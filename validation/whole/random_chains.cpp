#include "validation/whole/random_chains.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/frontend/import.hpp"
#include "models/zoo/random.hpp"

namespace pimento::validation {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  WindowModel write() {
    const std::vector<std::int64_t> input{1 + below(2), 1 + below(9), 3 + below(8), 3 + below(8)};
    shape_ = input;
    const std::int64_t length = 1 + below(4);
    for (std::int64_t i = 0; i < length; ++i) step();
    std::vector<std::string> names;  // every dimension of the output needs one of its own in this syntax
    for (std::size_t d = 0; d < shape_.size(); ++d) names.push_back("d" + std::to_string(d));
    WindowModel model;
    model.text = fmt::format("<ir_version: 8, opset_import: [\"\" : 14]>\ng (float[{}] x) => (float[{}] {}) {{{} }}",
                             fmt::join(input, ","), fmt::join(names, ","), value_, body_);
    model.graph = frontend::import_text(model.text);
    return model;
  }

 private:
  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(random_.bits() % static_cast<std::uint64_t>(bound));
  }
  std::size_t axis() { return static_cast<std::size_t>(below(static_cast<std::int64_t>(shape_.size()))); }
  template <class T>
  static std::string list(const std::vector<T>& values) {
    return fmt::format("[{}]", fmt::join(values, ","));
  }
  std::string fresh() { return "v" + std::to_string(count_++); }
  std::string integers(const std::vector<std::int64_t>& values) {
    const std::string name = fresh();
    body_ += fmt::format(" {} = Constant <value_ints = {}> ()", name, list(values));
    return name;
  }
  std::string numbers(std::int64_t count, double middle) {
    std::vector<std::string> values;
    for (std::int64_t i = 0; i < count; ++i)
      values.push_back(fmt::format("{:.3f}", middle + 0.5 * static_cast<double>(random_.normal())));
    const std::string name = fresh();
    body_ += fmt::format(" {} = Constant <value_floats = {}> ()", name, list(values));
    return name;
  }
  void apply(const std::string& op, const std::string& attributes, const std::vector<std::string>& more = {}) {
    const std::string name = fresh();
    std::vector<std::string> operands{value_};
    operands.insert(operands.end(), more.begin(), more.end());
    body_ += fmt::format(" {} = {}{} ({})", name, op, attributes.empty() ? "" : " <" + attributes + ">",
                         fmt::join(operands, ", "));
    value_ = name;
  }

  void step() {
    switch (below(14)) {
      case 0:
        return transpose();
      case 1:
        return pad();
      case 2:
        return slice();
      case 3:
        return concat();
      case 4:
        return split();
      case 5:
        return resize();
      case 6:
        return reduce();
      case 7:
        return arithmetic();
      case 8:
        return apply("Softmax", fmt::format("axis = {}", axis()));
      case 9:
        return merge();
      case 10:
        return shape_.size() == 4
                   ? apply("LRN", fmt::format("size = {}, alpha = 0.1, beta = 0.75, bias = 1.0", 1 + 2 * below(3)))
                   : apply("Tanh", "");
      case 11:
        return normalise();
      case 12:
        return apply(
            std::array{"HardSwish", "HardSigmoid", "LeakyRelu", "Elu", "Sigmoid"}[static_cast<std::size_t>(below(5))],
            "");
      default:
        return gather();
    }
  }
  void transpose() {
    std::vector<std::int64_t> order(shape_.size());
    for (std::size_t d = 0; d < order.size(); ++d) order[d] = static_cast<std::int64_t>(d);
    for (std::size_t d = order.size(); d-- > 1;)
      std::swap(order[d], order[static_cast<std::size_t>(below(static_cast<std::int64_t>(d) + 1))]);
    std::vector<std::int64_t> moved;
    for (const std::int64_t d : order) moved.push_back(shape_[static_cast<std::size_t>(d)]);
    apply("Transpose", "perm = " + list(order));
    shape_ = moved;
  }
  void pad() {
    const char* mode = std::array{"constant", "edge", "reflect"}[static_cast<std::size_t>(below(3))];
    std::vector<std::int64_t> pads(2 * shape_.size(), 0);
    for (std::size_t d = 0; d < shape_.size(); ++d)
      for (const std::size_t side : {d, d + shape_.size()})
        if (shape_[d] > 2 && below(2) == 0) pads[side] = below(3);
    const std::string amounts = integers(pads);
    apply("Pad", fmt::format("mode = \"{}\"", mode), {amounts});
    for (std::size_t d = 0; d < shape_.size(); ++d) shape_[d] += pads[d] + pads[d + shape_.size()];
  }
  void slice() {
    const std::size_t d = axis();
    const std::int64_t step = std::array<std::int64_t, 4>{1, 2, -1, -2}[static_cast<std::size_t>(below(4))];
    const std::int64_t low = below(shape_[d]);
    const std::int64_t high = low + below(shape_[d] - low);  // both inside
    const std::int64_t start = step > 0 ? low : high;
    const std::int64_t end = step > 0 ? high + 1 : low - 1 - shape_[d];  // before the first: counted from the end
    const auto starts = integers({start}), ends = integers({end}), axes = integers({static_cast<std::int64_t>(d)}),
               steps = integers({step});
    apply("Slice", "", {starts, ends, axes, steps});
    shape_[d] = (high - low) / std::abs(step) + 1;
  }
  void concat() {
    const std::size_t d = axis();
    const std::string before = value_;
    apply("Sigmoid", "");
    apply("Concat", fmt::format("axis = {}", d), {before, value_});
    shape_[d] *= 3;
  }
  void split() {
    const std::size_t d = axis();
    if (shape_[d] < 2) return apply("Relu", "");
    const std::int64_t first = 1 + below(shape_[d] - 1);
    const auto sizes = integers({first, shape_[d] - first});
    const std::string a = fresh(), b = fresh();
    body_ += fmt::format(" {}, {} = Split <axis = {}> ({}, {})", a, b, d, value_, sizes);
    value_ = b;
    apply("Concat", fmt::format("axis = {}", d), {a});
  }
  void resize() {
    if (shape_.size() != 4) return apply("Abs", "");
    std::vector<std::int64_t> sizes = shape_;
    for (const std::size_t d : {std::size_t{2}, std::size_t{3}})
      sizes[d] = std::max<std::int64_t>(1, sizes[d] * (1 + below(4)) / 2);
    const char* mode = std::array{"nearest", "linear", "cubic"}[static_cast<std::size_t>(below(3))];
    const char* place = std::array{"half_pixel", "asymmetric", "align_corners"}[static_cast<std::size_t>(below(3))];
    const std::string to = integers(sizes);
    apply("Resize", fmt::format("mode = \"{}\", coordinate_transformation_mode = \"{}\"", mode, place), {"", "", to});
    shape_ = sizes;
  }
  void reduce() {
    const std::size_t d = axis();
    const char* op = std::array{"ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2"}[static_cast<std::size_t>(below(4))];
    const bool keeps = shape_.size() < 3 || below(2) == 0;
    apply(op, fmt::format("axes = [{}], keepdims = {}", d, keeps ? 1 : 0));
    if (keeps)
      shape_[d] = 1;
    else
      shape_.erase(shape_.begin() + static_cast<std::ptrdiff_t>(d));
  }
  /// With a constant that varies along one dimension alone.
  void arithmetic() {
    const std::size_t d = axis();
    const std::string line = numbers(shape_[d], 1.5);
    const std::string to = integers([&] {
      std::vector<std::int64_t> along(shape_.size() - d, 1);
      along[0] = shape_[d];
      return along;
    }());
    const std::string operand = fresh();
    body_ += fmt::format(" {} = Reshape ({}, {})", operand, line, to);
    apply(std::array{"Add", "Mul", "Sub", "Max", "Min", "PRelu"}[static_cast<std::size_t>(below(6))], "", {operand});
  }
  void merge() {
    if (shape_.size() < 3) return apply("Neg", "");
    const auto d = static_cast<std::size_t>(below(static_cast<std::int64_t>(shape_.size()) - 1));
    shape_[d] *= shape_[d + 1];
    shape_.erase(shape_.begin() + static_cast<std::ptrdiff_t>(d) + 1);
    const std::string to = integers(shape_);
    apply("Reshape", "", {to});
  }
  void normalise() {
    if (shape_.size() < 3) return apply("Exp", "");
    const auto scale = numbers(shape_[1], 1), bias = numbers(shape_[1], 0);
    apply("InstanceNormalization", "epsilon = 0.1", {scale, bias});
  }
  void gather() {
    const std::size_t d = axis();
    std::vector<std::int64_t> picked(static_cast<std::size_t>(1 + below(4)));
    for (std::int64_t& p : picked) p = below(shape_[d]);
    const std::string which = integers(picked);
    apply("Gather", fmt::format("axis = {}", d), {which});
    shape_[d] = static_cast<std::int64_t>(picked.size());
  }

  zoo::Random random_;
  std::vector<std::int64_t> shape_;
  std::string value_ = "x", body_;
  int count_ = 0;
};

}  // namespace

WindowModel random_chain(std::uint64_t seed) { return Writer(seed).write(); }

}  // namespace pimento::validation
