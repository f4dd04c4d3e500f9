#pragma once
// What does not fit a chip is an answer of its own kind: the model and the chip are fine, the two do not go together.
#include "isa/support/error.hpp"

namespace pimento::pim {

/// The chip has no room for the model: crossbars, local memory or instruction memory. The message names the chip, what
/// is needed and what there is.
class NoRoom : public UserError {
 public:
  using UserError::UserError;
};
/// The mapping at hand does not fit a core; another mapping of the same model may.
class DoesNotFit : public NoRoom {
 public:
  using NoRoom::NoRoom;
};

/// A core's local memory is too small for what stands there at once: what waits for long may wait elsewhere.
class LocalMemoryFull : public DoesNotFit {
 public:
  using DoesNotFit::DoesNotFit;
};

}  // namespace pimento::pim
