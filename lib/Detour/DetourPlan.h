// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a function is replaced in memory.
//
// A detour writes a jump over the first instructions of a function. The
// instructions move to another place, from where they lead back into the
// function: the way to the original.

#ifndef MEMKIT_LIB_DETOUR_DETOURPLAN_H
#define MEMKIT_LIB_DETOUR_DETOURPLAN_H

#include "Detour/CodeImage.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace memkit {

/// A jump to a place within 2 GiB.
inline constexpr uint8_t JumpBytes = 5;

/// Bytes of moved code that depend on where the code lies: four, the distance
/// from moved byte End to Target. Or, if End is 0, eight: the address of
/// Target.
struct MovedWord {
  uint8_t At = 0;  ///< the first of the bytes, in DetourPlan::Moved
  uint8_t End = 0; ///< where the word's instruction ends, in Moved
  uint64_t Target = 0;
};

/// Addresses are those of the file's headers.
struct DetourPlan {
  /// The first replaced byte: of the function, or after its endbr64.
  uint64_t At = 0;
  uint8_t Replaced = 0; ///< bytes, at least JumpBytes
  /// The way to the original, from the function's first byte on.
  llvm::SmallVector<uint8_t, 40> Moved;
  llvm::SmallVector<MovedWord, 3> Words;
};

/// A plan, or why there is none.
struct PlannedFunction {
  DetourPlan Plan;
  std::string Refusal; ///< as `byte 3 is in a call`; empty: there is a plan
};

/// Plans the detours of Functions, each a function of Image, and no two at one
/// address. Reads all code of Image once, for jumps between the instructions
/// that move.
std::vector<PlannedFunction> planDetours(const CodeImage &Image,
                                         llvm::ArrayRef<CodeSymbol> Functions);

} // namespace memkit

#endif // MEMKIT_LIB_DETOUR_DETOURPLAN_H
