// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Brings the capture library into a program that runs, and out of its way.

#ifndef MEMKIT_LIB_RECORD_ATTACH_ATTACHER_H
#define MEMKIT_LIB_RECORD_ATTACH_ATTACHER_H

#include "Wire/Attach.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <sys/types.h>

namespace memkit {

/// The name of the process that attaches, as ps and top show it.
inline constexpr char TracerName[] = "memrec-attach";

class TargetMemory;
class SafeMoment;
class TargetThread;

/// How the program was changed.
struct AttachResult {
  uint64_t PauseNs = 0;  ///< how long the thread was away that was used
  uint64_t SearchNs = 0; ///< until a thread was found
  unsigned Words = 0, Binaries = 0; ///< changed; of how many binaries
  unsigned Functions = 0;  ///< of private allocators, led to the library
  uint64_t AllStoodNs = 0; ///< how long all threads stood for these
  bool HasFailedFunctions = false;
  /// The library's rows of CodePatches.
  uint64_t PatchesAt = 0;
  uint32_t NumPatches = 0;
  /// Of how many processes; with several, times are the longest of one.
  unsigned Processes = 1;
};

/// Loads the library into a process and calls it there, in a thread that may be
/// interrupted; all other threads run meanwhile. Each step either happens or
/// leaves the process as it was. Uses ptrace: belongs to one thread of memrec.
///
/// Errors are the end of a sentence that begins with the process: `has no
/// thread that ...`.
class Attacher {
public:
  /// Library: the absolute path of the capture library for the process.
  Attacher(pid_t Pid, std::string Library)
      : Pid(Pid), Library(std::move(Library)) {}

  /// Leads the process's calls to the library, which connects to the recorder
  /// at Socket; the recorder must answer meanwhile.
  llvm::Expected<AttachResult> attach(llvm::StringRef Socket);
  /// Leads the calls past the library, and gives its memory back when no thread
  /// is in it any more. The library stays loaded.
  llvm::Expected<AttachResult> detach();

  /// Whether the last attach() found the process recorded already.
  bool wasRecorded() const { return Recorded; }
  /// Whether a thread of the process was ever used: hooks may be there.
  bool hasEntered() const { return Entered; }

private:
  using ThreadUse =
      std::function<llvm::Error(const TargetMemory &, const SafeMoment &,
                                TargetThread &, AttachResult &)>;
  llvm::Error inSafeThread(const ThreadUse &Do, AttachResult &R);
  llvm::Expected<wire::AttachAnswer>
  ask(wire::AttachTask Task, llvm::StringRef Socket, AttachResult &R);
  llvm::Error leaveLibrary();
  llvm::Error clean(AttachResult &R);
  void leadPrivate(AttachResult &R);

  pid_t Pid;
  std::string Library;
  bool Entered = false, Recorded = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_ATTACHER_H
