#include "cli/report/svg.hpp"

#include <fmt/format.h>

namespace pimento::cli::svg {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

std::string colour(std::size_t node) { return fmt::format("hsl({},65%,60%)", (node * 137) % 360); }

int columns_of(const isa::Chip& chip) {
  if (chip.network.width > 0) return chip.network.width;
  int columns = 1;
  while (columns * columns < chip.cores) ++columns;
  return columns;
}

Corner corner(int core, int columns) {
  return {margin + core % columns * (square + gap), margin + line + core / columns * (square + gap)};
}

std::string document(int width, int height, const std::string& title, const std::string& body) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"sans-serif\" font-size=\"11\">\n"
             "  <rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n"
             "  <text x=\"{2}\" y=\"{2}\">{3}</text>\n",
             width, height, margin, escaped(title)) +
         body + "</svg>\n";
}

}  // namespace pimento::cli::svg
