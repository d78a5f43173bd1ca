// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts the program.

#ifndef MEMKIT_LIB_RECORD_LAUNCH_H
#define MEMKIT_LIB_RECORD_LAUNCH_H

#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace memkit {

/// A child that waits to become the program.
class Launch {
public:
  struct Plan {
    std::string Path; ///< of the executable
    std::vector<std::string> Command;
    /// Environment variables to set.
    std::vector<std::pair<std::string, std::string>> Variables;
    bool StdoutToStderr = false;
    /// Called before the program runs in memrec's place, because no process may
    /// start.
    std::function<void()> BeforeAlone = [] {};
  };
  /// Forks. The caller has one thread only.
  static llvm::Expected<Launch> create(const Plan &P);
  Launch(Launch &&Other)
      : Pid(Other.Pid), Go(std::exchange(Other.Go, -1)),
        Result(std::exchange(Other.Result, -1)) {}
  /// A child that has not run go() ends by itself.
  ~Launch();

  pid_t pid() const { return Pid; }
  /// Lets the child run the program; returns 0, or the errno of exec.
  int go();

private:
  Launch(pid_t Pid, int Go, int Result) : Pid(Pid), Go(Go), Result(Result) {}
  pid_t Pid;
  int Go, Result;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_LAUNCH_H
