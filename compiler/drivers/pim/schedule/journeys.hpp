#pragma once
// What a stream's images share, whatever beats they are made in (beats.cpp): what goes from core to core, and which
// touches of a row on a core bound how long it stands there.
#include <span>
#include <vector>

#include "compiler/drivers/pim/schedule/scheduling.hpp"

namespace pimento::pim {

/// Half beats: a beat's computes, then its messages.
inline std::int32_t half_of_compute(std::int32_t beat) { return 2 * beat; }
inline std::int32_t half_of_message(std::int32_t beat) { return 2 * beat + 1; }

/// All that one core reads of one compute on another.
struct Journey {
  std::int32_t producer = 0;  ///< compute
  CoreId from = 0, to = 0;
  SpatialValueId value{};
  PBox box;
  std::vector<std::int32_t> readers;  ///< computes on `to`
};

/// In the order of from, to, value, columns and rows: rows that follow each other stand together.
std::vector<Journey> journeys_of(const Scheduling& all, const Schedule& one);

/// Every row of a value on a core, with what touches it there first and last.
class RowLives {
 public:
  /// `journeys` outlives it.
  RowLives(const Scheduling& all, const Schedule& one, const std::vector<Journey>& journeys);

  /// The makers of rows that stand somewhere for `beats` or longer, for beats by compute and by journey; each once.
  std::vector<std::int32_t> made_too_early(const std::vector<std::int32_t>& beat_of_compute,
                                           const std::vector<std::int32_t>& beat_of_journey, std::int32_t beats) const;

 private:
  /// A compute on the row's core, or the message of a journey that begins or ends there.
  struct Touch {
    std::int32_t index = 0;
    bool is_journey = false;
  };
  struct Boxed {
    Touch touch;
    PBox box;
  };
  void add_rows(const std::vector<Boxed>& touches);

  const std::vector<Journey>& journeys_;
  std::vector<Touch> touches_;
  std::vector<std::size_t> first_{0};  ///< by row: its first touch
};

}  // namespace pimento::pim
