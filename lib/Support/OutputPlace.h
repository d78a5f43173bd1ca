// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an output goes.
//
// Other users may share the folder of an output, and put there a file, a link
// or a pipe of the output's name before the output is written, or while it is.
// So an output is never written into a file or a pipe of another user, root's
// output no more than any other; a file is always a new one, which replaces the
// old one.

#ifndef MEMKIT_LIB_SUPPORT_OUTPUTPLACE_H
#define MEMKIT_LIB_SUPPORT_OUTPUTPLACE_H

#include "Support/Descriptor.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <sys/stat.h>

namespace memkit {

/// A name in a folder that is open: whatever becomes of the folder's path, the
/// output goes there. Errors contain the path as it was given.
class OutputPlace {
public:
  /// Follows links of the user and of root. Another user's link is followed
  /// only to a folder, and only from a folder where nobody else can put links.
  static llvm::Expected<OutputPlace> find(llvm::StringRef Path);

  /// Whether the output is a file, a new one or in place of one: not a device,
  /// a pipe or a descriptor of this process (`/dev/stdout`, `/dev/fd/3`).
  bool isFile() const { return !Own && (!Old || S_ISREG(Old->st_mode)); }
  /// What has the name; nothing: no file yet, or a descriptor of this process.
  const std::optional<struct stat> &old() const { return Old; }
  /// Whether a file of this user has the name.
  bool isOwn() const;
  /// Whether the folder lets this user replace what has the name.
  bool mayReplace() const;

  /// Opens what is no file, for writing.
  llvm::Expected<Descriptor> open() const;
  /// Makes a file that nobody had before; none: errno has the reason.
  Descriptor create(const std::string &Name, mode_t Mode) const;

  const std::string &path() const { return Path; }
  /// The last part of the path behind all links.
  const std::string &name() const { return Name; }
  int folder() const { return Folder.get(); }

  /// `PATH: belongs to another user, and ...`.
  llvm::Error refuse(const llvm::Twine &Why) const;

private:
  explicit OutputPlace(llvm::StringRef Path) : Path(Path) {}
  llvm::Expected<std::optional<std::string>> walk(llvm::StringRef Rest);
  llvm::Error enter(const std::string &Part);
  llvm::Expected<std::string> readLink(const std::string &Part,
                                       const struct stat &Link, bool IsLast);

  std::string Path, Name;
  Descriptor Folder;
  std::optional<struct stat> Old;
  std::optional<int> Own;  ///< a descriptor of this process
  bool IsOpenFile = false; ///< of another process, below /proc
};

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_OUTPUTPLACE_H
