#pragma once
// When the instructions of one core issue and end, by the rules of simulator/README ("Instructions"): in order, through
// a window, each once its unit is free and its registers and the bytes of its operands are as it needs them; reading
// and writing hold ports of local memory. Banks are left out.
#include <array>
#include <vector>

#include "isa/cost/cost.hpp"
#include "isa/cost/in_flight.hpp"
#include "isa/cost/ports.hpp"

namespace pimento::pim {

/// One instruction on its way.
struct Timed {
  std::uint32_t unit = 0;
  isa::cost::Duration duration;
  isa::cost::Footprint bytes;
  std::array<std::uint8_t, 3> registers{isa::no_register, isa::no_register, isa::no_register};  ///< d, a, b
  bool sets_register = false;                                                                   ///< the first
};

class CoreClock {
 public:
  /// What an instruction holds: control instructions nothing; group_unit + n: the n-th array group.
  static constexpr std::uint32_t control_unit = 0, scalar_unit = 1, vector_unit = 2, digital_unit = 3,
                                 transfer_unit = 4, group_unit = 5;

  explicit CoreClock(const isa::Chip& chip);

  /// Works on the core alone. Returns when it issues.
  Cycles issue(const Timed& instruction);

  struct Begun {
    Cycles start = 0;     ///< it begins its work
    Cycles read_end = 0;  ///< its bytes are read
  };
  /// A transfer issues, and is open until `known` says more. `brings`: it writes what comes.
  Begun begin(const Timed& transfer, bool brings);
  /// What the open transfer brings is there, or all that it sends has left.
  void known(Cycles time) { open_.known = time; }
  /// The end of the last transfer, whose time must be known.
  Cycles close();

  /// Everything stops until `time`, and is done by then.
  void stand_until(Cycles time);
  /// When all that has been issued has retired; transfers must be known.
  Cycles end();

  int window() const { return static_cast<int>(window_); }
  bool has_open_transfer() const { return open_.is_open; }
  /// What is in flight is all of one kind and follows itself at one distance: the same again, so much later.
  void move_on(Cycles by);

 private:
  struct Open {
    bool is_open = false, brings = false;
    std::int64_t order = 0;
    Cycles issue = 0, known = 0;
    isa::cost::Duration duration;
  };
  Cycles issue_time(const Timed& instruction);
  Cycles hazards(const Timed& instruction, Cycles time, bool& meets_open);
  void enter_window(Cycles end);
  void settle();

  const isa::Chip& chip_;
  std::int64_t window_, order_ = 0;
  Cycles next_, retired_ = 0, last_transfer_ = 0;
  std::vector<Cycles> end_of_, retired_of_;  ///< by place in the window
  std::vector<Cycles> free_, through_;       ///< by unit; `through_`: of groups that overlap
  std::vector<Cycles> registers_;            ///< when each is set; no_register is an entry of its own that stays 0
  std::vector<isa::cost::InFlight> in_flight_;
  isa::cost::Ports ports_;
  Open open_;
};

}  // namespace pimento::pim
