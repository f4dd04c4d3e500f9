#include "validation/prediction/small_chips.hpp"

#include <fmt/format.h>

#include "compiler/frontend/import.hpp"
#include "models/zoo/random.hpp"

namespace pimento::validation {
namespace {

/// One of `values`.
template <class T>
T one_of(zoo::Random& random, const std::vector<T>& values) {
  return values[random.bits() % values.size()];
}

/// A latency for each pair, the global memory last: 1 to 9 cycles a flit.
std::string random_table(zoo::Random& random, int cores) {
  std::string text = "[";
  for (int a = 0; a <= cores; ++a) {
    text += a > 0 ? ", [" : "[";
    for (int b = 0; b <= cores; ++b)
      text += fmt::format("{}{}", b > 0 ? ", " : "", a == b ? 0 : 1 + static_cast<int>(random.bits() % 9));
    text += "]";
  }
  return text + "]";
}

}  // namespace

isa::Chip small_chip(std::uint64_t seed) {
  zoo::Random random(seed * 0x2545f4914f6cdd1d + 1);
  const auto of = [&](const std::vector<std::string>& values) { return one_of(random, values); };
  struct Shape {
    int width, height;
  };
  const Shape shape = one_of<Shape>(random, {{2, 2}, {3, 2}, {4, 2}, {3, 3}, {4, 3}, {4, 4}});
  const int cores = shape.width * shape.height;
  std::map<std::string, std::string> values{
      {"cores", std::to_string(cores)},
      {"core.crossbars", of({"64", "96", "128"})},
      {"core.window", of({"1", "4"})},
      {"core.vector.lanes", of({"4", "8", "32"})},
      {"core.local_memory.capacity", "256 KiB"},
      {"core.local_memory.width", of({"8 B", "16 B", "32 B"})},
      {"core.local_memory.read_latency", of({"1 cycle", "2 cycles"})},
      {"core.instruction_memory", "4 MiB"},
      {"core.crossbar.read_latency", of({"10 ns", "50 ns"})},
      {"network.topology", of({"mesh", "mesh", "torus", "ring", "crossbar", "tree", "table"})},
      {"network.clock", of({"1 GHz", "500 MHz"})},
      {"network.flit", of({"1 B", "4 B", "8 B"})},
      {"network.router_latency", of({"1 cycle", "3 cycles"})},
      {"network.link_latency", of({"1 cycle", "2 cycles"})},
      {"network.receive_buffer_messages", of({"0", "1", "8"})},
      {"network.handshake_latency", of({"0 cycles", "2 cycles"})},
      {"network.multicast", of({"true", "false"})},
      {"global_memory.read_latency", of({"2 cycles", "20 cycles"})},
      {"global_memory.width", of({"4 B", "16 B"})}};
  const std::string topology = values["network.topology"];
  if (topology == "mesh" || topology == "torus") {
    values["network.width"] = std::to_string(shape.width);
    values["network.height"] = std::to_string(shape.height);
  }
  if (topology == "tree") values["network.tree_arity"] = of({"2", "4"});
  if (topology == "table") {
    values["network.table"] = random_table(random, cores);
    for (const char* key : {"network.router_latency", "network.link_latency"}) values.erase(key);
  }
  return isa::with_values(isa::load_chip("tiny-4"), values);
}

ir::Graph small_model(std::uint64_t seed) {
  zoo::Random random(seed * 0x2545f4914f6cdd1d + 2);
  const int side = one_of<int>(random, {10, 14, 18}), in = one_of<int>(random, {3, 8}),
            a = one_of<int>(random, {8, 16, 24}), b = one_of<int>(random, {8, 16});
  const auto weights = [&](const char* name, int filters, int channels, int kernel) {
    return fmt::format("s{0} = Constant <value_ints = [{1},{2},{3},{3}]> () {0} = Expand (v, s{0}) ", name, filters,
                       channels, kernel);
  };
  const std::string start =
      fmt::format("v = Constant <value_float = 0.05> () {} p = Conv <pads = [1,1,1,1]> (x, w0) q = Relu (p) ",
                  weights("w0", a, in, 3));
  std::string body;
  switch (random.bits() % 4) {
    case 0:  // a residual
      body = weights("w1", a, a, 3) + weights("w2", b, a, 3) +
             "c = Conv <pads = [1,1,1,1]> (q, w1) d = Add (c, q) e = Relu (d) y = Conv <pads = [1,1,1,1]> (e, w2)";
      break;
    case 1:  // branches
      body = weights("w1", b, a, 1) + weights("w2", b, a, 3) + weights("w3", b, 2 * b, 3) +
             "c = Conv (q, w1) d = Conv <pads = [1,1,1,1]> (q, w2) e = Concat <axis = 1> (c, d) "
             "y = Conv <pads = [1,1,1,1]> (e, w3)";
      break;
    case 2:  // a chain with a stride
      body = weights("w1", b, a, 3) + weights("w2", a, b, 3) + weights("w3", b, a, 1) +
             "c = Conv <pads = [1,1,1,1], strides = [2,2]> (q, w1) d = Relu (c) e = Conv <pads = [1,1,1,1]> (d, w2) "
             "f = Relu (e) y = Conv (f, w3)";
      break;
    default:  // pooling in between
      body = weights("w1", b, a, 3) + weights("w2", b, b, 3) +
             "c = MaxPool <kernel_shape = [2,2], strides = [2,2]> (q) d = Conv <pads = [1,1,1,1]> (c, w1) e = Relu (d) "
             "y = Conv <pads = [1,1,1,1]> (e, w2)";
  }
  return frontend::import_text(fmt::format("small{} (float[1,{},{},{}] x) => (float[1,f,h,w] y) {{ {} {} }}", seed, in,
                                           side, side, start, body));
}

}  // namespace pimento::validation
