// ctest: slow
#include "validation/golden/golden_for_tests.hpp"

using namespace pimento::validation;

TEST_CASE("golden: is every case of the slow networks as accepted?") { check_cases(true); }
