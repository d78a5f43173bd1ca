// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where new processes ask for their shared memory.

#ifndef MEMKIT_LIB_RECORD_GREETER_H
#define MEMKIT_LIB_RECORD_GREETER_H

#include "Wire/Layout.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// The recorder's socket, in a folder that only its user can enter.
class Greeter {
public:
  static llvm::Expected<std::unique_ptr<Greeter>> create();
  /// Removes the socket, the link and the folder.
  ~Greeter();

  /// A path of \p Library for LD_PRELOAD. The loader ends a path at a blank or
  /// a colon and expands `$`: a folder with one of these gets a link beside
  /// the socket. There is one link: all libraries must be of one folder.
  llvm::Expected<std::string> preloadable(llvm::StringRef Library);
  /// Leaves the link: programs that run on start others with it.
  void keepLink() { KeepsLink = true; }

  /// Turns away everyone from now on, at once.
  void shut();

  const std::string &path() const { return Path; }
  int fd() const { return Fd; }

  /// A process that waits for its answer.
  struct Client {
    int Connection;
    pid_t Pid; ///< as the kernel says
    wire::Hello Hello;
  };
  /// Who has come since the last call. Each must be answered. Those of other
  /// users and other versions were turned away.
  std::vector<Client> accept();
  /// Whether someone is at the door but has not said hello yet.
  bool hasPending() const { return !Pending.empty(); }
  /// Gives a guest its memory, or none (Memfd -1: it is not recorded).
  void answer(const Client &G, uint32_t Process, int Memfd, uint64_t Size);

private:
  Greeter() = default;
  struct Caller {
    int Connection;
    pid_t Pid;
  };
  bool hear(const Caller &C, std::vector<Client> &Out);

  int Fd = -1;
  std::string Folder, Path, Link;
  bool KeepsLink = false;
  std::vector<Caller> Pending;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_GREETER_H
