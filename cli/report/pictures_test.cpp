// The pictures of a run: do they show what it did?
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "cli/report/heatmap_svg.hpp"
#include "cli/report/svg.hpp"
#include "cli/report/timeline_svg.hpp"

using namespace pimento;
using namespace pimento::cli;

namespace {

/// One core; instruction 0 belongs to the node "first", 1 to "second".
isa::Program two_nodes() {
  isa::Program p;
  p.model = std::string("m");  // gcc 12 warns of the plain literal
  p.nodes = {"first", "second"};
  p.cores.resize(1);
  p.cores[0].nodes = {{0, 1, 0}, {1, 2, 1}};
  return p;
}
sim::Executed product(std::uint32_t instruction, Cycles from, Cycles to) {
  return {0, instruction, isa::Unit::matrix, 0, from, to};
}
/// The path of one colour.
std::string path(const std::string& svg, const std::string& colour) {
  const std::string begin = fmt::format("<path fill=\"{}\" d=\"", colour);
  const std::size_t at = svg.find(begin);
  return at == std::string::npos ? ""
                                 : svg.substr(at + begin.size(), svg.find('"', at + begin.size()) - at - begin.size());
}

}  // namespace

TEST_CASE(
    "timeline picture: is a column coloured by the layer that worked most in it, and grey where the core waited?") {
  const isa::Program program = two_nodes();
  const isa::Chip chip = isa::load_chip("tiny-4");
  TimelinePicture picture(program, chip, {});
  picture.executed(product(0, 0, 3));
  picture.executed(product(1, 3, 5));
  picture.transferred({0, 0, 5, 9, 5, 9});
  const std::string svg = picture.svg();
  CHECK(path(svg, svg::colour(0)) == "M48 34h3v9h-3z");
  CHECK(path(svg, svg::colour(1)) == "M51 34h2v9h-2z");
  CHECK(path(svg, "#ddd") == "M53 34h4v9h-4z");
  CHECK(svg.find("core cycles 0 to 9, 1 a column") != std::string::npos);
}

TEST_CASE("timeline picture: are columns joined when time outgrows them, the majority's colour kept?") {
  const isa::Program program = two_nodes();
  const isa::Chip chip = isa::load_chip("tiny-4");
  TimelinePicture picture(program, chip, {});
  for (Cycles t = 0; t < 1024; t += 4) {  // three cycles of the first node to one of the second
    picture.executed(product(0, t, t + 3));
    picture.executed(product(1, t + 3, t + 4));
  }
  picture.executed(product(1, 4092, 4096));
  const std::string svg = picture.svg();
  CHECK(path(svg, svg::colour(0)) == "M48 34h256v9h-256z");
  CHECK(path(svg, svg::colour(1)) == "M1071 34h1v9h-1z");
  CHECK(svg.find("core cycles 0 to 4096, 4 a column") != std::string::npos);
}

TEST_CASE("timeline picture: does a span cut what reaches out of it?") {
  const isa::Program program = two_nodes();
  const isa::Chip chip = isa::load_chip("tiny-4");
  TimelinePicture picture(program, chip, {10, 20});
  picture.executed(product(0, 5, 12));
  picture.executed(product(1, 18, 30));
  const std::string svg = picture.svg();
  CHECK(path(svg, svg::colour(0)) == "M48 34h2v9h-2z");
  CHECK(path(svg, svg::colour(1)) == "M56 34h2v9h-2z");
}

TEST_CASE("heat map: are cores and links coloured by their share of the run?") {
  const isa::Chip chip = isa::load_chip("tiny-4");
  sim::Result r;
  r.cycles = 200;
  r.clocks = {{"core", 1, 200}, {"network", 2, 100}};
  r.cores.resize(2);
  r.cores[1].matrix.busy = 50;
  r.links = {{"mesh 0->1", 64, 75}, {"mesh memory 0", 8, 1}};
  const std::string svg = heatmap_svg("m", chip, r);
  CHECK(svg.find(">25 %</text>") != std::string::npos);
  CHECK(svg.find("mesh 0-&gt;1: 64 bytes, 75.0 % busy") != std::string::npos);
  std::size_t lines = 0;
  for (std::size_t at = svg.find("<line"); at != std::string::npos; at = svg.find("<line", at + 1)) ++lines;
  CHECK(lines == 1);  // what is not between two cores has no place in the grid
}
