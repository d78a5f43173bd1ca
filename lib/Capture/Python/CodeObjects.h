// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codes of Python's instructions.
//
// Maps an instruction of Python's bytecode to a code of the shared table, and a
// code object to a function. Names are copied at first sight, from a running
// frame, whose code object is alive. When a code object dies, all entries for
// its address are removed before another object can have the address.
//
// Lock-free except as CodeMap says. Any thread, with or without the GIL; not in
// signal handlers.

#ifndef MEMKIT_CAPTURE_PYTHON_CODEOBJECTS_H
#define MEMKIT_CAPTURE_PYTHON_CODEOBJECTS_H

#include "PrivatePieces.h"
#include "Stacks/NodeIndex.h"
#include "Texts.h"

namespace memkit::capture {

/// The code of an instruction; empty: unknown.
class InstructionWord {
public:
  InstructionWord() = default;
  explicit InstructionWord(CodeWord W) : Bits(W.bits()) {}
  /// \p Code 0: the instruction has no node (a frame that has not begun).
  static InstructionWord make(uint32_t Code) {
    return InstructionWord(CodeWord(uint64_t(Code) << 1 | 1));
  }
  explicit operator bool() const { return Bits; }
  /// With the bits of bitOf().
  uint32_t code() const { return uint32_t(Bits >> 1); }
  CodeWord word() const { return CodeWord(Bits); }

private:
  uint64_t Bits = 0;
};

/// A place in a running function.
struct PythonPlace {
  uintptr_t Key;  ///< identifies the place while the code object lives; 0: none
  uintptr_t Code; ///< the code object
  int64_t Offset; ///< of the instruction, in bytes
  bool IsEntry;
};

class CodeObjects {
public:
  /// Maps the shared tables. False: do not use the object.
  bool begin(int Fd, const wire::Regions &R, wire::Control &C);
  /// Allocates the private memory, once an interpreter is found.
  bool beginIndex();

  /// Empty: not seen yet.
  InstructionWord find(uintptr_t Key) const {
    return InstructionWord(Known.find(Key));
  }

  /// Enters a place that find() does not know. \p LineOf is the interpreter's
  /// PyCode_Addr2Line; \p Buffer has room for a text. Code 0: a table is full.
  InstructionWord enter(const PythonPlace &P, const PythonLayout &L,
                        int (*LineOf)(void *, int), char *Buffer);
  /// Enters a place without a node.
  InstructionWord enterHidden(const PythonPlace &P, const PythonLayout &L,
                              char *Buffer);

  /// The function of an id in use, and its texts.
  const wire::PythonFunction &function(uint32_t Id) { return Functions[Id]; }
  const char *text(uint32_t Number, uint32_t &Bytes) {
    return Names.text(Number, Bytes);
  }

  /// Removes the code object at \p Code, which dies. True: it was known.
  bool forget(uintptr_t Code);

  /// LayerBit, OptimizerBit or a CallRole for the functions that noteFunction()
  /// has found.
  uint32_t bitOf(uint32_t Function) const {
    for (const std::atomic<uint64_t> &F : Marked)
      if (uint64_t Is = F.load(std::memory_order_relaxed);
          uint32_t(Is) == Function)
        return uint32_t(Is >> 32);
    return 0;
  }

private:
  struct Instruction {
    std::atomic<uintptr_t> Key;
    std::atomic<uint32_t> Next; ///< in the function's list, or in the free list
    uint32_t Unused;
  };

  uint32_t functionOf(uintptr_t Code, const PythonLayout &L, char *Buffer);
  uint32_t newFunction(uintptr_t Code, const PythonLayout &L, char *Buffer);
  uint32_t lineCode(uint32_t Function, uint32_t Line, bool IsEntry);
  uint32_t newInstruction();
  void freeInstructions(uint32_t First, uint32_t Last);
  InstructionWord keep(uint32_t Function, uintptr_t Key, InstructionWord W);

  void noteFunction(uint32_t Id);

  wire::Control *Ctl = nullptr;
  static constexpr uint32_t MaxMarked = 16;
  /// The last functions with bits: the bits above the function's id.
  std::atomic<uint64_t> Marked[MaxMarked] = {};
  std::atomic<uint32_t> NumMarked{0};
  Texts Names;
  Pieces<wire::PythonFunction, 1024> Functions;
  CodeMap ByAddress; ///< from a code object to its function
  CodeMap Known;     ///< from a key to an InstructionWord
  BasicIndex<23> ByLine;
  PrivatePieces<std::atomic<uint32_t>, 256> First; ///< by function
  PrivatePieces<Instruction, 256> Instructions;
  std::atomic<uint32_t> NumInstructions{0}; ///< ids from 1 to here are in use
  /// The first free instruction in the low half; the high half changes with
  /// every change.
  std::atomic<uint64_t> FreeInstruction{0};
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_CODEOBJECTS_H
