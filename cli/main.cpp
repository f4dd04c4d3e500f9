// The executable: hands its arguments and streams to the table of subcommands.
#include <iostream>

#include "cli/commands/registry.hpp"
#include "cli/commands/signals.hpp"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  pimento::cli::end_in_order_without_memory();
  pimento::cli::end_in_order_when_stopped();
  return pimento::cli::run_command_line({argv + 1, argv + argc}, {std::cout, std::cerr});
}
