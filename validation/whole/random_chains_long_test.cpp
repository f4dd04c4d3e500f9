// ctest: slow
// The question of random_chains_test.cpp, asked of many more.
#include <doctest/doctest.h>

#include "validation/whole/many.hpp"
#include "validation/whole/random_chains.hpp"

using namespace pimento;
using namespace pimento::validation;

TEST_CASE("random chains: are 1500 more of them right?") {
  check_many(random_chain, isa::load_chip("tiny-4"), 1000, 2499);
}
