// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The socket where new processes ask for their shared memory.

#ifndef MEMKIT_LIB_RECORD_GREETER_H
#define MEMKIT_LIB_RECORD_GREETER_H

#include "Session/MeetingFolder.h"
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
  /// ForOther, Root: as for MeetingFolder::make().
  static llvm::Expected<std::unique_ptr<Greeter>>
  create(bool ForOther = false, const std::string &Root = "");
  /// Gives folder and socket to another user, whose processes are welcome, too.
  /// Needs the rights of root.
  llvm::Error giveTo(uid_t User, gid_t Group);
  /// Removes the socket, and the folder with what is in it.
  ~Greeter();

  /// A path of \p Library for LD_PRELOAD. The loader ends a path at a blank or
  /// a colon and expands `$`, so a folder with such a character gets a link
  /// beside the socket. The greeter makes only one link: all libraries must lie
  /// in one folder. Programs with other files get a copy of the library.
  llvm::Expected<std::string> preloadable(llvm::StringRef Library);
  /// Keeps link and copies at destruction: programs that still run start others
  /// with them.
  void keepLibraries();

  /// Closes the socket and every waiting connection, and refuses new processes.
  void shut();

  /// As the programs see it.
  const std::string &path() const { return Path; }
  int fd() const { return Fd; }

  /// A process that waits for its shared memory.
  struct Client {
    int Connection;
    pid_t Pid; ///< from the socket's credentials, not from the process
    wire::Hello Hello;
  };
  /// The processes that said hello since the last call; answer() each. accept()
  /// drops connections of other users and of other versions.
  std::vector<Client> accept();
  /// Whether a process has connected but not said hello yet.
  bool hasPending() const { return !Pending.empty(); }
  /// Sends process G the descriptor of its shared memory, and closes the
  /// connection. Memfd -1: the process is not recorded.
  void answer(const Client &G, uint32_t Process, int Memfd, uint64_t Size);

private:
  explicit Greeter(MeetingFolder Folder);
  struct Caller {
    int Connection;
    pid_t Pid;
  };
  bool hear(const Caller &C, std::vector<Client> &Out);

  int Fd = -1;
  uid_t Welcome; ///< the user whose processes are welcome
  MeetingFolder Folder;
  std::string Path;
  std::vector<std::string> Libraries; ///< entries of Folder
  std::vector<Caller> Pending;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_GREETER_H
