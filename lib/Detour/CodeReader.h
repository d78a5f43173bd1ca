// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of x86-64, as far as moving them is concerned.

#ifndef MEMKIT_LIB_DETOUR_CODEREADER_H
#define MEMKIT_LIB_DETOUR_CODEREADER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>

namespace memkit {

/// What an instruction does to the flow of control.
enum class CodeFlow : uint8_t {
  Plain,     ///< goes on with the next instruction
  Jump,      ///< jumps to Target
  Condition, ///< jumps to Target, or goes on; with a long form
  ShortLoop, ///< as Condition, without a long form: loop, jrcxz
  Elsewhere, ///< jumps to an address that the code computes
  Return,
  Call,   ///< goes on after a call
  Trap,   ///< does not go on
  System, ///< enters the kernel, or begins a transaction
};

struct CodeInstruction {
  uint64_t Address = 0;
  uint8_t Bytes = 0;
  CodeFlow Flow = CodeFlow::Plain;
  uint64_t Target = 0; ///< of a jump, condition or call; 0: computed
  /// Where in the instruction the distance from its end to an operand in memory
  /// lies, 4 bytes; 0: no operand is relative to the instruction.
  uint8_t OperandAt = 0;
  uint64_t Operand = 0; ///< the operand's address

  uint64_t end() const { return Address + Bytes; }
};

/// Reads instructions with LLVM's disassembler. One thread.
class CodeReader {
public:
  CodeReader();
  ~CodeReader();

  /// Reads the instruction at the begin of Code, which lies at Address. False:
  /// the bytes are no instruction that the disassembler knows.
  bool read(llvm::ArrayRef<uint8_t> Code, uint64_t Address,
            CodeInstruction &To) const;

private:
  struct Decoder;
  bool findOperand(llvm::ArrayRef<uint8_t> Code, size_t Prefixes,
                   CodeInstruction &To) const;
  std::unique_ptr<Decoder> D;
};

} // namespace memkit

#endif // MEMKIT_LIB_DETOUR_CODEREADER_H
