// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a process.
//
// The library's state of this process, in two parts. Each source has its own
// state beside them (Source.h).
//
// The kernel wipes ThisProcess at fork (of any kind), so the first hook of a
// child finds zeros and greets the recorder as a process of its own. A vfork
// child shares the memory of its parent and writes records as its parent.
//
// Inherited is ordinary memory, which a child keeps.

#ifndef MEMKIT_CAPTURE_RUNTIME_PROCESS_H
#define MEMKIT_CAPTURE_RUNTIME_PROCESS_H

#include "SharedNames.h"

namespace memkit::capture {

enum class ProcessPhase : uint32_t {
  New = 0,
  Greeting = 1,
  Active = 2,
  Off = 3
};

struct alignas(PageBytes) ThisProcess {
  /// The number of the process that the mappings below belong to; 0: none. A
  /// thread with another number must attach first.
  std::atomic<uint64_t> Epoch{0};
  std::atomic<ProcessPhase> State{ProcessPhase::New};
  wire::Control *Ctl = nullptr;
  wire::RingHeader *Headers = nullptr;
  uint32_t MaxRings = 0;
  uint32_t MaxDepth = 0;
  uint32_t WaitMs = 0; ///< 0: never wait
  uint32_t Pid = 0;
  bool SomeUnknown = false;         ///< some blocks are not recorded
  Pieces<wire::Record, 1024> Rings; ///< 4,096 rings
  SharedNames Names;
};

inline constexpr uint32_t MaxRingNumber = 4096;

/// The variables by which NVTX and CUDA find memkit's libraries; all of one
/// length.
inline constexpr unsigned NumInjections = 2;
inline constexpr const char *InjectionVars[NumInjections] = {wire::NvtxVar,
                                                             wire::CudaVar};
static_assert(sizeof(wire::NvtxVar) == sizeof(wire::CudaVar));

struct Inherited {
  char Socket[sizeof("MEMREC_SOCKET=") + 108];    ///< "MEMREC_SOCKET=..."
  char Preload[sizeof("MEMREC_PRELOAD=") + 4096]; ///< "MEMREC_PRELOAD=..."
  /// "NVTX_INJECTION64_PATH=..." and CUDA's variable; no value if the variable
  /// names another tool's library.
  char Injections[NumInjections][sizeof("NVTX_INJECTION64_PATH=") + 4096];
  bool HasEnvironment; ///< the environment has been read
  bool NoFollow;       ///< children are not recorded
  uint64_t Epochs;     ///< the number of processes that have had this memory
  uint32_t Process;    ///< the id of the last process
  bool Stopped;        ///< the program has stopped recording
  /// A sandbox would kill a process that greets the recorder.
  bool IsSandboxed;
  /// The library came into a program that ran already: the program's global
  /// scope lacks the library.
  bool IsLate;
  /// The control page of the last process, the only shared page that a child of
  /// fork inherits. A child checks there whether a greeting can succeed.
  wire::Control *Control;
  /// The number of scopes started by the program and its parents; also the last
  /// scope's number.
  std::atomic<uint64_t> Scopes;

  const char *socketPath() const { return Socket + sizeof("MEMREC_SOCKET"); }
  const char *preloadPath() const { return Preload + sizeof("MEMREC_PRELOAD"); }
  const char *injectionPath(unsigned I) const {
    return Injections[I] + sizeof("NVTX_INJECTION64_PATH");
  }
};

extern ThisProcess Proc;
extern Inherited Kept;

/// Is \p Path memrec's value of the variable number \p I?
bool isOurInjection(unsigned I, const char *Path);

/// Reads the recorder's variables; false: too early.
bool readEnvironment();

/// Connects to the recorder, or turns recording off. Signals are blocked.
void connect();

/// The time limit of each step of the greeting.
inline constexpr long GreetMs = 5000;

/// Asks the recorder for the shared memory; returns a descriptor, or -1.
int greet(wire::Welcome &W);

/// Stops recording for good.
void turnOff();

/// Gives the memory of the last recording back, so that connect() may begin
/// another one. After turnOff(), when no other thread is inside of a hook that
/// had begun before.
void forgetRecording();

/// Has \p C lost its recorder?
bool recorderGone(const wire::Control &C);

/// Has a whole wait for the recorder failed, without a heartbeat since?
bool recorderStands(const wire::Control &C);
void noteRecorderStands(wire::Control &C);

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_PROCESS_H
