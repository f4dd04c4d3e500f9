#pragma once
// Operators from outside the tree. A plug-in is a shared library (CMake: add_library(NAME MODULE ...), linked with
// nothing) whose source includes this header and defines operators with OP(...), as the files of this room do. Its
// symbols are those of the program that loads it, so it works in `pimento --plugin` and in programs that link
// pimento_compiler alike.
#include <filesystem>

#include "compiler/ops/define.hpp"

/// Stands for the interface that a plug-in is built against: its name changes with the version (major and minor), so
/// that the loader refuses a plug-in of another version before any of its code runs.
extern "C" void pimento_operators_0_1();

namespace pimento::ops {

/// Loads a plug-in; its operators are known from then on, until the process ends. Throws UserError with the file: not
/// there, no shared library, built for another version, no operators in it, an operator whose name is taken.
void load_plugin(const std::filesystem::path& file);

namespace {
[[gnu::used]] void (*const interface_that_this_is_built_for)() = &pimento_operators_0_1;
}

}  // namespace pimento::ops
