#include "compiler/frontend/cycle.hpp"

#include <fmt/format.h>

#include <map>
#include <vector>

#include "isa/support/printable.hpp"

namespace pimento::frontend {
namespace {

constexpr std::size_t shown_nodes = 8;

std::string label(const onnx::GraphProto& graph, int node) {
  const auto& proto = graph.node(node);
  return fmt::format("'{}'",
                     printable(proto.name().empty() ? fmt::format("{} {}", proto.op_type(), node) : proto.name()));
}

}  // namespace

std::string find_cycle(const onnx::GraphProto& graph) {
  std::map<std::string, int> maker;
  for (int n = 0; n < graph.node_size(); ++n)
    for (const auto& output : graph.node(n).output())
      if (!output.empty()) maker.emplace(output, n);
  enum class State : char { unseen, open, done };
  std::vector<State> states(static_cast<std::size_t>(graph.node_size()), State::unseen);
  struct Frame {
    int node;
    int input;
  };
  for (int root = 0; root < graph.node_size(); ++root) {
    if (states[static_cast<std::size_t>(root)] != State::unseen) continue;
    std::vector<Frame> path{{root, 0}};  // from a reader to what it reads
    states[static_cast<std::size_t>(root)] = State::open;
    while (!path.empty()) {
      Frame& top = path.back();
      if (top.input == graph.node(top.node).input_size()) {
        states[static_cast<std::size_t>(top.node)] = State::done;
        path.pop_back();
        continue;
      }
      const auto made = maker.find(graph.node(top.node).input(top.input++));
      if (made == maker.end()) continue;
      State& state = states[static_cast<std::size_t>(made->second)];
      if (state == State::unseen) {
        state = State::open;
        path.push_back({made->second, 0});
      } else if (state == State::open) {
        // from maker to reader: the cycle's nodes stand on the path in reverse
        std::vector<std::string> names{label(graph, made->second)};
        for (std::size_t i = path.size(); i-- > 0;) {
          names.push_back(label(graph, path[i].node));
          if (path[i].node == made->second) break;
        }
        if (names.size() > shown_nodes) {
          const std::size_t hidden = names.size() - shown_nodes;
          const auto middle = names.begin() + shown_nodes / 2;
          names.erase(middle, middle + static_cast<std::ptrdiff_t>(hidden));
          names.insert(names.begin() + shown_nodes / 2, fmt::format("{} more", hidden));
        }
        std::string text = names[0];
        for (std::size_t i = 1; i < names.size(); ++i) text += " -> " + names[i];
        return text;
      }
    }
  }
  return "";
}

}  // namespace pimento::frontend
