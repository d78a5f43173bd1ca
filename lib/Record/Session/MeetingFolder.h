// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder where the recorded programs find memrec's socket.

#ifndef MEMKIT_LIB_RECORD_SESSION_MEETINGFOLDER_H
#define MEMKIT_LIB_RECORD_SESSION_MEETINGFOLDER_H

#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// Whether LD_PRELOAD can hold \p Path unchanged.
bool isPreloadable(llvm::StringRef Path);

/// A folder that only its user can enter, in memrec's files or in those of a
/// container. Used by its descriptor: a name in a container could lead
/// elsewhere.
class MeetingFolder {
public:
  /// Makes the folder. Its name is short enough for a socket's path in
  /// sockaddr_un, and plain enough for LD_PRELOAD.
  /// ForOther: giveTo() follows, so other users must reach the folder.
  /// Root: `/proc/PID/root` of programs with other files than memrec; empty:
  /// they have the same.
  static llvm::Expected<MeetingFolder> make(bool ForOther,
                                            const std::string &Root);
  MeetingFolder(MeetingFolder &&O);
  MeetingFolder &operator=(MeetingFolder &&) = delete;
  /// Removes what was made in it but for kept(), and the folder if it is empty.
  ~MeetingFolder();

  /// The path of an entry as the programs see it.
  std::string path(llvm::StringRef Entry) const {
    return Path + "/" + Entry.str();
  }
  bool isElsewhere() const { return IsElsewhere; }

  // Each makes an entry.
  /// Binds the socket.
  llvm::Error bind(int Socket, const char *Entry);
  llvm::Error link(const std::string &To, const char *Entry);
  /// Copies a file, readable and executable for all.
  llvm::Error copy(const std::string &From, const char *Entry);

  /// Needs the rights of root.
  llvm::Error giveTo(uid_t User, gid_t Group);
  /// The entry stays.
  void keep(llvm::StringRef Entry);

private:
  MeetingFolder() = default;
  llvm::Error failed(llvm::StringRef Entry) const;

  int Parent = -1, Fd = -1; ///< of the folder around it, its own
  std::string Path, Name;
  bool IsElsewhere = false;
  std::vector<std::string> Entries; ///< to be removed
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_MEETINGFOLDER_H
