// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads what glibc's malloc_info writes.
//
// The text is XML with a line for each element. The text grows with the number
// of arenas and of sizes, so each line is summed up when glibc writes the line:
//
//   <heap nr="0">
//   <sizes> ... </sizes>
//   <total type="fast" count="0" size="0"/>
//   <total type="rest" count="2" size="135888"/>
//   <system type="current" size="135168"/>
//   </heap>
//   ... the other arenas, then the same lines of all arenas, and
//   <total type="mmap" count="1" size="1003520"/>

#include "MallocInfo.h"

#include <cstdlib>
#include <cstring>
#include <sys/types.h>

using namespace memkit;
using namespace memkit::capture;
using wire::AllocatorFigures;
using wire::AllocatorReport;

namespace {
class InfoLines {
public:
  explicit InfoLines(AllocatorReport &To) : To(To) {}

  void add(const char *Text, size_t Bytes) {
    for (size_t I = 0; I != Bytes; ++I) {
      if (Text[I] != '\n') {
        // A longer line is none of those above.
        if (Length < sizeof(Line) - 1)
          Line[Length++] = Text[I];
        continue;
      }
      Line[Length] = 0;
      Length = 0;
      take();
    }
  }

  /// Whether the totals of all arenas have come.
  bool finish() {
    if (IsInArena || !HasSystem)
      return false;
    To.All.Free = Free;
    To.All.Reserved = System;
    To.All.InUse = inUse();
    return true;
  }

private:
  bool begins(const char *Text) const {
    return !strncmp(Line, Text, strlen(Text));
  }
  uint64_t size() const {
    const char *At = strstr(Line, "size=\"");
    return At ? strtoull(At + strlen("size=\""), nullptr, 10) : 0;
  }
  uint64_t inUse() const { return System > Free ? System - Free : 0; }

  void clear() {
    Free = System = 0;
    HasSystem = false;
  }

  void take() {
    if (begins("<heap ")) {
      clear();
      IsInArena = true;
    } else if (begins("</heap>")) {
      if (To.NumArenas < wire::MaxArenaFigures)
        To.Arenas[To.NumArenas] = {inUse(), Free};
      ++To.NumArenas;
      clear();
      IsInArena = false;
    } else if (begins("<total type=\"fast\"") ||
               begins("<total type=\"rest\"")) {
      Free += size();
    } else if (begins("<total type=\"mmap\"")) {
      To.All.Apart = size();
    } else if (begins("<system type=\"current\"")) {
      System = size();
      HasSystem = true;
    }
  }

  AllocatorReport &To;
  char Line[256];
  size_t Length = 0;
  bool IsInArena = false, HasSystem = false;
  uint64_t Free = 0, System = 0;
};
} // namespace

bool capture::readMallocInfo(int (*Info)(int, FILE *), AllocatorReport &To) {
  InfoLines Lines(To);
  cookie_io_functions_t Io = {};
  Io.write = [](void *To, const char *Text, size_t Bytes) {
    static_cast<InfoLines *>(To)->add(Text, Bytes);
    return ssize_t(Bytes);
  };
  FILE *File = fopencookie(&Lines, "w", Io);
  if (!File)
    return false;
  int Failed = Info(0, File);
  Failed |= fclose(File);
  return !Failed && Lines.finish();
}
