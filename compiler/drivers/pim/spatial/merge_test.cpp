#include "compiler/drivers/pim/spatial/merge.hpp"
#include "compiler/drivers/pim/laws/laws.hpp"

#include <doctest/doctest.h>

#include "compiler/drivers/pim/emit/small_compile.hpp"

using namespace pimento;
using namespace pimento::pim;

namespace {

struct Merged {
  bench::Compiled made;
  Spatial after;
  MergeStatistics statistics;
  explicit Merged(const std::string& graph) : made(bench::scheduled(graph)) {
    after = merge(made.spatial, made.graph, made.pool, statistics);
    CHECK(law_of_merge(made.spatial, after) == "");
    CHECK(verify(after, made.chip) == "");
  }
  /// Every compute of the printed program, in order: what it writes and what it reads.
  static std::string computes(const Spatial& s) {
    std::string text;
    const auto add = [&](const Access& a) { text += s.values[index_of(a.value)].name + to_string(a.box); };
    for (const Compute& c : s.computes) {
      add(c.write);
      text += " <-";
      for (const Access& read : c.reads) {
        if (read.box.empty()) continue;
        text += " ";
        add(read);
      }
      text += "\n";
    }
    return text;
  }
};

}  // namespace

TEST_CASE("merge: do the parts of a concatenation write straight into it?") {
  const Merged m(R"(graph g (%x : f32[1,4]) {
    %a = relu %x : f32[1,4]
    %b = sigmoid %x : f32[1,4]
    %y = concat %a, %b {axis = 1} : f32[1,8]
    return %y
  })");
  CHECK(Merged::computes(m.made.spatial) ==
        "a[r 0:1, p 0:1, c 0:4] <- x[r 0:1, p 0:1, c 0:4]\n"
        "b[r 0:1, p 0:1, c 0:4] <- x[r 0:1, p 0:1, c 0:4]\n"
        "y[r 0:1, p 0:1, c 0:4] <- a[r 0:1, p 0:1, c 0:4]\n"
        "y[r 0:1, p 0:1, c 4:8] <- b[r 0:1, p 0:1, c 0:4]\n");
  CHECK(Merged::computes(m.after) ==
        "y[r 0:1, p 0:1, c 0:4] <- x[r 0:1, p 0:1, c 0:4]\n"
        "y[r 0:1, p 0:1, c 4:8] <- x[r 0:1, p 0:1, c 0:4]\n");
  CHECK(m.statistics.moves_merged == 2);
  CHECK(m.statistics.values_removed == 2);
  // the bodies know where their own result begins inside of y
  CHECK(m.after.batches.at(0).body.channel0 == 0);
  CHECK(m.after.batches.at(1).body.channel0 == 4);
}

TEST_CASE("merge: does a part that somebody else reads as well stay, with its move?") {
  const Merged m(R"(graph g (%x : f32[1,4]) {
    %a = relu %x : f32[1,4]
    %b = sigmoid %x : f32[1,4]
    %y = concat %a, %b {axis = 1} : f32[1,8]
    %z = tanh %a : f32[1,4]
    return %y, %z
  })");
  CHECK(m.statistics.moves_merged == 1);  // of b
  CHECK(m.statistics.values_removed == 1);
  CHECK(m.statistics.moves_kept == 1);
}

TEST_CASE("merge: is a graph without moves left as it is, and is twice the same as once?") {
  const Merged m(R"(graph g (%x : f32[1,4]) {
    %a = relu %x : f32[1,4]
    %y = sigmoid %a : f32[1,4]
    return %y
  })");
  CHECK(print(m.after) == print(m.made.spatial));
  CHECK(m.statistics.moves_merged == 0);
  MergeStatistics again;
  ConstantPool pool;
  CHECK(print(merge(m.after, m.made.graph, pool, again)) == print(m.after));
}
