#pragma once
// A run as a picture over time: Chrome's trace event format (the "JSON object format" of the Trace Event Format
// document), which chrome://tracing and Perfetto read. Written as the run goes on; nothing is kept but what closes it.
//
// A core is a process; its control, scalar, vector, transfer and digital matrix units and each of its array groups are
// threads, an instruction is a complete event ("X") named by the ONNX node that it belongs to, and what a transfer
// waits for is an event inside it. A message is a flow from its send to its receive. The channels of the global memory
// are threads of one more process. Time stands in microseconds, exact to the femtosecond.
#include <memory>
#include <string>

#include "isa/program/program.hpp"
#include "isa/support/file.hpp"
#include "simulator/observe/observer.hpp"

namespace pimento::sim {

/// Events that touch [from, to), core clock.
struct Span {
  Cycles from = 0, to = 0;  ///< to 0: until the end
};

class Timeline final : public Observer {
 public:
  /// `compressed`: gzip. Program and chip must outlive it.
  Timeline(Output& out, const isa::Program& program, const isa::Chip& chip, Span span, bool compressed);
  ~Timeline() override;

  void executed(const Executed& event) override;
  void transferred(const Transferred& event) override;
  void served(const MemoryService& event) override;
  /// Closes the document. `ended`: how the run ended, for readers of a part.
  void finish(const std::string& ended);
  std::int64_t events() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pimento::sim
