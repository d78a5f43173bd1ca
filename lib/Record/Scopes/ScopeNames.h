// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of a process's scopes.

#ifndef MEMKIT_LIB_RECORD_SCOPENAMES_H
#define MEMKIT_LIB_RECORD_SCOPENAMES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace memkit {

class Recording;
class SharedProcess;

/// Reads each text of the process once. Belongs to the recorder's thread.
class ScopeNames {
public:
  ScopeNames(SharedProcess &Shared, Recording &R, uint32_t Process)
      : Shared(Shared), R(R), Process(Process) {}

  /// A text, and its string in the trace.
  struct ScopeName {
    uint32_t String = 0;
    std::string Text;
    bool EndsSteps = false; ///< ranges of this name match --step
  };
  /// The number of a text or node, in the low half of the program's word; 0 for
  /// numbers too large: maps reserve them.
  static uint32_t numberOf(uint64_t Word) {
    return uint32_t(Word) <= INT32_MAX ? uint32_t(Word) : 0;
  }
  /// Valid until the next call of a function of this class.
  const ScopeName &name(uint32_t Text);
  /// The number of a text of the recorder's own; 0: there are too many.
  uint32_t own(llvm::StringRef Name);

  /// Bounds the memory that a program's texts can use.
  static constexpr size_t MaxNames = 1 << 16;

private:
  bool endsSteps(llvm::StringRef Name) const;

  /// The recorder's own texts have numbers from FirstOwn on.
  static constexpr uint32_t FirstOwn = 1u << 31;
  SharedProcess &Shared;
  Recording &R;
  uint32_t Process;
  llvm::DenseMap<uint32_t, ScopeName> Names; ///< by text
  llvm::StringMap<uint32_t> OwnTexts;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPENAMES_H
