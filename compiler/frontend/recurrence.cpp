#include "compiler/frontend/recurrence.hpp"

#include <fmt/format.h>
#include <onnx/defs/parser.h>

#include <algorithm>
#include <cctype>

#include "isa/support/error.hpp"

namespace pimento::frontend {
namespace {

/// Activations in order, each with the scaling values that it consumes from the node's lists.
class Activations {
 public:
  Activations(const onnx::NodeProto& node, std::vector<std::string> names) : names_(std::move(names)) {
    for (const auto& a : node.attribute()) {
      if (a.name() == "activations") names_ = {a.strings().begin(), a.strings().end()};
      if (a.name() == "activation_alpha") alphas_ = {a.floats().begin(), a.floats().end()};
      if (a.name() == "activation_beta") betas_ = {a.floats().begin(), a.floats().end()};
    }
    for (const auto& name : names_) calls_.push_back(call(name));
  }
  /// "Sigmoid", "LeakyRelu <alpha = 0.1>": what stands before the operand.
  const std::string& at(std::size_t i) const {
    if (i >= calls_.size())
      throw UserError(fmt::format("expected {} activations or more, got {}", i + 1, calls_.size()));
    return calls_[i];
  }

 private:
  struct Kind {
    const char* name;
    bool alpha, beta;
  };
  std::string call(std::string wanted) {
    static constexpr Kind kinds[] = {
        {"Relu", false, false},     {"Tanh", false, false},      {"Sigmoid", false, false},
        {"LeakyRelu", true, false}, {"HardSigmoid", true, true}, {"Elu", true, false},
        {"Softsign", false, false}, {"Softplus", false, false},  {"ThresholdedRelu", true, false}};
    const auto same = [&](const char* name) {
      return std::equal(wanted.begin(), wanted.end(), name, name + std::string(name).size(),
                        [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    };
    std::vector<std::string> known;
    for (const auto& kind : kinds) {
      known.emplace_back(kind.name);
      if (!same(kind.name)) continue;
      std::string attributes;
      if (kind.alpha && next_alpha_ < alphas_.size())
        attributes += fmt::format("alpha = {:.9f}", alphas_[next_alpha_++]);
      if (kind.beta && next_beta_ < betas_.size())
        attributes += fmt::format("{}beta = {:.9f}", attributes.empty() ? "" : ", ", betas_[next_beta_++]);
      return attributes.empty() ? kind.name : fmt::format("{} <{}>", kind.name, attributes);
    }
    throw UserError(fmt::format("activation '{}' is not supported{}", wanted, suggestion(wanted, known)));
  }
  std::vector<std::string> names_, calls_;
  std::vector<float> alphas_, betas_;
  std::size_t next_alpha_ = 0, next_beta_ = 0;
};

class Writer {
 public:
  Writer(const onnx::NodeProto& node, const ir::Graph& graph, const std::vector<ir::ValueId>& inputs)
      : node_(node),
        graph_(graph),
        inputs_(inputs),
        gates_(node.op_type() == "LSTM"  ? 4
               : node.op_type() == "GRU" ? 3
                                         : 1) {
    for (std::size_t i = 0; i < 3; ++i)
      if (!has(i) || shape(i).size() != 3) throw UserError("expected X, W and R of rank 3");
    by_batch_ = integer("layout", 0) != 0;
    steps_ = shape(0)[by_batch_ ? 1 : 0];
    batch_ = shape(0)[by_batch_ ? 0 : 1];
    hidden_ = shape(2)[2];
    direction_ = text("direction", "forward");
    if (direction_ != "forward" && direction_ != "reverse" && direction_ != "bidirectional")
      throw UserError(fmt::format("expected direction forward, reverse or bidirectional, got '{}'", direction_));
    const std::int64_t directions = direction_ == "bidirectional" ? 2 : 1;
    if (shape(1)[0] != directions || shape(2) != ir::Shape{directions, gates_ * hidden_, hidden_})
      throw UserError(fmt::format("expected R [{}, {}, hidden] as direction and operator ask, got {}", directions,
                                  fmt::format("{} * hidden", gates_), to_string(graph_.type(inputs_[2]))));
    check_lengths();
  }

  std::string write() {
    const std::vector<std::string> cell = gates_ == 4   ? std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"}
                                          : gates_ == 3 ? std::vector<std::string>{"Sigmoid", "Tanh"}
                                                        : std::vector<std::string>{"Tanh"};
    auto defaults = cell;
    if (direction_ == "bidirectional") defaults.insert(defaults.end(), cell.begin(), cell.end());
    const Activations activations(node_, defaults);
    const bool lstm = gates_ == 4;
    text_ += by_batch_ ? "  Xs = Transpose <perm = [1, 0, 2]> (X)\n" : "  Xs = Identity (X)\n";
    text_ += "  axis0 = Constant <value = int64[1] {0}> ()\n  axis1 = Constant <value = int64[1] {1}> ()\n";
    const std::vector<bool> backwards =
        direction_ == "bidirectional" ? std::vector<bool>{false, true} : std::vector<bool>{direction_ == "reverse"};
    for (std::size_t d = 0; d < backwards.size(); ++d) write_direction(d, backwards[d], activations, cell.size());
    join("Y", backwards.size(), by_batch_ ? "[2, 0, 1, 3]" : "");
    join("Y_h", backwards.size(), by_batch_ ? "[1, 0, 2]" : "");
    if (lstm) join("Y_c", backwards.size(), by_batch_ ? "[1, 0, 2]" : "");
    return fmt::format(
        "<domain: \"pimento.recurrence\", opset_import: [\"\" : 15]>\n"
        "cell (X, W, R, B, sequence_lens, initial_h, initial_c, P) => (Y, Y_h{}) {{\n{}}}",
        lstm ? ", Y_c" : "", text_);
  }

 private:
  bool has(std::size_t i) const { return i < inputs_.size() && inputs_[i] != ir::no_value; }
  const ir::Shape& shape(std::size_t i) const { return graph_.type(inputs_[i]).shape; }
  std::int64_t integer(const std::string& name, std::int64_t fallback) const {
    for (const auto& a : node_.attribute())
      if (a.name() == name) return a.i();
    return fallback;
  }
  std::string text(const std::string& name, const std::string& fallback) const {
    for (const auto& a : node_.attribute())
      if (a.name() == name) return a.s();
    return fallback;
  }
  void check_lengths() const {
    if (!has(4)) return;
    if (!graph_.is_constant(inputs_[4])) throw UserError("sequence lengths that depend on data are not supported");
    for (const auto length : graph_.value(inputs_[4]).constant->to_integers())
      if (length != steps_)
        throw UserError(fmt::format("expected sequence lengths of {}, the number of steps, got {}", steps_, length));
  }

  template <class... A>
  void line(fmt::format_string<A...> format, A&&... a) {
    text_ += "  " + fmt::format(format, std::forward<A>(a)...) + "\n";
  }
  /// `to` = elements [begin, end) of dimension `axis` (0 or 1) of `from`.
  void slice(const std::string& to, const std::string& from, int axis, std::int64_t begin, std::int64_t end) {
    line("{}_begin = Constant <value = int64[1] {{{}}}> ()", to, begin);
    line("{}_end = Constant <value = int64[1] {{{}}}> ()", to, end);
    line("{0} = Slice ({1}, {0}_begin, {0}_end, axis{2})", to, from, axis);
  }
  /// `to` = `from`[d].
  void pick(const std::string& to, const std::string& from, std::size_t d) {
    slice(to + "_slice", from, 0, static_cast<std::int64_t>(d), static_cast<std::int64_t>(d) + 1);
    line("{0} = Squeeze ({0}_slice, axis0)", to);
  }
  /// `to` [batch, hidden] = the initial state of direction d, or zeros.
  void initial(const std::string& to, const std::string& from, std::size_t input, std::size_t d) {
    if (!has(input)) {
      line("{}_shape = Constant <value = int64[2] {{{}, {}}}> ()", to, batch_, hidden_);
      line("{0}_zeros = ConstantOfShape ({0}_shape)", to);
      line("{0} = CastLike ({0}_zeros, X)", to);
    } else if (by_batch_) {
      line("{}_all = Transpose <perm = [1, 0, 2]> ({})", to, from);
      pick(to, to + "_all", d);
    } else {
      pick(to, from, d);
    }
  }

  void write_direction(std::size_t d, bool backwards, const Activations& activations, std::size_t per_direction) {
    const auto id = [&](const char* name) { return fmt::format("{}{}", name, d); };
    const auto h = hidden_;
    pick(id("W"), "W", d);
    pick(id("R"), "R", d);
    line("Wt{0} = Transpose <perm = [1, 0]> (W{0})", d);
    line("Rt{0} = Transpose <perm = [1, 0]> (R{0})", d);
    line("XW{0} = MatMul (Xs, Wt{0})", d);
    const bool late_reset = gates_ == 3 && integer("linear_before_reset", 0) != 0;
    if (has(3)) {
      pick(id("B"), "B", d);
      slice(id("Wb"), id("B"), 0, 0, gates_ * h);
      slice(id("Rb"), id("B"), 0, gates_ * h, 2 * gates_ * h);
      if (late_reset) {  // the recurrent bias of the last gate stands inside the reset
        slice(id("Rb_early"), id("Rb"), 0, 0, 2 * h);
        slice(id("Rb_late"), id("Rb"), 0, 2 * h, 3 * h);
        line("none{0}_ = Sub (Rb_late{0}, Rb_late{0})", d);
        line("Rb_outside{0} = Concat <axis = 0> (Rb_early{0}, none{0}_)", d);
      } else {
        line("Rb_outside{0} = Identity (Rb{0})", d);
      }
      line("bias{0} = Add (Wb{0}, Rb_outside{0})", d);
      line("in{0} = Add (XW{0}, bias{0})", d);
    } else {
      line("in{0} = Identity (XW{0})", d);
    }
    if (gates_ == 3) {
      slice(id("Rzr"), id("Rt"), 1, 0, 2 * h);
      slice(id("Rh"), id("Rt"), 1, 2 * h, 3 * h);
    }
    if (has(7)) {  // peepholes: i, o, f
      pick(id("P"), "P", d);
      slice(id("Pi"), id("P"), 0, 0, h);
      slice(id("Po"), id("P"), 0, h, 2 * h);
      slice(id("Pf"), id("P"), 0, 2 * h, 3 * h);
    }
    if (const float clip = clip_of(); clip > 0) {
      line("most{}_f = Constant <value = float {{{:.9f}}}> ()", d, clip);
      line("least{}_f = Constant <value = float {{{:.9f}}}> ()", d, -clip);
      line("most{0} = CastLike (most{0}_f, X)", d);
      line("least{0} = CastLike (least{0}_f, X)", d);
    }
    initial(id("h0_"), "initial_h", 5, d);
    if (gates_ == 4) initial(id("c0_"), "initial_c", 6, d);
    const auto f = [&](std::size_t i) { return activations.at(d * per_direction + i); };
    const auto body = gates_ == 4   ? lstm_step(d, f(0), f(1), f(2))
                      : gates_ == 3 ? gru_step(d, f(0), f(1), late_reset)
                                    : rnn_step(d, f(0));
    const bool lstm = gates_ == 4;
    line(
        "Y_h{0}{1}, seq{0} = Scan <num_scan_inputs = 1, scan_input_directions = [{2}], scan_output_directions = [{2}], "
        "body = "
        "step (float h{3}, float x) => (float hn{4}, float y) {{\n{5}  }}> (h0_{0}{6}, in{0})",
        d, lstm ? fmt::format(", Y_c{}", d) : "", backwards ? 1 : 0, lstm ? ", float c" : "", lstm ? ", float cn" : "",
        body, lstm ? fmt::format(", c0_{}", d) : "");
  }

  float clip_of() const {
    for (const auto& a : node_.attribute())
      if (a.name() == "clip") return a.f();
    return 0;
  }
  /// "to = f (x)", with the node's clipping before it.
  std::string activate(std::size_t d, const std::string& to, const std::string& f, const std::string& x) const {
    if (clip_of() <= 0) return fmt::format("    {} = {} ({})\n", to, f, x);
    return fmt::format("    {0}_clipped = Clip ({2}, least{3}, most{3})\n    {0} = {1} ({0}_clipped)\n", to, f, x, d);
  }
  std::string lstm_step(std::size_t d, const std::string& f, const std::string& g, const std::string& h) const {
    const auto peep = [&](const std::string& gate, const std::string& weight, const std::string& state) {
      if (!has(7)) return fmt::format("    {0}_in = Identity ({0}_raw)\n", gate);
      return fmt::format("    {0}_peep = Mul ({1}{3}, {2})\n    {0}_in = Add ({0}_raw, {0}_peep)\n", gate, weight,
                         state, d);
    };
    std::string s = fmt::format("    hr = MatMul (h, Rt{})\n    all = Add (x, hr)\n", d);
    s += "    i_raw, o_raw, f_raw, g_raw = Split <axis = 1> (all)\n";
    s += peep("i", "Pi", "c") + activate(d, "i", f, "i_in");
    if (integer("input_forget", 0) != 0)
      s += "    one_f = Constant <value = float {1.0}> ()\n    one = CastLike (one_f, x)\n    f = Sub (one, i)\n";
    else
      s += peep("f", "Pf", "c") + activate(d, "f", f, "f_in");
    s += activate(d, "g", g, "g_raw");
    s += "    kept = Mul (f, c)\n    new = Mul (i, g)\n    cn = Add (kept, new)\n";
    s += peep("o", "Po", "cn") + activate(d, "o", f, "o_in");
    s += activate(d, "shown", h, "cn") + "    hn = Mul (o, shown)\n    y = Identity (hn)\n";
    return s;
  }
  std::string gru_step(std::size_t d, const std::string& f, const std::string& g, bool late_reset) const {
    std::string s = fmt::format("    z_x, r_x, g_x = Split <axis = 1> (x)\n    zr = MatMul (h, Rzr{})\n", d);
    s += "    z_h, r_h = Split <axis = 1> (zr)\n    z_raw = Add (z_x, z_h)\n    r_raw = Add (r_x, r_h)\n";
    s += activate(d, "z", f, "z_raw") + activate(d, "r", f, "r_raw");
    if (late_reset) {
      s += fmt::format("    h_r = MatMul (h, Rh{})\n", d);
      s += has(3) ? fmt::format("    h_b = Add (h_r, Rb_late{})\n", d) : "    h_b = Identity (h_r)\n";
      s += "    g_h = Mul (r, h_b)\n";
    } else {
      s += fmt::format("    rh = Mul (r, h)\n    g_h = MatMul (rh, Rh{})\n", d);
    }
    s += "    g_raw = Add (g_x, g_h)\n" + activate(d, "g", g, "g_raw");
    s +=
        "    change = Sub (h, g)\n    kept = Mul (z, change)\n    hn = Add (g, kept)\n    y = Identity (hn)\n";  // (1 -
                                                                                                                 // z) g
                                                                                                                 // + z
                                                                                                                 // h
    return s;
  }
  std::string rnn_step(std::size_t d, const std::string& f) const {
    return fmt::format("    hr = MatMul (h, Rt{})\n    all = Add (x, hr)\n", d) + activate(d, "hn", f, "all") +
           "    y = Identity (hn)\n";
  }

  /// Output `to` of the node from its directions: Y [steps, directions, batch, hidden], the others without steps.
  void join(const std::string& to, std::size_t directions, const std::string& perm) {
    const bool sequence = to == "Y";
    std::string parts;
    for (std::size_t d = 0; d < directions; ++d) {
      line("{0}_part{1} = Unsqueeze ({2}{1}, axis{3})", to, d, sequence ? "seq" : to, sequence ? 1 : 0);
      parts += fmt::format("{}{}_part{}", d == 0 ? "" : ", ", to, d);
    }
    const auto whole = perm.empty() ? to : to + "_by_step";
    if (directions > 1)
      line("{} = Concat <axis = {}> ({})", whole, sequence ? 1 : 0, parts);
    else
      line("{} = Identity ({})", whole, parts);
    if (!perm.empty()) line("{} = Transpose <perm = {}> ({})", to, perm, whole);
  }

  const onnx::NodeProto& node_;
  const ir::Graph& graph_;
  const std::vector<ir::ValueId>& inputs_;
  std::int64_t gates_, steps_ = 0, batch_ = 0, hidden_ = 0;
  bool by_batch_ = false;
  std::string direction_, text_;
};
}  // namespace

onnx::FunctionProto recurrent_function(const onnx::NodeProto& node, const ir::Graph& graph,
                                       const std::vector<ir::ValueId>& inputs) {
  const auto text = Writer(node, graph, inputs).write();
  onnx::FunctionProto function;
  const auto status = onnx::OnnxParser::Parse(function, text.c_str());
  PIMENTO_CHECK(status.IsOK(),
                fmt::format("the text of a recurrence does not parse: {}\n{}", status.ErrorMessage(), text));
  return function;
}

}  // namespace pimento::frontend
