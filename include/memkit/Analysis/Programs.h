// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks.

#ifndef MEMKIT_ANALYSIS_PROGRAMS_H
#define MEMKIT_ANALYSIS_PROGRAMS_H

#include "memkit/Model/SelectedStats.h"
#include "memkit/Trace/Marks.h"
#include <array>

namespace memkit {

/// The plan of a compiled program, as its compiler says; none: not said. By
/// ProgramValue.
struct ProgramPlan {
  std::array<std::optional<uint64_t>, NumProgramValues> Values;
  std::optional<uint64_t> of(ProgramValue V) const { return Values[size_t(V)]; }
  /// The bytes that a call needs: arguments and outputs, those that share their
  /// memory once, and the temporary memory, which XLA takes as a whole; at
  /// least the peak. None: the compiler says neither. XLA's peak alone leaves
  /// the temporary memory out on the CPU (jaxlib 0.10.2).
  std::optional<uint64_t> callBytes() const;
  bool operator==(const ProgramPlan &) const = default;
};

/// The value's name in JSON: `argument_bytes`; beside values of the program:
/// `plan_argument_bytes`.
llvm::StringRef keyOf(ProgramValue V);
llvm::StringRef planKeyOf(ProgramValue V);

/// A program by name: several compilations of one function, for arguments of
/// other shapes, have one name.
struct CompiledProgram {
  llvm::StringRef Name; ///< `jit_step`
  /// Each different plan once, in the order of the marks; empty: none is known.
  std::vector<ProgramPlan> Plans;
  /// The plan whose call needs most; null: none is known.
  const ProgramPlan *largestPlan() const;
  /// The recorded allocations in the heaps of JAX.
  uint64_t Allocations = 0, AllocatedBytes = 0;
  uint64_t LiveBytes = 0;   ///< at the end
  uint64_t AtPeakBytes = 0; ///< at the peak of each heap
};

/// The live arrays at a mark.
struct ArraysAtMark {
  uint32_t Process = 0;
  uint64_t TimeNs = 0;
  llvm::StringRef Mark; ///< the mark's name
  uint64_t Count = 0, Bytes = 0;
  struct Shape {
    llvm::StringRef Name; ///< `float32[1000,1000]`
    uint64_t Count, Bytes;
  };
  std::vector<Shape> Shapes; ///< as reported: the most bytes first
};

struct ProgramReport {
  /// Programs with allocations or plans; the most bytes at the peak first, then
  /// the most allocated bytes.
  std::vector<CompiledProgram> Programs;
  /// The allocations in heaps of JAX outside of any program.
  uint64_t OtherAtPeakBytes = 0;
  std::vector<ArraysAtMark> Arrays; ///< in order of time
  bool empty() const { return Programs.empty() && Arrays.empty(); }
};

/// Whether a heap is of JAX: `jax.cpu`.
bool isOfJax(llvm::StringRef Heap);

/// Reads the marks of a trace with heaps of JAX; nothing of other traces. S:
/// also gives the selected processes. Errors: TraceError.
llvm::Expected<ProgramReport> queryPrograms(const SelectedStats &S);

} // namespace memkit

#endif // MEMKIT_ANALYSIS_PROGRAMS_H
