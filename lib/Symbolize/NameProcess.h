// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols from a process of its own.

#ifndef MEMKIT_LIB_SYMBOLIZE_NAMEPROCESS_H
#define MEMKIT_LIB_SYMBOLIZE_NAMEPROCESS_H

#include "AnswerPipe.h"
#include "NameWorker.h"
#include "SymbolFiles.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>
#include <sys/types.h>

namespace memkit {

/// Finds symbols in a process of its own. LLVM's readers of ELF and DWARF
/// expect the output of compilers: the readers report most damage, and crash on
/// some damaged files. The readers also take much memory, and the memory ends
/// with the process.
///
/// A file that crashes the reader several times is not read again. One thread
/// at a time.
class NameProcess {
public:
  explicit NameProcess(NameLimits Limits = {}) : Limits(Limits) {}
  NameProcess(const NameProcess &) = delete;
  ~NameProcess();

  /// Starts the process with fork, once; else the first question starts it. The
  /// process shares the caller's memory until one of them writes to it: a
  /// caller that grows starts it while small.
  void start();

  /// The locations of an address; none if the symbols do not cover it.
  using AnswerCallback =
      llvm::function_ref<void(size_t I, std::vector<SourceLocation> Locations)>;
  using CutCallback = llvm::function_ref<bool()>;

  /// From now on the files of a question have FileMs of processor time, and
  /// some more for each answer; the question at work, too. After start(), from
  /// any thread.
  void setPatience(uint32_t FileMs);

  /// Resolves Addresses (as in the binary's headers) with the symbols of Files.
  /// Sorted addresses are faster. Calls OnAnswer, in order, once for each
  /// address with an answer; an address that crashes the reader has none. Ends
  /// early when IsCut. Returns the first problem, without a full stop; empty:
  /// none.
  std::string resolve(const SymbolFiles &Files,
                      llvm::ArrayRef<uint64_t> Addresses,
                      AnswerCallback OnAnswer, CutCallback IsCut = {});
  /// As resolve(), and where damaged debug information leaves an address
  /// without an answer, the symbol table answers.
  std::string resolveOrTable(const SymbolFiles &Files,
                             llvm::ArrayRef<uint64_t> Addresses,
                             AnswerCallback OnAnswer, CutCallback IsCut = {});

  /// Plans the detours of the allocators that are built into File, whose heaps
  /// are called after Name. Errors: as resolve(), or the file's.
  llvm::Expected<wire::DetourReply> plan(const std::string &File,
                                         llvm::StringRef Name);

private:
  class Exchange;
  std::string run(Exchange &E, CutCallback IsCut);
  bool wait(bool WantsToSend);
  bool read(Exchange &E);
  bool send(Exchange &E);
  void fork(int Questions, int Answers);
  void fail(const std::string &Why);
  void end();

  const NameLimits Limits;
  NamePatience *Patience = nullptr; ///< shared with the process
  bool IsStarted = false;
  pid_t Pid = -1;
  int Socket = -1, Pipe = -1;
  uint32_t Next = 1; ///< number of the next address
  uint64_t SilentMs = 0;
  PipeReader Reader;
  std::string Failure; ///< why there is no process any more; empty: it runs
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_NAMEPROCESS_H
