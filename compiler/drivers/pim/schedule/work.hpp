#pragma once
// What both schedulers know of the computes: who feeds whom with how much, how long the way to the end is, how far down
// the image a compute lies, and how far a layer may run ahead of the others.
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include "compiler/drivers/pim/schedule/stages.hpp"

namespace pimento::pim {

struct WorkEdge {
  std::int32_t other = 0;  ///< compute
  Bytes bytes = 0;
  PBox box;  ///< part of the producer's value that is read
};

/// Lists of edges, one behind another.
class WorkEdges {
 public:
  std::span<const WorkEdge> operator[](std::size_t i) const {
    return std::span(edges_).subspan(first_[i], first_[i + 1] - first_[i]);
  }
  std::size_t size() const { return first_.size() - 1; }
  std::size_t edges() const { return edges_.size(); }
  void reserve(std::size_t lists, std::size_t edges) {
    first_.reserve(lists + 1);
    edges_.reserve(edges);
  }
  /// For the list that is made now, and its end.
  void add(const WorkEdge& e) { edges_.push_back(e); }
  WorkEdge* last() { return edges_.size() == first_.back() ? nullptr : &edges_.back(); }
  void end_list() { first_.push_back(edges_.size()); }
  /// The same edges by their other end.
  WorkEdges turned() const;

 private:
  std::vector<std::size_t> first_{0};
  std::vector<WorkEdge> edges_;
};

struct Work {
  Work(const Spatial& spatial, const Producers& producers, const MoveCosts& costs);

  const Spatial& spatial;
  WorkEdges inputs, outputs;         ///< by compute
  std::vector<Bytes> loads, stores;  ///< global memory traffic of each compute
  /// Longest way to the end in core cycles, mean messages included. A class does its computes one after the other, so
  /// the next of them counts as a successor.
  std::vector<Cycles> rank;

  /// How far down the image a compute's row lies, from 0 to 2^20. A core takes the row that lies highest, whatever its
  /// layer: later layers follow at once, so that little stands between them and little is left after the last row.
  /// Computes without a class free the memory of what they read and come first (-1). Earlier rounds come before later
  /// ones. By compute.
  std::vector<std::int64_t> place;
  /// By compute: which it is of all by place, descending rank and id; and the computes in that order.
  std::vector<std::int32_t> turn, by_turn;
  /// Layer and round: what waits for another round's cells bounds nobody.
  std::size_t layer_of(std::size_t i) const { return node_of(i) + static_cast<std::size_t>(round_of[i]) * layers; }
  /// Whether copies of a compute's node make a row in several computes.
  bool is_in_pieces(std::size_t i) const { return in_pieces_[node_of(i)]; }
  std::vector<std::int32_t> round_of;  ///< by compute
  std::size_t layers = 1;
  /// By layer: those of its round that read it.
  std::vector<std::vector<std::int32_t>> readers_of_layer;
  /// Where inputs of a compute are made.
  struct Origin {
    CoreId core = 0;
    Bytes bytes = 0;
    Cycles made = 0;         ///< when the last of them is there
    std::int64_t count = 0;  ///< how many
  };
  /// One entry per core and size of message, in that order.
  void find_origins(std::size_t i, const std::vector<Placed>& placed, std::vector<Origin>& found) const;
  /// A core where a compute without a class may run, and how often messages to it count.
  struct Candidate {
    CoreId core = 0;
    int times = 1;
  };
  /// As `roaming` says; any core for a compute that reads only global memory.
  static void find_candidates(const std::vector<Origin>& origins, int cores, Roaming roaming,
                              std::vector<Candidate>& found);

 private:
  std::vector<bool> in_pieces_;  ///< by node
  std::size_t node_of(std::size_t i) const {
    return static_cast<std::size_t>(spatial.batches[index_of(spatial.computes[i].batch)].body.node);
  }
  void find_turns();
  void find_readers();
  void find_pieces();
};

/// Sums of many partial sums. One keeps its core from row to row, since its buffers are as many as its strips; and a
/// core takes further channels of the same sum only while their partial sums leave most of its memory free: what it
/// receives of each strip is one box round all that it adds up.
class WideSums {
 public:
  WideSums(const Spatial& spatial, const isa::Chip& chip) : spatial_(spatial), chip_(chip) {}
  static bool is_wide(const Compute& c) { return c.reads.size() > 8; }
  /// The core that has this sum of other rows, or nothing.
  std::optional<CoreId> home(const Compute& c) const;
  bool may_take(const Compute& c, CoreId core) const;
  void take(const Compute& c, CoreId core);

 private:
  PBox all_on(const Compute& c, CoreId core) const;

  const Spatial& spatial_;
  const isa::Chip& chip_;
  std::map<std::tuple<std::size_t, std::int32_t, std::int32_t>, CoreId> homes_;  ///< by batch, position, channel
  std::map<std::tuple<std::size_t, std::int32_t, CoreId>, PBox> boxes_;          ///< by batch, position, core
};

/// Rows ahead from which an eighth of the image is allowed as well; each row more allows another eighth.
inline constexpr int ample_rows = 6;

/// A layer stays within some rows of its slowest stripe and of its readers: what runs further ahead only fills memory.
class RunAhead {
 public:
  /// `rows`: how many rows a layer may be ahead (and eighths of the image where `rows` is ample); 0: a layer with
  /// weights begins when all layers before it have ended.
  RunAhead(const Work& work, int rows);
  bool may_start(std::size_t i) const {
    if (rows_ahead_ == 0) return at_[i] < 0 || layer_[i] <= front_;
    return at_[i] <= limit_[layer_[i]];
  }
  /// True when a bound moved, so that held computes may start.
  bool finished(std::size_t i);

 private:
  struct Layer {
    std::vector<std::int32_t> unfinished;  ///< computes by first row
    std::size_t row = 0;                   ///< first row with an unfinished one
    std::vector<std::int32_t> sources;     ///< layers that this one reads
    std::int64_t step = 0;                 ///< place of one row
    std::int64_t place() const;
    bool advance();
  };
  std::int64_t rows_ahead_;
  const Work& work_;
  std::vector<Layer> layers_;
  std::vector<std::int64_t> limit_;  ///< by layer: the last place that may start
  std::vector<std::size_t> layer_;   ///< by compute
  std::vector<std::int64_t> at_;     ///< by compute: its place; below all limits without a class
  std::size_t front_ = 0;            ///< first layer that has not ended
  void advance_front();
  void find_limit(std::size_t layer);
};

}  // namespace pimento::pim
