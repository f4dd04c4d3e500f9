#pragma once
// The operating system as it is on a bad day. An executable with shim.cpp in it has its own operator new and its own
// open, write, fsync, close, rename and mkdir; once armed, the n-th of them fails. Nothing else in the process changes.
namespace pimento::faults {

enum class Kind {
  disk,         ///< the n-th operation that makes, fills or renames a file says "No space left on device"
  memory,       ///< the n-th operator new throws
  memory_gone,  ///< the n-th operator new and all after it throw
};

/// From here on the n-th operation (1-based) of `kind` fails; 0: none does, they are only counted.
void arm(Kind kind, long n);
void disarm();
/// Operations of that kind since `arm`.
long operations();
bool has_struck();

}  // namespace pimento::faults
