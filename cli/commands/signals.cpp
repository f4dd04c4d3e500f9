#include "cli/commands/signals.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

#include "isa/support/unfinished.hpp"

namespace pimento::cli {
namespace {

/// Only what a handler may do: no allocation, no locks.
void stopped(int signal) {
  constexpr std::string_view interrupted = "pimento: interrupted\n", terminated = "pimento: terminated\n";
  remove_unfinished();
  const std::string_view text = signal == SIGINT ? interrupted : terminated;
  const auto written = ::write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);  // there is nowhere else to say it
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void end_in_order_when_stopped() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, stopped) == SIG_IGN) std::signal(signal, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace pimento::cli
