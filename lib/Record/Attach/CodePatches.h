// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces code of a program that runs.

#ifndef MEMKIT_LIB_RECORD_ATTACH_CODEPATCHES_H
#define MEMKIT_LIB_RECORD_ATTACH_CODEPATCHES_H

#include "Wire/Attach.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace memkit {

class StoppedProcess;
class TargetMemory;

/// The rows that the library has made: an address in the program's code, the
/// bytes of the program, and the bytes that replace them. The library is not
/// trusted: the rows are checked, and memrec writes into the program alone.
class CodePatches {
public:
  /// Reads Count rows of the library.
  CodePatches(const TargetMemory &Memory, uint64_t At, uint32_t Count);

  struct PatchResult {
    unsigned Functions = 0;
    uint64_t StandNs = 0; ///< how long all threads stood
  };
  /// Stops all threads while none is inside of the code, and replaces it.
  /// Errors: the end of a sentence that begins with the process.
  llvm::Expected<PatchResult> apply() { return write(/*IsNew=*/true); }
  /// Restores what stood there. A thread may be anywhere: the new code is one
  /// instruction.
  llvm::Expected<PatchResult> restore() { return write(/*IsNew=*/false); }

private:
  llvm::Expected<PatchResult> write(bool IsNew);
  llvm::Expected<bool> tryWrite(bool IsNew, PatchResult &Done) const;
  bool isInside(uint64_t Address) const;
  bool hasCode(const wire::CodePatchRow &R, const uint8_t *Code) const;
  bool hasThreadInside(const StoppedProcess &P) const;

  const TargetMemory &Memory;
  std::vector<wire::CodePatchRow> Rows; ///< by address
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_ATTACH_CODEPATCHES_H
