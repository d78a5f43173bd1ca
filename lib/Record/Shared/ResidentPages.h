// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resident pages of another process.

#ifndef MEMKIT_LIB_RECORD_SHARED_RESIDENTPAGES_H
#define MEMKIT_LIB_RECORD_SHARED_RESIDENTPAGES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memkit {

/// One mapping of a process, as /proc/PID/maps lists it: [Begin, End).
struct ResidentRange {
  enum RangeKind : uint8_t {
    Anonymous,
    Break,     ///< [heap]
    MainStack, ///< [stack]
    Module,    ///< code and data of a binary, with the zeroed data behind it
    File,
    SharedMemory, ///< /dev/shm, memfd, System V, shared /dev/zero
    Driver,       ///< other devices
    Recorder,     ///< of memrec's library
  };
  uint64_t Begin = 0, End = 0;
  RangeKind Kind = Anonymous;
  bool IsReserved = false; ///< no page can be resident: PROT_NONE
  size_t FirstPage = 0;    ///< in ResidentPages::Pages
  uint32_t OfFile = 0;     ///< in ResidentPages::Files; 0: none
  bool isOfBinary() const { return Kind == Module || Kind == Recorder; }
};

/// A piece of one of glibc's arenas besides the main one, up to 64 MiB from
/// Begin on, a multiple of 64 MiB: heap_info and malloc_state in glibc's
/// malloc/arena.c.
struct ArenaPiece {
  uint64_t Begin = 0;
  uint64_t Arena = 0;  ///< Begin of the arena's first piece
  uint64_t Before = 0; ///< Begin of the piece that is older by one; 0: none
  static constexpr uint64_t MaxBytes = 64 << 20;
  static uint64_t beginOf(uint64_t Address) {
    return Address & ~(MaxBytes - 1);
  }
};

/// Bits of a page.
enum PageBits : uint8_t {
  PB_Resident = 1,
  PB_Shared = 2,    ///< anonymous, and other processes may map it, too
  PB_Block = 4,     ///< for callers
  PB_Object = 8,    ///< for callers
  PB_Swapped = 16,  ///< not resident
  PB_Pinned = 32,   ///< for callers
  PB_Reported = 64, ///< for callers
  PB_OfFile = 128   ///< of a file or shared memory, as it is there
};

/// The pages of a process at one time, as /proc/PID/maps and
/// /proc/PID/pagemap tell them. The process runs meanwhile, so the sum may
/// differ a little from its RSS. Takes a byte for each page of address space,
/// without PROT_NONE.
struct ResidentPages {
  std::vector<ResidentRange> Ranges; ///< by rising address
  std::vector<uint8_t> Pages;        ///< PageBits
  std::vector<std::string> Files;    ///< paths; [0] is empty
  /// By rising address; empty if the process's memory may not be read.
  std::vector<ArenaPiece> Arenas;
  uint64_t PageBytes = 4096;
  /// Bytes of ranges that are left out, because they are too large: more than
  /// MaxPages pages in all.
  uint64_t SkippedBytes = 0;
  static constexpr uint64_t MaxPages = uint64_t(1) << 26;

  /// RecorderTag: name of memrec's memfds. MayShare: whether the process has
  /// been forked, or has forked; else an anonymous page that is not the
  /// process's alone is the kernel's page of zeros, which takes no memory.
  /// None: the process is gone, or may not be read.
  static std::optional<ResidentPages>
  read(pid_t Pid, llvm::StringRef RecorderTag, bool MayShare);

  /// The range of an address, or null.
  const ResidentRange *find(uint64_t Address) const;
  size_t pageOf(const ResidentRange &R, uint64_t Address) const {
    return R.FirstPage + size_t((Address - R.Begin) / PageBytes);
  }
};

/// Text: of /proc/PID/maps. The ranges without pages; FirstPage is 0. Files:
/// gets the paths, each once, behind an empty one.
std::vector<ResidentRange> readMaps(llvm::StringRef Text,
                                    llvm::StringRef RecorderTag,
                                    std::vector<std::string> &Files);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_RESIDENTPAGES_H
