#pragma once
// The table of figures: what each one of a record means, how a change of it is judged, and which way is better.
#include <string_view>
#include <vector>

namespace pimento::proof {

enum class FigureClass {
  runtime_proxy,  ///< a static figure that stands for execution time: no change may make it worse unseen
  resource,       ///< time and memory, of the compiler or of the chip
  identity,       ///< what the compile is of: records are comparable only where it is equal
  gate            ///< must hold, whatever else is won
};
enum class Direction {
  lower,
  higher,
  equal  ///< no way is better: a proxy or gate that differs is worse
};
/// How two values of a figure are set against each other.
enum class Reading {
  number,
  text,
  /// A list of sizes: for every n the n largest together. Wider batches, or more of them, are more; a batch cut in two
  /// is less.
  sizes,
  /// A list of owners (the core of each class): how many there are, and how much the busiest has.
  owners
};
/// Whether another machine, or another day, gives another value.
enum class Repeats { always, on_this_machine };
std::string_view to_string(FigureClass c);
std::string_view to_string(Direction d);

struct Figure {
  std::string_view name;
  FigureClass of;
  Direction better;
  std::string_view unit;
  std::string_view meaning;
  Reading reading = Reading::number;
  Repeats repeats = Repeats::always;
};
/// Every figure, list and head line of a record, in the order of the page.
const std::vector<Figure>& figures();
/// nullptr for a name that no row has.
const Figure* find_figure(std::string_view name);

}  // namespace pimento::proof
