#pragma once
// The pace of a stream of images.
#include <optional>

#include "simulator/chip/simulate.hpp"

namespace pimento::sim {

/// The steady-state interval, core cycles: with e(i) the end of image i's last store (Result::image_ends), the slope
/// over the middle half, (e(b) - e(a)) / (b - a) with a = N / 4 and b = 3 N / 4, both rounded down. The first quarter
/// is the filling of the pipeline; in the last one it drains, and images end faster than any stream could go on. None
/// for fewer than two images, or when some of them were not stored.
std::optional<double> steady_interval(const Result& result);

}  // namespace pimento::sim
