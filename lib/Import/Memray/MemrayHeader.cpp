// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header of memray's recordings, of versions 7 to 13.

#include "MemrayHeader.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace memkit;

static constexpr size_t MaxPath = 1 << 16;

std::vector<std::string> memkit::memrayCommand(StringRef Command) {
  SmallVector<StringRef, 16> All;
  Command.split(All, ' ', -1, false);
  ArrayRef<StringRef> Words = All;
  auto Run = llvm::find(Words, "run");
  bool IsMemray =
      Run != Words.end() && Run != Words.begin() &&
      (Run[-1].ends_with("memray") || Run[-1].ends_with("memray/__main__.py"));
  std::vector<std::string> Own;
  if (IsMemray) {
    Words = Words.drop_front(size_t(Run - Words.begin()) + 1);
    while (!Words.empty() && Words[0].starts_with("-")) {
      StringRef Option = Words[0];
      // What follows -m and -c is the program.
      if (Option == "-m" || Option == "-c")
        break;
      // Of memray's own options.
      StringRef Name = Option.ltrim('-');
      bool HasValue =
          Name == "o" || Name == "output" || Name == "p" || Name == "live-port";
      Words =
          Words.drop_front(std::min<size_t>(HasValue ? 2 : 1, Words.size()));
    }
    Own.push_back("python");
  }
  for (StringRef Word : Words)
    Own.push_back(Word.str());
  return Own;
}

/// The module search paths, which the import does not need.
static void skipPaths(ByteReader &In) {
  In.zeroTerminated(MaxPath);
  for (int List = 0; List != 2; ++List)
    while (!In.failed() && !In.zeroTerminated(MaxPath).empty())
      ;
}

Expected<MemrayHeader> memkit::readMemrayHeader(ByteReader &In) {
  MemrayHeader H;
  if (In.take(MemrayMagic.size()) != MemrayMagic)
    return In.takeErrorOr("not a recording of memray");
  uint64_t VersionAt = In.offset();
  H.Version = In.u32();
  if (!In.failed() && (H.Version < MemrayHeader::LowestVersion ||
                       H.Version > MemrayHeader::HighestVersion))
    return In.fail(
        "a recording of memray with version " + Twine(H.Version) +
            "; memimport reads versions " + Twine(MemrayHeader::LowestVersion) +
            " to " + Twine(MemrayHeader::HighestVersion) +
            (H.Version > MemrayHeader::HighestVersion ? ": upgrade memkit"
                                                      : ""),
        VersionAt);
  if (H.Version >= 12)
    H.PythonVersion = In.u32();
  H.HasNative = In.u8() != 0;
  if (H.Version >= 10)
    H.IsAggregated = In.u8() != 0;
  H.Allocations = In.u64();
  In.u64(); // frames
  H.StartMs = In.u64();
  H.EndMs = In.u64();
  H.Command = In.zeroTerminated(1 << 20).str();
  H.Pid = In.u32();
  if (H.Version >= 9) {
    H.MainThread = In.u64();
    H.SkippedFrames = In.u64();
  }
  // Python's allocator
  if (H.Version >= 8)
    In.u8();
  else
    In.u32();
  if (H.Version >= 11)
    H.HasPythonAllocators = In.u8() != 0;
  if (H.Version >= 12)
    H.HasObjects = In.u8() != 0;
  if (H.Version >= 13)
    skipPaths(In);
  if (Error E = In.takeError())
    return std::move(E);
  return H;
}
