// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers programs that ask for the detours of a binary.

#ifndef MEMKIT_LIB_RECORD_SESSION_DETOURANSWERS_H
#define MEMKIT_LIB_RECORD_SESSION_DETOURANSWERS_H

#include "Detour/DetourCache.h"
#include "Session/CaptureReports.h"
#include "Session/ChildList.h"
#include "Session/RecordOptions.h"
#include "Shared/SideThread.h"
#include "Sources/SharedSources.h"
#include "Symbolize/NameProcess.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <deque>
#include <optional>

namespace memkit {

/// Plans detours in a process of its own (NameProcess), one binary at a time;
/// the thread that asks waits meanwhile, a bounded time. A file is planned once
/// in a recording, unless it changes. Belongs to the recorder's thread.
class DetourAnswers {
public:
  /// Reports: puts what is not recorded into the trace. Asked: where the
  /// processes' questions come.
  DetourAnswers(const RecordOptions &O, ChildList &Children,
                CaptureReports &Reports, std::vector<DetourQuestion> &Asked)
      : O(O), Children(Children), Reports(Reports), Asked(Asked) {}

  /// Called before the recording grows: starts the process.
  void start() { Names.start(); }
  /// Takes new questions, and answers those whose plan is known.
  void pass();

private:
  void warn(const ChildProcess &P, const DetourQuestion &Q, bool IsLate);
  void answer(const DetourQuestion &Q);
  void plan(const DetourQuestion &Q);
  void planFile(const std::string &File, llvm::StringRef Name);
  std::optional<wire::DetourReply> planNow(const std::string &File,
                                           llvm::StringRef Name);

  const RecordOptions &O;
  ChildList &Children;
  CaptureReports &Reports;
  std::vector<DetourQuestion> &Asked;
  std::deque<DetourQuestion> Waiting; ///< the first one's job runs
  // The thread's while its job runs:
  llvm::StringMap<wire::DetourReply> Known; ///< by the file's identity
  const wire::DetourReply *Found = nullptr; ///< null: there is no plan
  llvm::StringSet<> Warned;                 ///< paths of binaries
  DetourCache Cache;
  NameProcess Names;
  SideThread Thread; ///< last: its job ends before the other members
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_DETOURANSWERS_H
