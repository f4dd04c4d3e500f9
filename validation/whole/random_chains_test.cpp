// Chains of random operators the whole way: are the values the reference's, whatever follows what?
#include "validation/whole/random_chains.hpp"

#include <doctest/doctest.h>

#include "validation/whole/many.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random chains: are moves, reductions and arithmetic behind each other right on a small chip?") {
  check_many(random_chain, isa::load_chip("tiny-4"), 1, 60);
}
