// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last events of a trace, kept aside.

#include "EventTail.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static Error fail(const char *What) {
  return failErrno(Twine(What) + " the last events");
}

/// Opens a file without a name in Folder; -1 with errno on failure.
static int openUnnamed(StringRef Folder) {
  std::string Path = Folder.empty() ? "." : Folder.str();
  int Fd = ::open(Path.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (Fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return Fd;
  Path += "/.memrec-XXXXXX";
  Fd = mkostemp(Path.data(), O_CLOEXEC);
  if (Fd >= 0)
    unlink(Path.c_str());
  return Fd;
}

Expected<std::unique_ptr<EventTail>> EventTail::create(StringRef Folder,
                                                       uint64_t Bytes) {
  std::unique_ptr<EventTail> Out(new EventTail);
  Out->HalfBytes = Bytes / 2;
  for (Half &H : Out->Halves)
    if ((H.Fd = openUnnamed(Folder)) < 0)
      return fail("a file for");
  return std::move(Out);
}

EventTail::~EventTail() {
  for (Half &H : Halves)
    if (H.Fd >= 0)
      ::close(H.Fd);
}

Error EventTail::take(const SectionInfo &B, StringRef Frame) {
  Half &H = Halves[Current];
  SectionInfo At = B;
  At.Offset = H.Bytes;
  while (!Frame.empty()) {
    ssize_t N = pwrite(H.Fd, Frame.data(), Frame.size(), off_t(H.Bytes));
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return fail("writing");
    H.Bytes += size_t(N);
    Frame = Frame.drop_front(size_t(N));
  }
  if (B.Kind == SectionKind::Events)
    H.EventBytes += B.Compressed;
  H.Sections.push_back(At);
  return Error::success();
}

Expected<std::map<uint32_t, uint64_t>> EventTail::turn() {
  Current ^= 1;
  ++Turns;
  Half &H = Halves[Current];
  std::map<uint32_t, uint64_t> Gone;
  for (const SectionInfo &B : H.Sections)
    if (B.Kind == SectionKind::Events)
      Gone[B.Process] += B.Events;
  H.Sections.clear();
  H.Bytes = H.EventBytes = 0;
  if (ftruncate(H.Fd, 0) != 0)
    return fail("forgetting");
  return Gone;
}

Error EventTail::give(Half &H, bool Begins,
                      function_ref<Error(const SectionInfo &, StringRef)> Do) {
  // The parts of the first snapshot of a process share its time.
  std::map<uint32_t, uint64_t> First;
  std::vector<SectionInfo> Ordered, Rest;
  for (const SectionInfo &B : H.Sections) {
    bool IsFirst =
        Begins && B.Kind == SectionKind::Snapshot &&
        First.try_emplace(B.Process, B.BeginNs).first->second == B.BeginNs;
    (IsFirst ? Ordered : Rest).push_back(B);
  }
  append_range(Ordered, Rest);
  SmallVector<char, 0> Frame;
  for (const SectionInfo &B : Ordered) {
    Frame.resize_for_overwrite(B.Compressed);
    for (size_t Have = 0; Have != Frame.size();) {
      ssize_t N = pread(H.Fd, Frame.data() + Have, Frame.size() - Have,
                        off_t(B.Offset + Have));
      if (N < 0 && errno == EINTR)
        continue;
      if (N <= 0)
        return fail("reading");
      Have += size_t(N);
    }
    if (Error E = Do(B, StringRef(Frame.data(), Frame.size())))
      return E;
  }
  H.Sections.clear();
  H.Bytes = H.EventBytes = 0;
  // Gives the disk space back for the trace.
  if (ftruncate(H.Fd, 0) != 0)
    return fail("forgetting");
  return Error::success();
}

Error EventTail::forEach(
    function_ref<Error(const SectionInfo &, StringRef)> Do) {
  // The very first half begins with the start of the recording, without
  // snapshots.
  if (Error E = give(Halves[Current ^ 1], Turns > 1, Do))
    return E;
  return give(Halves[Current], Turns > 0, Do);
}
