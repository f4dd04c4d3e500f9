#pragma once
// The pace of a stream of images.
#include <optional>

#include "simulator/chip/simulate.hpp"

namespace pimento::sim {

/// The steady-state interval, core cycles: with e(i) the end of image i's last store (Result::image_ends), the slope
/// (e(b) - e(a)) / (b - a) with a = N / 4 and b = 5 N / 8, both rounded down. Before, the pipeline fills; later it
/// drains, and images end faster than any stream could go on. None for fewer than two images, when some of them were
/// not stored, or when the slopes of the two halves between a and b differ by more than 1 %: then there is no steady
/// state yet.
std::optional<double> steady_interval(const Result& result);

}  // namespace pimento::sim
