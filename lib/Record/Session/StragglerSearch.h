// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that may still connect.

#ifndef MEMKIT_LIB_RECORD_SESSION_STRAGGLERSEARCH_H
#define MEMKIT_LIB_RECORD_SESSION_STRAGGLERSEARCH_H

#include "Output/Recording.h"
#include "Session/Greeter.h"

namespace memkit {

/// Searches for stragglers: descendants of the program that were forked and
/// have not allocated yet, or execute a program just now.
class StragglerSearch {
public:
  /// Tag: part of the names of the recorder's memfds.
  StragglerSearch(Recording &R, const Greeter &Listener, std::string Tag)
      : R(R), Listener(Listener), Tag(std::move(Tag)) {}

  /// Whether a process may still connect; of those that execute a program,
  /// false after a second of searches. Called only when no process is left.
  bool find();

private:
  bool mayConnect(pid_t Pid) const;

  Recording &R;
  const Greeter &Listener;
  std::string Tag;
  uint64_t UntilNs = 0, NextNs = 0;
  unsigned NumEmpty = 0;  ///< consecutive searches that found no straggler
  bool HasWaited = false; ///< for a forked child, in the last search
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_STRAGGLERSEARCH_H
