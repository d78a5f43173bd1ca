// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes that the recorder follows.

#ifndef MEMKIT_LIB_RECORD_SESSION_CHILDLIST_H
#define MEMKIT_LIB_RECORD_SESSION_CHILDLIST_H

#include "Output/Recording.h"
#include "Session/ChildProcess.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

namespace memkit {

/// The processes that the recorder follows, in the order in which the trace
/// numbers them, until their last events are written. add() keeps references to
/// processes valid, but no iterators.
class ChildList {
public:
  ChildProcess &add(std::unique_ptr<ChildProcess> P) {
    List.push_back(std::move(P));
    return *List.back();
  }
  /// Removes processes whose last events are written.
  void removeWritten(Recording &R) {
    llvm::erase_if(List, [&R](const std::unique_ptr<ChildProcess> &P) {
      if (!P->EndNs || (P->State && P->State->log().hasUnwritten()))
        return false;
      if (P->State)
        R.removeProcess(P->State->log());
      return true;
    });
  }

  bool empty() const { return List.empty(); }
  size_t size() const { return List.size(); }
  ChildProcess &operator[](size_t I) { return *List[I]; }
  auto begin() { return llvm::make_pointee_range(List).begin(); }
  auto end() { return llvm::make_pointee_range(List).end(); }
  auto begin() const { return llvm::make_pointee_range(List).begin(); }
  auto end() const { return llvm::make_pointee_range(List).end(); }
  /// The processes whose records the recorder takes.
  auto recorded() {
    return llvm::make_filter_range(
        *this, [](const ChildProcess &P) { return P.isRecorded(); });
  }
  bool anyRecorded() const {
    return llvm::any_of(*this,
                        [](const ChildProcess &P) { return P.isRecorded(); });
  }

  /// The running process Pid, or null.
  ChildProcess *findPid(pid_t Pid) {
    for (ChildProcess &P : *this)
      if (P.Pid == Pid && !P.EndNs && !P.Exit.IsEnding)
        return &P;
    return nullptr;
  }
  /// The process of the trace's number Process, or null.
  ChildProcess *find(uint32_t Process) {
    for (ChildProcess &P : *this)
      if (P.Process == Process)
        return &P;
    return nullptr;
  }

private:
  std::vector<std::unique_ptr<ChildProcess>> List;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_CHILDLIST_H
