// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread may call a function for memrec, and when.

#ifndef MEMKIT_LIB_RECORD_ATTACH_SAFEMOMENT_H
#define MEMKIT_LIB_RECORD_ATTACH_SAFEMOMENT_H

#include "Attach/TargetBinary.h"
#include "Attach/TargetStack.h"
#include "Attach/TargetThread.h"
#include <optional>

namespace memkit {

/// Why a thread may not call a function now.
enum class NotSafe {
  Safe,
  InAllocator,   ///< or in a function that holds its locks, as fork
  InLoader,      ///< the dynamic loader
  InLibc,        ///< at a place of libc that is not known to be safe
  InSignal,      ///< a signal handler
  InKernel,      ///< a system call that may not be interrupted
  InSequence,    ///< a restartable sequence
  InLibrary,     ///< the capture library
  NoStack,       ///< the stack is not readable
  NotNative,     ///< runs 32-bit code
  MayAllocate,   ///< in an executable that has a malloc of its own
  OtherInLoader, ///< another thread, which loads a library, may wait for it
};
llvm::StringRef textOf(NotSafe Why);

/// The code of a program, as far as a thread's place in it matters. A copy:
/// made anew when the program has loaded other binaries.
///
/// A thread is judged by the frames of its stack. Where the unwind tables do
/// not lead through, as in code that was made while the program runs, all
/// further words of the stack that are addresses behind a call count as frames:
/// those are more, so an unsafe frame is never missed.
///
/// An allocator that is a part of the executable has functions without a name:
/// a thread is safe only where it waits, and not for a lock.
class SafeMoment {
public:
  /// Errors: why nothing can be called in this program, as a whole sentence's
  /// end (`has no ...`).
  static llvm::Expected<SafeMoment> create(const TargetMemory &Memory);
  SafeMoment(SafeMoment &&) = default;

  /// Whether the stopped thread may call a function of libc or the loader.
  NotSafe judge(const TargetMemory &Memory, const TargetThread &T);
  /// Whether the stopped thread waits while it loads or drops a library, as a
  /// constructor does for another thread: it holds the loader's lock.
  bool waitsInLoader(const TargetMemory &Memory, const TargetThread &T);
  /// Whether waitsInLoader() may say so of a thread, which runs on: false for
  /// nearly all threads, at little cost.
  bool mayWaitInLoader(const TargetMemory &Memory, pid_t Tid) const;
  /// Whether a frame of the stopped thread is in the capture library.
  bool isInLibrary(const TargetMemory &Memory, const TargetThread &T);

  const TargetBinary &libc() const { return Libc; }
  /// The capture library; null: it is not loaded.
  const TargetBinary *library() const { return Library ? &*Library : nullptr; }
  /// The function of libc or the loader; 0: none.
  uint64_t find(llvm::StringRef Name) const;
  /// `syscall` of a function that then returns.
  uint64_t callInstruction() const { return CallAt; }
  /// Where the kernel returns to from signal handlers.
  uint64_t signalReturn() const { return SignalReturn; }

  /// Whether the executable, not libc or another library, defines malloc for
  /// the program.
  bool hasOwnMalloc() const { return OwnMalloc.has_value(); }

  /// The sanitizer that the program runs with; empty: none.
  const std::string &sanitizer() const { return Sanitizer; }

private:
  SafeMoment(TargetStack Stacks, TargetBinary Libc, TargetBinary Loader)
      : Stacks(std::move(Stacks)), Libc(std::move(Libc)),
        Loader(std::move(Loader)) {}
  std::vector<uint64_t> wordsOf(const TargetMemory &Memory,
                                uint64_t From) const;
  std::vector<uint64_t> callsOn(llvm::ArrayRef<uint64_t> Words) const;
  std::optional<std::vector<uint64_t>>
  codeOf(const TargetMemory &Memory, const TargetRegisters &R, bool &HasSignal);
  NotSafe judgeCode(llvm::ArrayRef<uint64_t> Code) const;
  bool isUnsafeAt(uint64_t Address) const;
  bool isDangerousWait(uint64_t Call, uint64_t Argument) const;
  bool mayBeInLoader(const TargetMemory &Memory, uint64_t Stack) const;
  bool isBlockedWell(llvm::ArrayRef<uint64_t> Code) const;
  const TargetBinary *allocatorAt(uint64_t Address) const;
  /// Libc, or Threads if it has the address.
  const TargetBinary &libcAt(uint64_t Address) const;
  bool isInLibc(uint64_t Address) const;

  std::vector<TargetMap> Maps;
  TargetStack Stacks;
  TargetBinary Libc, Loader;
  std::optional<TargetBinary> Threads; ///< libpthread, before glibc 2.34
  std::optional<TargetBinary> Library;
  std::vector<TargetBinary> Allocators;  ///< others than libc
  std::optional<TargetBinary> OwnMalloc; ///< the executable, if it is one
  std::string Sanitizer;
  uint64_t KernelStart = 0, KernelEnd = 0; ///< the vDSO
  uint64_t CallAt = 0, SignalReturn = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_SAFEMOMENT_H
