// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of a thread of another process.

#ifndef MEMKIT_LIB_RECORD_ATTACH_TARGETSTACK_H
#define MEMKIT_LIB_RECORD_ATTACH_TARGETSTACK_H

#include "Capture/Unwind/EhFrame.h"
#include "Shared/TargetMemory.h"
#include "llvm/BinaryFormat/ELF.h"
#include <memory>
#include <sys/user.h>
#include <vector>

namespace memkit {

/// The frames of a thread.
struct TargetFrames {
  /// The instruction of each, the innermost first; of a caller, its call: a
  /// byte before the return address.
  std::vector<uint64_t> Code;
  bool IsComplete = false; ///< up to the thread's first function
  bool HasSignal = false;  ///< a signal handler runs: the walk ends there
  uint64_t StackAt = 0;    ///< where the walk ended
};

/// Walks stacks by the unwind tables of the program's binaries, in their files,
/// and with the code by which the capture library walks. Belongs to one thread.
class TargetStack {
public:
  TargetStack(pid_t Pid, llvm::ArrayRef<TargetMap> Maps)
      : Pid(Pid), Maps(Maps) {}
  TargetStack(TargetStack &&) = default;

  TargetFrames walk(const TargetMemory &Memory,
                    const user_regs_struct &Registers);

private:
  /// A binary's file, mapped as the program has it mapped.
  struct BinaryImage {
    ~BinaryImage();
    char *Local = nullptr; ///< null: the file is not the program's
    uint64_t Bytes = 0;    ///< at Local
    std::vector<llvm::ELF::Elf64_Phdr> Headers;
    uint64_t Unmoved = 0; ///< the address that Start has in the headers
    uint64_t Start = 0, End = 0;
    bool HasStart = false;   ///< the first page is readable
    capture::EhFrame Tables; ///< in this process
    uint64_t toLocal(uint64_t Address) const {
      return Address - Start + reinterpret_cast<uint64_t>(Local);
    }
  };
  BinaryImage &imageOf(const TargetMap &M);
  void load(BinaryImage &Image, const TargetMap &Of) const;

  pid_t Pid;
  std::vector<TargetMap> Maps;
  std::vector<std::unique_ptr<BinaryImage>> Images;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_TARGETSTACK_H
