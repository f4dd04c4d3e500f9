// A shared library without operators.
#include "compiler/ops/plugin.hpp"
