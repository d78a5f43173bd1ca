// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a program that runs.

#ifndef MEMKIT_LIB_RECORD_SHARED_TARGETMEMORY_H
#define MEMKIT_LIB_RECORD_SHARED_TARGETMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <atomic>
#include <cstdint>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace memkit {

/// A line of /proc/PID/maps.
struct TargetMap {
  uint64_t Start = 0, End = 0, Offset = 0;
  uint64_t Inode = 0; ///< of the file
  bool IsReadable = false, IsWritable = false, IsExecutable = false;
  bool IsShared = false;
  std::string Path; ///< empty: anonymous
};

/// Reads and writes the memory of another process, also what the process itself
/// may not write. Needs the rights of ptrace. Belongs to one thread.
class TargetMemory {
public:
  /// Errors: why not, as the end of a sentence that begins with the process.
  static llvm::Expected<TargetMemory> open(pid_t Pid);
  TargetMemory(TargetMemory &&Other)
      : Pid(Other.Pid), Fd(std::exchange(Other.Fd, -1)),
        MapsFd(std::exchange(Other.MapsFd, -1)),
        PagesFd(std::exchange(Other.PagesFd, -1)), Stop(Other.Stop) {}
  ~TargetMemory();

  pid_t pid() const { return Pid; }
  /// Nothing is readable any more once the flag is set. It must live as long.
  void stopAt(const std::atomic<bool> &Flag) { Stop = &Flag; }
  /// False: not all of the memory is readable.
  bool read(uint64_t At, void *To, size_t Bytes) const;
  /// The bytes from At on, as many as are readable, at most Bytes.
  std::vector<uint8_t> readUpTo(uint64_t At, size_t Bytes) const;
  /// As readUpTo(), into Buffer, which grows as needed: for many reads.
  llvm::ArrayRef<uint8_t> readUpTo(uint64_t At, size_t Bytes,
                                   std::vector<uint8_t> &Buffer) const;
  /// Reads many ranges with few system calls, one behind the other into To.
  /// False: not all of the memory is readable.
  struct Range {
    uint64_t Start;
    size_t Bytes;
  };
  bool readAll(llvm::ArrayRef<Range> Ranges, uint8_t *To) const;
  bool write(uint64_t At, llvm::ArrayRef<uint8_t> What) const;
  template <typename T> bool read(uint64_t At, T &To) const {
    return read(At, &To, sizeof(T));
  }

  /// The parts of the memory from Begin to End whose pages of 4 KiB are in
  /// memory or swapped out, in order: the first ones. To: up to where it has
  /// looked, End at the most. Empty: there are none, or the kernel does not
  /// say.
  std::vector<Range> touched(uint64_t Begin, uint64_t End, uint64_t &To) const;

  /// The mappings as of now; empty: the process is gone.
  std::vector<TargetMap> maps() const;

private:
  TargetMemory(pid_t Pid, int Fd, int MapsFd, int PagesFd)
      : Pid(Pid), Fd(Fd), MapsFd(MapsFd), PagesFd(PagesFd) {}
  bool isStopped() const {
    return Stop && Stop->load(std::memory_order_relaxed);
  }
  pid_t Pid;
  // Opened with the rights of then, which memrec may give up later.
  int Fd, MapsFd, PagesFd;
  const std::atomic<bool> *Stop = nullptr;
};

/// The mapping with the address; null: none.
const TargetMap *mapAt(llvm::ArrayRef<TargetMap> Maps, uint64_t Address);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SHARED_TARGETMEMORY_H
