#include "compiler/drivers/pim/placement/placement.hpp"

#include <doctest/doctest.h>

using namespace pimento;
using namespace pimento::pim;

namespace {

/// One layer of two copies, two parts each, of five crossbars, on cores of eight.
struct Fixture {
  ir::Graph graph;
  Spatial spatial;
  isa::Chip chip;
  Fixture() {
    ir::Node conv;
    conv.op = "conv";
    conv.source = "conv1";
    graph.nodes = {conv};
    spatial.tiles.resize(2);
    SpatialValue y;
    y.layout = {{}, 4, 3, 8};
    spatial.values = {y};
    for (std::int32_t tile = 0; tile < 2; ++tile) {
      spatial.batches.push_back({{.kind = BodyKind::mvm, .node = 0, .tile = tile}, {}});
      for (std::int32_t copy = 0; copy < 2; ++copy) {
        const auto id = static_cast<std::int32_t>(spatial.computes.size());
        spatial.classes.push_back(
            {.tile = tile, .copy = copy, .tile_count = 1, .crossbars = 5, .computes = {ComputeId{id}}});
        Compute c;
        c.batch = BatchId{tile};
        c.cls = ClassId{id};
        c.write = {SpatialValueId{0}, {copy * 2, copy * 2 + 2, 0, 3, 0, 8}};
        spatial.computes.push_back(c);
      }
    }
    chip.name = "toy";
    chip.cores = 4;
    chip.core.crossbars = 8;
  }
  std::string print(const std::vector<CoreId>& cores, Roaming roaming = 0) const {
    return print_placement(spatial, graph, cores, 6, roaming, "net", "toy");
  }
  std::string complaint(const std::string& from, const std::string& to) const {
    std::string text = print({0, 2, 1, 3});
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
    try {
      const Placement p = Placement::parse(text, "p.yaml", "net", "toy");
      p.expect_layers_of(graph);
      p.windows("conv1", 3);
      p.spread("conv1", 4, 3, 2);
      p.cores(spatial, graph, chip);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  }
};

}  // namespace

TEST_CASE("placement: is what is printed read back, class by class?") {
  const Fixture f;
  const std::vector<CoreId> cores{0, 2, 1, 3};  // by class: part 0 of copies 0 and 1, part 1 of both
  const std::string text = f.print(cores);
  CHECK(text ==
        "pimento: placement 2\nmodel: \"net\"\nchip: \"toy\"\nrows_ahead: 6\nlayers:\n  - layer: \"conv1\"\n    rows: "
        "2\n    positions: 1\n    windows: 1\n    strips_per_core: 1\n    cores: [[0, 1], [2, 3]]\n");
  const Placement p = Placement::parse(text, "p.yaml", "net", "toy");
  CHECK(p.rows_ahead() == 6);
  CHECK(p.roaming() == 0);
  CHECK(Placement::parse(f.print(cores, 2), "p.yaml", "net", "toy").roaming() == 2);
  CHECK(p.spread("conv1", 4, 3, 2) == Spread{{2, 1}, 1});
  CHECK(p.cores(f.spatial, f.graph, f.chip) == cores);
}

TEST_CASE("placement: are the slices of partial sums printed where there are several, and read back?") {
  const std::vector<CoreId> cores{0, 2, 1, 3};
  for (const std::int32_t slices : {0, 1, 2}) {
    Fixture f;
    const BatchId sums{static_cast<std::int32_t>(f.spatial.batches.size())};
    f.spatial.batches.push_back({{.kind = BodyKind::combine, .node = 0}, {}});
    for (std::int32_t slice = 0; slice < slices; ++slice)
      for (std::int32_t row = 0; row < 2; ++row) {  // of one slice in several rows
        f.spatial.batches.back().lanes.push_back(ComputeId{static_cast<std::int32_t>(f.spatial.computes.size())});
        Compute sum;
        sum.batch = sums;
        sum.write.box = {row, row + 1, 0, 3, 8 * slice, 8 * slice + 8};
        f.spatial.computes.push_back(sum);
      }
    const std::string text = f.print(cores);
    CHECK((text.find("    strips_per_core: 1\n    slices: 2\n") != std::string::npos) == (slices == 2));
    CHECK(Placement::parse(text, "p.yaml", "net", "toy").spread("conv1", 4, 3, 2) ==
          Spread{{2, 1}, 1, slices == 2 ? 2 : 0});
  }
}

TEST_CASE("placement: are the pieces of a copy's row printed where there are several, and read back?") {
  Fixture f;
  const std::string whole = f.print({0, 2, 1, 3});
  CHECK(whole.find("pieces") == std::string::npos);
  for (std::int32_t c = 0; c < 4; ++c) {  // the first piece of every class is one position, the second two
    Compute rest = f.spatial.computes[static_cast<std::size_t>(c)];
    f.spatial.computes[static_cast<std::size_t>(c)].write.box.p1 = 1;
    rest.write.box.p0 = 1;
    f.spatial.classes[static_cast<std::size_t>(c)].computes.push_back(
        ComputeId{static_cast<std::int32_t>(f.spatial.computes.size())});
    f.spatial.computes.push_back(rest);
  }
  const std::string text = f.print({0, 2, 1, 3});
  CHECK(text.find("    strips_per_core: 1\n    pieces: 2\n") != std::string::npos);
  CHECK(Placement::parse(text, "p.yaml", "net", "toy").spread("conv1", 4, 3, 2) == Spread{{2, 1}, 1, 0, 2});
}

TEST_CASE("placement: is every fault one message with its place?") {
  const Fixture f;
  CHECK(f.complaint("rows_ahead: 6", "rows_ahead: 6") == "");
  CHECK(f.complaint("placement 2", "placement 1") == "p.yaml:1:10: expected 'placement 2', got 'placement 1'");
  CHECK(f.complaint("\"net\"", "other") == "p.yaml:2:8: expected 'net', got 'other'");
  CHECK(f.complaint("\"toy\"", "isaac") == "p.yaml:3:7: expected 'toy', got 'isaac'");
  CHECK(f.complaint("rows_ahead", "row_ahead") == "p.yaml:4:1: unknown key 'row_ahead'; nearest: 'rows_ahead'");
  CHECK(f.complaint("rows_ahead: 6\n", "") == "p.yaml:1:1: expected the key 'rows_ahead'");
  CHECK(f.complaint("rows_ahead: 6", "rows_ahead: -1") ==
        "p.yaml:4:13: expected a whole number in 0 .. 1048576, got '-1'");
  CHECK(f.complaint("layers:", "roaming: -1\nlayers:") ==
        "p.yaml:5:10: expected a whole number in 0 .. 1048576, got '-1'");
  CHECK(f.complaint("\"conv1\"", "\"conv2\"") == "p.yaml:6:12: the model has no layer 'conv2'; nearest: 'conv1'");
  CHECK(f.complaint("rows: 2", "rows: 5") ==
        "p.yaml:7:11: layer 'conv1': expected at most 4 (rows of its output), got 5");
  CHECK(f.complaint("positions: 1", "positions: 4") ==
        "p.yaml:8:16: layer 'conv1': expected at most 3 (positions of its output), got 4");
  CHECK(f.complaint("windows: 1", "windows: 4") ==
        "p.yaml:9:14: layer 'conv1': expected at most 3 (positions of its output), got 4");
  CHECK(f.complaint("positions: 1\n    windows: 1", "positions: 3\n    windows: 2") ==
        "p.yaml:8:16: layer 'conv1': expected at most 2 (MVMs of a row of its output), got 3");
  CHECK(f.complaint("strips_per_core: 1", "strips_per_core: 3") ==
        "p.yaml:10:22: layer 'conv1': expected at most 2 (strips of its matrix), got 3");
  CHECK(f.complaint("strips_per_core: 1", "strips_per_core: 1\n    slices: 0") ==
        "p.yaml:11:13: expected a whole number in 1 .. 1048576, got '0'");
  CHECK(f.complaint("strips_per_core: 1", "strips_per_core: 1\n    slices: 3") ==
        "p.yaml:11:13: layer 'conv1': expected at most 2 (strips of its matrix), got 3");
  CHECK(f.complaint("strips_per_core: 1", "strips_per_core: 1\n    slices: 2") == "");
  CHECK(f.complaint("strips_per_core: 1", "strips_per_core: 1\n    pieces: 0") ==
        "p.yaml:11:13: expected a whole number in 1 .. 1048576, got '0'");
  CHECK(f.complaint("strips_per_core: 1", "strips_per_core: 1\n    pieces: 4") ==
        "p.yaml:11:13: layer 'conv1': expected at most 3 (MVMs of a copy's row), got 4");
  CHECK(f.complaint("strips_per_core: 1", "strips_per_core: 1\n    pieces: 3") == "");
  CHECK(f.complaint("[[0, 1], [2, 3]]", "[[0, 1]]") ==
        "p.yaml:11:12: layer 'conv1': expected 2 copies (2 x 1 in rows x positions), got 1");
  CHECK(f.complaint("[2, 3]", "[2]") ==
        "p.yaml:11:21: layer 'conv1', copy 1: expected a core for each of 2 parts, got 1");
  CHECK(f.complaint("[2, 3]", "[2, 4]") == "p.yaml:11:25: layer 'conv1': expected a core below 4, got 4");
  CHECK(f.complaint("[2, 3]", "[2, x]") == "p.yaml:11:25: expected a whole number in 0 .. 1048576, got 'x'");
  CHECK(f.complaint("[2, 3]", "2") == "p.yaml:11:21: expected a list of cores, got '2'");
  CHECK(f.complaint("[2, 3]", "[2, 2]") ==
        "p.yaml:11:25: layer 'conv1', copy 1, part 1 needs 5 crossbars; core 2 has 3 of 8 left");
  CHECK(f.complaint("  - layer: \"conv1\"",
                    "  - {layer: fc, rows: 1, positions: 1, windows: 1, strips_per_core: 1, cores: [[0]]}\n  - layer: "
                    "\"conv1\"") == "p.yaml:6:13: the model has no layer 'fc'; known: conv1");
  CHECK(f.complaint("  - layer: \"conv1\"",
                    "  - {layer: conv1, rows: 1, positions: 1, windows: 1, strips_per_core: 1, cores: [[0]]}\n  - "
                    "layer: \"conv1\"") == "p.yaml:7:12: layer 'conv1' a second time");
}

TEST_CASE("placement: is a layer of the model missing where the file does not name it, with the nearest that it has?") {
  const Fixture f;
  const Placement p = Placement::parse(f.print({0, 2, 1, 3}), "p.yaml", "net", "toy");
  CHECK_THROWS_WITH_AS(p.spread("conv2", 4, 3, 2), "p.yaml: layer 'conv2' is missing; nearest: 'conv1'", UserError);
  ir::Graph renamed = f.graph;
  renamed.nodes[0].source = "conv2";
  CHECK_THROWS_WITH_AS(p.expect_layers_of(renamed), "p.yaml:6:12: the model has no layer 'conv1'; nearest: 'conv2'",
                       UserError);
}

TEST_CASE("placement: do layers of one name get names of their own?") {
  ir::Graph graph;
  for (const char* source : {"a", "a", "b"}) {
    ir::Node node;
    node.source = source;
    graph.nodes.push_back(node);
  }
  CHECK(layer_names(graph) == std::vector<std::string>{"a", "a#2", "b"});
}

namespace {
/// The same layer, its second strip in a later round, on a chip that holds one part of each copy at a time.
struct InRounds : Fixture {
  InRounds() {
    for (TileClass& c : spatial.classes) c.round = c.tile;
    chip.cores = 2;
  }
  std::string fault(const std::string& rounds) {
    std::string text = print({0, 1, 0, 1});
    const std::size_t at = text.find("[0, 1]\n", text.find("rounds: [") - 1);
    REQUIRE(at != std::string::npos);
    text.replace(at, 6, rounds);
    try {
      const Placement p = Placement::parse(text, "p.yaml", "net", "toy");
      const std::vector<std::int32_t> of_tile = p.rounds_of("conv1", 2, 2);
      for (TileClass& c : spatial.classes) c.round = of_tile[static_cast<std::size_t>(c.tile)];
      p.expect_rounds(spatial, graph, chip);
      p.cores(spatial, graph, chip);
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  }
};
}  // namespace

TEST_CASE("placement: are rounds printed and read back, and may parts of different rounds share a core's crossbars?") {
  const InRounds f;
  const std::vector<CoreId> cores{0, 1, 0, 1};
  const std::string text = f.print(cores);
  CHECK(text.find("    cores: [[0, 0], [1, 1]]\n    rounds: [0, 1]\n") != std::string::npos);
  const Placement p = Placement::parse(text, "p.yaml", "net", "toy");
  CHECK(p.rounds() == 2);
  CHECK(p.rounds_of("conv1", 2, 2) == std::vector<std::int32_t>{0, 1});
  p.expect_rounds(f.spatial, f.graph, f.chip);
  CHECK(p.cores(f.spatial, f.graph, f.chip) == cores);
}

TEST_CASE("placement: is every fault of rounds one message with its place?") {
  CHECK(InRounds().fault("[0, 1]") == "");
  CHECK(InRounds().fault("[1, 0]") == "");
  CHECK(
      InRounds().fault("[0, 1, 1]") ==
      "p.yaml:12:13: layer 'conv1': expected a round, or one for each of 2 weight tiles (1 column block of 2 strips), "
      "got 3");
  CHECK(InRounds().fault("[]") == "p.yaml:12:13: expected a round for each weight tile, got an empty list");
  CHECK(InRounds().fault("[0, x]") == "p.yaml:12:17: expected a whole number in 0 .. 999, got 'x'");
  CHECK(InRounds().fault("1") == "p.yaml: no layer is in round 0 of 2");
  CHECK(InRounds().fault("[0, 2]") == "p.yaml: no layer is in round 1 of 3");
  CHECK(InRounds().fault("0") == "p.yaml: its copies need 20 crossbars; chip 'toy' has 16");
}

TEST_CASE("placement: is a part whose strips have several rounds refused?") {
  const Fixture f;
  std::string text = f.print({0, 2, 1, 3});
  text += "    rounds: [0, 0, 0, 1]\n";
  const Placement p = Placement::parse(text, "p.yaml", "net", "toy");
  CHECK(p.rounds_of("conv1", 1, 4) == std::vector<std::int32_t>{0, 0, 0, 1});  // four blocks of one strip
  CHECK_THROWS_WITH_AS(
      p.rounds_of("conv1", 2, 4),
      "p.yaml:12:13: layer 'conv1': strips 0 and 1 have one round in column block 0 and two in block 1", UserError);
}
