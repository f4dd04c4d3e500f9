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
enum class Direction { lower, higher, equal };
std::string_view to_string(FigureClass c);
std::string_view to_string(Direction d);

struct Figure {
  std::string_view name;
  FigureClass of;
  Direction better;
  std::string_view unit;
  std::string_view meaning;
};
/// Every figure, list and head line of a record, in the order of the page.
const std::vector<Figure>& figures();
/// nullptr for a name that no row has.
const Figure* find_figure(std::string_view name);

}  // namespace pimento::proof
