#include "compiler/drivers/pim/spatial/windows.hpp"

#include <doctest/doctest.h>

#include "compiler/ops/registry.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

struct Bench {
  ir::Graph graph;
  std::vector<Layout> layouts;
  std::vector<Root> roots;
  void settle() {
    layouts = choose_layouts(graph);
    roots = find_roots(graph, layouts);
  }
  std::optional<Contracted> last() const { return contracted(graph, graph.nodes.back(), layouts, roots); }
};

Bench convolution(std::int64_t in, std::int64_t out, std::int64_t size, std::int64_t kernel, std::int64_t stride,
                  std::int64_t pad) {
  Bench b;
  const ir::ValueId x = b.graph.add_input("x", {ElementType::f32, {1, in, size, size}});
  const ir::ValueId w = b.graph.add_constant("w", ir::Tensor::zeros({ElementType::f32, {out, in, kernel, kernel}}));
  const std::int64_t made = (size + 2 * pad - kernel) / stride + 1;
  const ir::Attributes attributes{{"strides", std::vector<std::int64_t>{stride, stride}},
                                  {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}},
                                  {"dilations", std::vector<std::int64_t>{1, 1}},
                                  {"group", std::int64_t{1}}};
  const ir::ValueId y = b.graph.add_node("conv", {x, w}, {ElementType::f32, {1, out, made, made}}, attributes, "y");
  b.graph.outputs = {y};
  b.settle();
  return b;
}

std::vector<std::int32_t> sizes(const std::vector<Strip>& strips) {
  std::vector<std::int32_t> n;
  for (const Strip& s : strips) n.push_back(s.size);
  return n;
}

}  // namespace

TEST_CASE("windows: is the reduction of a convolution in memory order of its input?") {
  const Bench b = convolution(64, 64, 56, 3, 1, 1);
  const std::optional<Contracted> c = b.last();
  REQUIRE(c);
  REQUIRE(c->matrices.size() == 1);
  CHECK(c->pace.row_stride == 1);
  CHECK(c->pace.position_stride == 1);
  const auto& elements = c->matrices[0].elements;
  REQUIRE(elements.size() == 576);
  CHECK(elements[0].row == -1);
  CHECK(elements[0].position == -1);
  CHECK(elements[1].channel == 1);    // channels are innermost
  CHECK(elements[1].reduction == 9);  // kernel order is (channel, ky, kx): the next channel is 9 further
  CHECK(elements[64].position == 0);  // then kx
  CHECK(elements[192].row == 0);      // then ky
  CHECK(c->by_column[1] == 576);
}

TEST_CASE("windows: are 576 rows on 128-row groups five strips, each one view?") {
  const Bench b = convolution(64, 64, 56, 3, 1, 1);
  const std::optional<Contracted> c = b.last();
  const std::vector<Strip> strips = cut_strips(c->matrices[0], c->pace, 64, 128);
  CHECK(sizes(strips) == std::vector<std::int32_t>{128, 128, 128, 128, 64});
  // the second strip: the last 64 of one window row and the first 64 of the next
  CHECK(strips[1].window.count == 2);
  CHECK(strips[1].window.len == 64);
  CHECK(strips[1].window.row_step == 1);
  CHECK(strips[1].window.position_step == -2);
}

TEST_CASE("windows: does a 7x7 convolution of 3 channels cut between window rows?") {
  const Bench b = convolution(3, 64, 224, 7, 2, 3);
  const std::optional<Contracted> c = b.last();
  REQUIRE(c);
  CHECK(c->pace.row_stride == 2);
  // 7 window rows of 21: six of them are 126 of 128 rows, the seventh stands alone
  CHECK(sizes(cut_strips(c->matrices[0], c->pace, 3, 128)) == std::vector<std::int32_t>{126, 21});
  CHECK(sizes(cut_strips(c->matrices[0], c->pace, 3, 1024)) == std::vector<std::int32_t>{147});
}

TEST_CASE("windows: does a window's box reach exactly its padding?") {
  const Bench b = convolution(64, 64, 56, 3, 1, 1);
  const std::optional<Contracted> c = b.last();
  const std::vector<Strip> strips = cut_strips(c->matrices[0], c->pace, 64, 1024);
  REQUIRE(strips.size() == 1);
  CHECK(window_box(strips[0].window, 64, 0, 1, 0, 56) == PBox{-1, 2, -1, 57, 0, 64});
  CHECK(window_box(strips[0].window, 64, 10, 11, 8, 16) == PBox{9, 12, 7, 17, 0, 64});
}

TEST_CASE("windows: does a flattened image reach the matrix in the image's own order?") {
  Bench b;
  const ir::ValueId x = b.graph.add_input("x", {ElementType::f32, {1, 2, 3, 3}});
  const ir::ValueId p = b.graph.add_node("max_pool", {x}, {ElementType::f32, {1, 2, 2, 2}},
                                         {{"kernel_shape", std::vector<std::int64_t>{2, 2}},
                                          {"strides", std::vector<std::int64_t>{1, 1}},
                                          {"pads", std::vector<std::int64_t>{0, 0, 0, 0}},
                                          {"dilations", std::vector<std::int64_t>{1, 1}},
                                          {"ceil_mode", std::int64_t{0}}});
  const ir::ValueId f =
      b.graph.add_node("reshape", {p}, {ElementType::f32, {1, 8}}, {{"shape", std::vector<std::int64_t>{1, 8}}});
  const ir::ValueId w = b.graph.add_constant("w", ir::Tensor::zeros({ElementType::f32, {8, 5}}));
  const ir::ValueId y = b.graph.add_node("matmul", {f, w}, {ElementType::f32, {1, 5}});
  b.graph.outputs = {y};
  b.settle();
  CHECK(b.roots[ir::to_index(f)].value == p);
  CHECK_FALSE(b.roots[ir::to_index(f)].same_order);  // channels are innermost in memory, outermost in the flat order
  const std::optional<Contracted> c = b.last();
  REQUIRE(c);
  std::vector<std::int32_t> order;
  for (const auto& e : c->matrices[0].elements) order.push_back(e.reduction);
  // memory: (row, position, channel); flat index = channel * 4 + row * 2 + position
  CHECK(order == std::vector<std::int32_t>{0, 4, 1, 5, 2, 6, 3, 7});
}

TEST_CASE("windows: is a grouped convolution one matrix per group, without zeros between them?") {
  Bench b;
  const ir::ValueId x = b.graph.add_input("x", {ElementType::f32, {1, 8, 6, 6}});
  const ir::ValueId w = b.graph.add_constant("w", ir::Tensor::zeros({ElementType::f32, {6, 4, 3, 3}}));
  b.graph.add_node("conv", {x, w}, {ElementType::f32, {1, 6, 6, 6}},
                   {{"strides", std::vector<std::int64_t>{1, 1}},
                    {"pads", std::vector<std::int64_t>{1, 1, 1, 1}},
                    {"dilations", std::vector<std::int64_t>{1, 1}},
                    {"group", std::int64_t{2}}});
  b.settle();
  const std::optional<Contracted> c = b.last();
  REQUIRE(c);
  REQUIRE(c->matrices.size() == 2);
  CHECK(c->matrices[1].col0 == 3);
  CHECK(c->matrices[1].col1 == 6);
  CHECK(c->matrices[1].elements.size() == 36);
  CHECK(c->matrices[1].elements[0].channel == 4);
  CHECK(c->matrices[1].weight_base == 3 * 36);
}

TEST_CASE("windows: is a product with other weights for each batch refused to the crossbars?") {
  for (const std::int64_t batches : {std::int64_t{1}, std::int64_t{2}}) {
    Bench b;
    const ir::ValueId x = b.graph.add_input("x", {ElementType::f32, {2, 4, 7}});
    const ir::ValueId w = b.graph.add_constant("w", ir::Tensor::zeros({ElementType::f32, {batches, 7, 5}}));
    const ir::ValueId y = b.graph.add_node("matmul", {x, w}, {ElementType::f32, {2, 4, 5}}, {}, "y");
    b.graph.outputs = {y};
    b.settle();
    CHECK(b.last().has_value() == (batches == 1));
  }
}

namespace {
/// x[images, 2, height, 3] -> conv 2x1, stride 2, no padding.
Bench of_images(std::int64_t images, std::int64_t height) {
  Bench b;
  const ir::ValueId x = b.graph.add_input("x", {ElementType::f32, {images, 2, height, 3}});
  const ir::ValueId w = b.graph.add_constant("w", ir::Tensor::zeros({ElementType::f32, {4, 2, 2, 1}}));
  b.graph.add_node("conv", {x, w}, {ElementType::f32, {images, 4, (height - 2) / 2 + 1, 3}},
                   {{"strides", std::vector<std::int64_t>{2, 1}},
                    {"pads", std::vector<std::int64_t>{0, 0, 0, 0}},
                    {"dilations", std::vector<std::int64_t>{1, 1}},
                    {"group", std::int64_t{1}}});
  b.settle();
  return b;
}
/// x[2, 3, 4] under another shape, times w[8, 5] or what fits.
std::optional<Contracted> renamed_product(const ir::Shape& stored, const ir::Shape& seen) {
  Bench b;
  const ir::ValueId x = b.graph.add_input("x", {ElementType::f32, stored});
  const ir::ValueId f = b.graph.add_node("reshape", {x}, {ElementType::f32, seen}, {{"shape", seen}});
  const ir::ValueId w = b.graph.add_constant("w", ir::Tensor::zeros({ElementType::f32, {seen.back(), 5}}));
  ir::Shape out = seen;
  out.back() = 5;
  b.graph.outputs = {b.graph.add_node("matmul", {f, w}, {ElementType::f32, out})};
  b.settle();
  return b.last();
}
}  // namespace

TEST_CASE("windows: where do those of the second image begin when a stride leaves rows over?") {
  const std::optional<Contracted> even = of_images(3, 6).last(), odd = of_images(3, 7).last();
  REQUIRE(even);
  CHECK(even->pace.image_rows == 0);  // three output rows for six: one run
  CHECK(even->pace.row(3, 0) == 6);
  REQUIRE(odd);
  CHECK(odd->pace.image_rows == 3);
  for (const auto& [out, in] : {std::pair{0, 0}, {2, 4}, {3, 7}, {5, 11}, {6, 14}}) CHECK(odd->pace.row(out, 0) == in);
  CHECK(odd->pace.run_end(1, 9) == 3);
  const std::vector<Strip> strips = cut_strips(odd->matrices[0], odd->pace, 2, 128);
  REQUIRE(strips.size() == 1);
  CHECK(window_box(strips[0].window, 2, 3, 4, 0, 3) == PBox{7, 9, 0, 3, 0, 2});
}

TEST_CASE("windows: does each flattened image read its own rows?") {
  const std::optional<Contracted> c = renamed_product({4, 1, 3, 2}, {4, 6});
  REQUIRE(c);
  CHECK(c->pace.rows_per_position == 1);  // no operator sees an image here: a row is an image, a position a line of it
  CHECK(c->pace.position_stride == 0);
  const std::vector<Strip> strips = cut_strips(c->matrices[0], c->pace, 2, 128);
  REQUIRE(strips.size() == 1);
  CHECK(strips[0].size == 6);
  CHECK(window_box(strips[0].window, 2, 0, 1, 2, 3) == PBox{2, 3, 0, 3, 0, 2});
}

TEST_CASE("windows: is a renamed value streamed where its steps are steps of what is stored, and only there?") {
  CHECK(renamed_product({2, 6, 4, 8}, {2, 6, 32}));  // heads joined
  CHECK(renamed_product({1, 12, 32}, {12, 32}));
  CHECK(renamed_product({12, 32}, {1, 12, 32}));
  CHECK_FALSE(renamed_product({2, 6, 32}, {12, 32}));  // rows end where no row of positions does
  CHECK_FALSE(renamed_product({12, 32}, {2, 6, 32}));  // and begin within one
  CHECK_FALSE(renamed_product({2, 3, 4}, {3, 8}));     // a window begins in the middle of what is stored
}

TEST_CASE("windows: do two positions of a 3x3 convolution share the rows that both read?") {
  const Bench b = convolution(64, 64, 56, 3, 1, 1);
  const std::optional<Contracted> c = b.last();
  REQUIRE(c);
  const Widened wide = widen(c->matrices[0], c->pace, 2);
  const std::size_t rows = wide.matrix.elements.size();
  REQUIRE(rows == 3 * 4 * 64);  // not 2 * 3 * 3 * 64
  REQUIRE(wide.reductions.size() == 2 * rows);
  const auto reduction = [&](std::size_t window, std::size_t row) { return wide.reductions[window * rows + row]; };
  CHECK(wide.matrix.elements[0].position == -1);
  CHECK(reduction(0, 0) == 0);
  CHECK(reduction(1, 0) == no_reduction);  // the second window begins one position further
  CHECK(reduction(0, 64) == 1);            // kx of the first window
  CHECK(reduction(1, 64) == 0);
  CHECK(reduction(0, 192) == no_reduction);
  CHECK(reduction(1, 192) == 2);
  // the strips are those of a 3x4 convolution that moves on by two
  const std::vector<Strip> strips = cut_strips(wide.matrix, c->pace.of_windows(2), 64, 128);
  CHECK(sizes(strips) == std::vector<std::int32_t>{128, 128, 128, 128, 128, 128});
  CHECK(window_box(strips[0].window, 64, 0, 1, 0, 28) == PBox{-1, 0, -1, 55, 0, 64});
}

TEST_CASE("windows: are positions that share nothing side by side, without what lies between them?") {
  const Bench b = convolution(64, 64, 56, 1, 2, 0);
  const std::optional<Contracted> c = b.last();
  const Widened wide = widen(c->matrices[0], c->pace, 3);
  REQUIRE(wide.matrix.elements.size() == 3 * 64);
  CHECK(wide.matrix.elements[64].position == 2);
  for (std::size_t row = 0; row < 192; ++row)
    for (std::size_t window = 0; window < 3; ++window)
      CHECK((wide.reductions[window * 192 + row] == no_reduction) == (row / 64 != window));
  const std::vector<Strip> strips = cut_strips(wide.matrix, c->pace.of_windows(3), 64, 1024);
  REQUIRE(strips.size() == 1);
  CHECK(strips[0].window.position_step == 2);
}

TEST_CASE("windows: is one window of a matrix the matrix?") {
  const Bench b = convolution(3, 64, 224, 7, 2, 3);
  const std::optional<Contracted> c = b.last();
  const Widened one = widen(c->matrices[0], c->pace, 1);
  REQUIRE(one.matrix.elements.size() == c->matrices[0].elements.size());
  for (std::size_t i = 0; i < one.reductions.size(); ++i)
    CHECK(one.reductions[i] == c->matrices[0].elements[i].reduction);
}
