// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace made from another tool's recording cannot tell.
//
// A trace of memrec has every allocation and free, with time, thread and block.
// Other tools record less. memimport writes into the header what a recording
// lacks, and a tool refuses a question that the lack leaves without an answer.

#ifndef MEMKIT_MODEL_IMPORTED_H
#define MEMKIT_MODEL_IMPORTED_H

#include "memkit/Trace/Sections.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// A thing that a recording does not hold.
enum class Lack : uint8_t {
  Frees,       ///< one moment: the blocks of then, without frees and times
  Others,      ///< leaked blocks alone: nothing of the others
  Lifetimes,   ///< a free names the stack and size, and not the block
  Times,       ///< events have an order, and no time
  ExactTimes,  ///< times in steps of milliseconds
  Allocations, ///< allocations from before the recording's window
  Threads,
  Addresses,
  Stacks,
  Names,    ///< functions are addresses; names need the binaries
  Requests, ///< sizes are those of the allocator, not those requested
  Samples,  ///< the recorder sampled; values are its estimates
};
inline constexpr unsigned NumLacks = 12;

/// The key of L in Header::Imported, after `lacks=`.
llvm::StringRef lackName(Lack L);
/// A sentence without a full stop: `the recording has no times, only an order`.
llvm::StringRef lackSentence(Lack L);

/// Whether the lack changes the answers of a first screen.
bool isOfFirstScreen(Lack L);

/// The origin of an imported trace.
struct ImportedFrom {
  std::string Format;      ///< `torch-snapshot`; empty: a recording of memkit
  std::string Version;     ///< of the format; may be empty
  std::string File;        ///< without folders; may be empty
  std::vector<Lack> Lacks; ///< in the order of Lack

  explicit operator bool() const { return !Format.empty(); }
  bool lacks(Lack L) const;
  /// Whether memrec has looked at a process, without recording it.
  bool isCensus() const { return Format == "census"; }
  /// Whether the trace is one moment of a run.
  bool isMoment() const { return lacks(Lack::Frees); }
  /// As Header::Imported.
  std::vector<std::string> facts() const;
};

/// Reads Header::Imported; unknown facts of a newer memkit are left out.
ImportedFrom importedFrom(const Header &H);

/// A question that an imported trace may leave without an answer.
enum class HistoryQuestion : uint8_t {
  Growth,   ///< what grows: needs frees and times
  Leaks,    ///< what is never freed: needs the end, or a list of leaks
  Outliers, ///< which blocks outlive others: needs the lifetime of each block
  OverTime, ///< memory over time
};
/// Why the trace cannot answer Q: `imported from a heap profile of jemalloc:
/// the recording is one moment...`; empty: the trace can.
std::string noAnswerReason(const Header &H, HistoryQuestion Q);

/// The words for the blocks of a trace of one moment: `live`, of a log of leaks
/// `leaked`, of memray's sums `live at the peak`.
llvm::StringRef momentWords(const ImportedFrom &From);

/// The words of a format for sentences: `a PyTorch memory snapshot`. An unknown
/// format: `a recording of FORMAT`.
std::string formatWords(llvm::StringRef Format);

} // namespace memkit

#endif // MEMKIT_MODEL_IMPORTED_H
