// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of memray's recordings.

#ifndef MEMKIT_LIB_IMPORT_MEMRAYSTACKS_H
#define MEMKIT_LIB_IMPORT_MEMRAYSTACKS_H

#include "Import/Build/ModuleMap.h"
#include "Import/Build/TraceBuilder.h"
#include "MemrayHeader.h"
#include <map>
#include <tuple>
#include <unordered_map>

namespace memkit {

/// A frame of Python code.
struct MemrayFrame {
  uint32_t Frame = 0; ///< of the trace
  /// Whether C code called the frame's function: the frame is the outermost of
  /// those that one call of the evaluator runs.
  bool IsEntry = true;
};

/// The names of Python frames, and the native frames, of a recording. Joins a
/// stack of Python with a native stack: a frame of CPython's evaluator becomes
/// the frames of Python that it ran. Belongs to one thread.
class MemrayStacks {
public:
  MemrayStacks(const MemrayHeader &H, TraceBuilder &To, uint32_t Process)
      : H(H), To(To), Process(Process) {}

  // Definitions. Strings are copied.

  /// A frame with its line, up to version 11. False: the number is taken.
  bool addFrame(uint64_t Id, llvm::StringRef Function, llvm::StringRef File,
                int64_t Line, bool IsEntry);
  void addCode(uint64_t Id, llvm::StringRef Function, llvm::StringRef File,
               int32_t FirstLine, llvm::StringRef LineTable);
  /// The native frame of the next number, from 1; Caller: 0 for none.
  void addNative(uint64_t Ip, uint64_t Caller) {
    Native.push_back({Ip, Caller});
  }
  /// The binaries of the process are listed anew.
  void newModules();
  ModuleMap &modules() { return Modules; }

  /// The frame of a number of addFrame(); null: there is none.
  const MemrayFrame *frame(uint64_t Id) const;
  /// The frame of an instruction of a code object. An unknown code object gives
  /// a frame without a name.
  MemrayFrame frameAt(uint64_t Code, int64_t Instruction, bool IsEntry);

  /// The stack of these Python frames, outermost first, of the native frame
  /// NativeId (0: none), and of the allocating function Leaf. Node: the trace's
  /// node of Python.
  uint32_t stack(llvm::ArrayRef<MemrayFrame> Python, uint32_t Node,
                 uint64_t NativeId, llvm::StringRef Leaf);

private:
  struct MemrayCode {
    std::string Function, File, LineTable;
    int32_t FirstLine = 0;
  };
  struct NativeFrame {
    uint64_t Ip, Caller;
  };
  uint32_t leaf(llvm::StringRef Name);
  void join(llvm::ArrayRef<MemrayFrame> Python, uint64_t NativeId,
            llvm::SmallVectorImpl<uint32_t> &Out);

  const MemrayHeader &H;
  TraceBuilder &To;
  uint32_t Process;
  ModuleMap Modules;
  std::unordered_map<uint64_t, MemrayFrame> Frames;
  std::unordered_map<uint64_t, MemrayCode> Codes;
  std::map<std::tuple<uint64_t, int64_t, bool>, MemrayFrame> AtCode;
  std::vector<NativeFrame> Native;
  llvm::StringMap<uint32_t> Leaves;
  /// By node, native frame, leaf: the stack, of the present modules.
  std::map<std::tuple<uint32_t, uint64_t, uint32_t>, uint32_t> Known;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_MEMRAYSTACKS_H
