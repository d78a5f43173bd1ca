// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a process.
//
// What the library knows about this process, in two parts. Each source has its
// own state beside them (Source.h).
//
// Process is wiped by fork (any kind: the kernel does it), so the first hook of
// a child finds zeroes and greets the recorder as a process of its own. A vfork
// child shares the memory of its parent and writes as it.
//
// Inherited is ordinary memory: what a child goes on with.

#ifndef MEMKIT_CAPTURE_RUNTIME_PROCESS_H
#define MEMKIT_CAPTURE_RUNTIME_PROCESS_H

#include "SharedNames.h"

namespace memkit::capture {

enum class Phase : uint32_t { New = 0, Greeting = 1, Active = 2, Off = 3 };

struct alignas(PageBytes) ThisProcess {
  /// Which process the mappings below belong to; 0: none. A thread whose own
  /// number differs has to attach first.
  std::atomic<uint64_t> Epoch{0};
  std::atomic<Phase> State{Phase::New};
  wire::Control *Ctl = nullptr;
  wire::RingHeader *Headers = nullptr;
  uint32_t MaxRings = 0;
  uint32_t MaxDepth = 0;
  uint32_t WaitMs = 0; ///< 0: never wait
  uint32_t Pid = 0;
  bool SomeUnknown = false;         ///< there are blocks that are not recorded
  Pieces<wire::Record, 1024> Rings; ///< 4,096 rings
  SharedNames Names;
};

inline constexpr uint32_t MaxRingNumber = 4096;

/// The variables by which others find our libraries: of one length.
inline constexpr unsigned NumInjections = 2;
inline constexpr const char *InjectionVars[NumInjections] = {wire::NvtxVar,
                                                             wire::CudaVar};
static_assert(sizeof(wire::NvtxVar) == sizeof(wire::CudaVar));

struct Inherited {
  char Socket[sizeof("MEMREC_SOCKET=") + 108];    ///< "MEMREC_SOCKET=..."
  char Preload[sizeof("MEMREC_PRELOAD=") + 4096]; ///< "MEMREC_PRELOAD=..."
  /// "NVTX_INJECTION64_PATH=..." and CUDA's, when they are ours; else nothing
  /// behind the =.
  char Injections[NumInjections][sizeof("NVTX_INJECTION64_PATH=") + 4096];
  bool HasEnvironment; ///< it has been looked at
  bool NoFollow;       ///< children are not recorded
  uint64_t Epochs;     ///< processes that this memory has been
  uint32_t Process;    ///< the last one's id
  bool Stopped;        ///< the program wants no allocations to be recorded
  /// The last one's control page: the only thing of it that a child of fork has
  /// still mapped. A child looks there whether greeting is worth while.
  wire::Control *Control;
  /// Scopes that the program and its parents have begun; a scope's number.
  std::atomic<uint64_t> Scopes;

  const char *socketPath() const { return Socket + sizeof("MEMREC_SOCKET"); }
  const char *preloadPath() const { return Preload + sizeof("MEMREC_PRELOAD"); }
  const char *injectionPath(unsigned I) const {
    return Injections[I] + sizeof("NVTX_INJECTION64_PATH");
  }
};

extern ThisProcess Proc;
extern Inherited Kept;

/// Is \p Path what memrec sets the variable of that number to?
bool isOurInjection(unsigned I, const char *Path);

/// Looks for the recorder's variables; false: too early to say.
bool readEnvironment();

/// Makes this process an active one, or turns it off. Signals are blocked.
void connect();

/// The longest wait for each step of the greeting.
inline constexpr long GreetMs = 5000;

/// Asks the recorder for the shared memory; its descriptor, or -1.
int greet(wire::Welcome &W);

/// Stops recording for good.
void turnOff();

/// Is there no recorder any more that takes records of \p C?
bool recorderGone(const wire::Control &C);

/// Has a whole wait for it been in vain, and it has not moved since?
bool recorderStands(const wire::Control &C);
void noteRecorderStands(wire::Control &C);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_PROCESS_H
