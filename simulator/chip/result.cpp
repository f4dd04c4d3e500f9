#include "simulator/chip/simulate.hpp"

namespace pimento::sim {

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::finished:
      return "finished";
    case StopReason::deadlock:
      return "deadlock";
    case StopReason::max_cycles:
      return "cycle limit reached";
    case StopReason::interrupted:
      return "interrupted";
    case StopReason::unreceived:
      return "messages were never received";
  }
  return "unknown";
}

}  // namespace pimento::sim
