// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where recordings listen.
//
// Each memrec listens on a socket NUMBER.sock, NUMBER being its process id, in
// a folder of its user: $XDG_RUNTIME_DIR/memkit, else /tmp/memkit-UID. A folder
// is used only if it is a real folder of the user that nobody else can enter;
// where /tmp has something else of this name, memrec makes
// /tmp/memkit-UID-XXXXXX.

#ifndef MEMKIT_LIB_LIVE_PLACES_H
#define MEMKIT_LIB_LIVE_PLACES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// Whether Path is a folder, no link, of the user Uid and of nobody else.
bool isPrivateFolder(const std::string &Path, uid_t Uid);

/// The folder for the sockets of this user; made if missing.
llvm::Expected<std::string> makeLiveFolder();

/// The folders of a user's sockets that exist and are private to one of Owners:
/// anybody may make a folder of such a name in /tmp. Root: the root folder as a
/// process has it (`/proc/123/root`), or empty. Runtime: the user's
/// $XDG_RUNTIME_DIR, or empty.
std::vector<std::string> liveFolders(llvm::StringRef Root,
                                     llvm::StringRef Runtime, uid_t Uid,
                                     llvm::ArrayRef<uid_t> Owners);

/// The sockets in a folder, by name.
std::vector<std::string> socketsIn(const std::string &Folder);

/// The sockets where a process may be asked for: its own, if the process is a
/// memrec, and that of the memrec that records the process. Also of a process
/// in other namespaces.
std::vector<std::string> socketsFor(pid_t Pid);

/// The name of the shared memory of the processes that memrec number Recorder
/// records: `memkit.123`.
std::string sharedName(pid_t Recorder);

} // namespace memkit

#endif // MEMKIT_LIB_LIVE_PLACES_H
