// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Planned detours of earlier runs.

#include "DetourCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstddef>
#include <cstring>
#include <unistd.h>

using namespace memkit;
using namespace llvm;
using wire::DetourReply;

namespace {
/// What a file begins with.
struct CacheHead {
  /// Changes with the layout of a reply and with the list of functions.
  static constexpr uint64_t Kind = 0x366f746544656d6dull;
  uint64_t Magic = Kind;
  uint64_t ReplyBytes = sizeof(DetourReply);
  uint64_t Hash = 0; ///< xxh3 of the bytes behind the head
};
} // namespace

/// A reply without the room for more detours.
static StringRef bytesOf(const DetourReply &R) {
  return StringRef(reinterpret_cast<const char *>(&R),
                   offsetof(DetourReply, Detours) +
                       R.NumDetours * sizeof(wire::Detour));
}

/// Whether Path, or the folder in which it would be made, is this user's own.
static bool isOwn(StringRef Path) {
  sys::fs::file_status Status;
  for (; !Path.empty(); Path = sys::path::parent_path(Path))
    if (!sys::fs::status(Path, Status))
      return Status.getUser() == geteuid();
  return false;
}

DetourCache::DetourCache() {
  SmallString<128> Path;
  if (!sys::path::cache_directory(Path))
    return;
  sys::path::append(Path, "memkit", "detours");
  // Root may record with another user's HOME.
  if (isOwn(Path))
    Folder = Path.str().str();
}

std::string DetourCache::fileOf(ArrayRef<uint8_t> BuildId,
                                StringRef Name) const {
  if (Folder.empty() || BuildId.empty())
    return "";
  return Folder + "/" + toHex(BuildId, true) + "-" +
         utohexstr(xxh3_64bits(Name), true);
}

std::optional<DetourReply> DetourCache::find(ArrayRef<uint8_t> BuildId,
                                             StringRef Name) const {
  std::string File = fileOf(BuildId, Name);
  sys::fs::file_status Status;
  if (File.empty() || sys::fs::status(File, Status) ||
      !sys::fs::is_regular_file(Status) || Status.getUser() != geteuid())
    return std::nullopt;
  auto Read = MemoryBuffer::getFile(File, false, false, true);
  if (!Read)
    return std::nullopt;
  StringRef Bytes = (*Read)->getBuffer();
  CacheHead Head;
  DetourReply R = {};
  if (Bytes.size() < sizeof(Head) + offsetof(DetourReply, Detours) ||
      Bytes.size() > sizeof(Head) + sizeof(R))
    return std::nullopt;
  memcpy(&Head, Bytes.data(), sizeof(Head));
  Bytes = Bytes.drop_front(sizeof(Head));
  memcpy(&R, Bytes.data(), Bytes.size());
  if (Head.Magic != CacheHead::Kind || Head.ReplyBytes != sizeof(R) ||
      Head.Hash != xxh3_64bits(Bytes) ||
      R.NumDetours > DetourReply::MaxDetours ||
      bytesOf(R).size() != Bytes.size() || R.BuildIdBytes != BuildId.size() ||
      BuildId.size() > sizeof(R.BuildId) ||
      memcmp(R.BuildId, BuildId.data(), BuildId.size()) != 0)
    return std::nullopt;
  return R;
}

void DetourCache::keep(const DetourReply &R, StringRef Name) const {
  std::string File = fileOf(ArrayRef(R.BuildId, R.BuildIdBytes), Name);
  if (File.empty() ||
      sys::fs::create_directories(Folder, true, sys::fs::owner_all))
    return;
  // No TempFile: its signal handlers take over the thread's signal stack.
  int Descriptor = -1;
  SmallString<128> Written;
  if (sys::fs::createUniqueFile(File + "-%%%%%%", Descriptor, Written,
                                sys::fs::OF_None,
                                sys::fs::owner_read | sys::fs::owner_write))
    return;
  CacheHead Head;
  Head.Hash = xxh3_64bits(bytesOf(R));
  raw_fd_ostream Out(Descriptor, /*shouldClose=*/true);
  Out.write(reinterpret_cast<const char *>(&Head), sizeof(Head));
  Out << bytesOf(R);
  Out.close();
  bool IsWhole = !Out.has_error();
  Out.clear_error();
  if (!IsWhole || sys::fs::rename(Written, File))
    (void)sys::fs::remove(Written);
}
