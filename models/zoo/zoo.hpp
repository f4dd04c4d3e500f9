#pragma once
// The model zoo: standard networks, made here from a seed instead of downloaded. Weights are random (He-scaled), but
// batch norms hold the statistics of a calibration input, so every layer's output means something; the range of every
// value on that input travels with the model ("pimento.ranges"). Same name and seed: same bytes.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "compiler/frontend/data_set.hpp"
#include "compiler/ir/graph.hpp"

namespace pimento::zoo {

/// Part of every cache key: raise it when a generator or the interpreter's values change.
inline constexpr int generator_version = 1;

class Builder;
struct Network {
  std::string name;     ///< "resnet18"
  std::string summary;  ///< one sentence
  std::function<void(Builder&)> build;
};
/// A network is one file with one of these at namespace scope; a second one of a name is an InternalError at first use.
struct Registration {
  explicit Registration(Network network);
};
/// Every network, ordered by name.
std::vector<Network> networks();
std::vector<std::string> names();

struct Model {
  ir::Graph graph;
  frontend::DataSet data;  ///< the calibration input and what the f32 interpreter makes of it
};
/// UserError with the nearest name when there is no such network.
Model build(const std::string& name, std::uint64_t seed = 0);

/// NAME of "zoo:NAME"; nothing of anything else.
std::optional<std::string> name_in(const std::string& text);

/// Writes `folder`/model.onnx and `folder`/test_data_set_0 (ONNX's test layout); returns `folder`.
std::string generate(const std::string& name, const std::string& folder, std::uint64_t seed = 0);
/// The folder of that model in the cache, generated there when it is not. The cache is $XDG_CACHE_HOME/pimento, else
/// $PIMENTO_BINARY_DIR/zoo, else $HOME/.cache/pimento.
std::string cached(const std::string& name, std::uint64_t seed = 0);
/// Where that folder is, or would be. Makes nothing, and asks not whether there is such a network.
std::string cache_place(const std::string& name, std::uint64_t seed = 0);

}  // namespace pimento::zoo
