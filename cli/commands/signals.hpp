#pragma once
// Ends that come from outside: what is unfinished goes with the process.

namespace pimento::cli {

/// From here on SIGINT, SIGTERM and SIGHUP remove files and folders that are not finished, say one line and end the
/// process as they would have; one that was ignored stays ignored. SIGXFSZ becomes a failure of the write, which the
/// writer reports.
void end_in_order_when_stopped();

}  // namespace pimento::cli
