// pimento zoo: the models that Pimento makes itself.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/commands/registry.hpp"
#include "models/zoo/zoo.hpp"

namespace pimento::cli {
namespace {

Status zoo_command(const Arguments& a, Streams io) {
  for (const char* option : {"out", "seed"}) refuse_in_vain(a, option, !a.given("NAME"), "the NAME of a model");
  if (!a.given("NAME")) {
    std::size_t width = 0;
    for (const zoo::Network& n : zoo::networks()) width = std::max(width, n.name.size());
    for (const zoo::Network& n : zoo::networks()) io.out << fmt::format("{:<{}}  {}\n", n.name, width, n.summary);
    return Status::done;
  }
  const auto seed = static_cast<std::uint64_t>(a.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
  const std::string name = a.text("NAME");
  io.out << (a.given("out") ? zoo::generate(name, a.text("out"), seed) : zoo::cached(name, seed)) << "\n";
  return Status::done;
}

SUBCOMMAND("zoo", "[NAME] [--out FOLDER] [--seed N]", "list the model zoo, or make one of its models", R"(
  NAME          the model to make; its folder is printed
  --out FOLDER  where to write model.onnx and its test data (default: the cache)
  --seed N      of its weights (default 0)
  example: pimento zoo lenet5 --out lenet5)",
           zoo_command);

}  // namespace
}  // namespace pimento::cli
