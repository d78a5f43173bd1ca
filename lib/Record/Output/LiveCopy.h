// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trace of this moment, for a reader outside.

#ifndef MEMKIT_LIB_RECORD_LIVECOPY_H
#define MEMKIT_LIB_RECORD_LIVECOPY_H

#include "Output/MemorySink.h"
#include "memkit/Trace/Lifetimes.h"
#include "memkit/Trace/MomentRow.h"
#include "memkit/Trace/Summary.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memkit {

class Recording;

/// Prepares what a reader needs for the trace as of the begin of the copy: the
/// file up to there, the totals, and the rows of stacks and scope paths. The
/// recorder goes on meanwhile: each step() takes at most some 100 microseconds.
/// Belongs to the recorder's thread.
class LiveCopy {
public:
  /// Begins; NowNs: of the recording. Since: only rows that an event after
  /// event number Since has changed; 0: all. R must outlive the copy. Not while
  /// another copy of R is made. Errors: of the system.
  static llvm::Expected<std::unique_ptr<LiveCopy>>
  begin(Recording &R, uint64_t NowNs, uint64_t Since = 0);
  ~LiveCopy();

  /// Does a part of the work. True: the copy is complete.
  llvm::Expected<bool> step();

  /// Whether only the writing of the file is left.
  bool isWaiting() const { return HasRows && !*Written; }

  // After the last step:
  /// The bytes of the file that belong to the copy.
  uint64_t bytes() const { return (*Written)->Bytes; }
  /// A trace of a Header, perhaps Lifetimes, and a Summary without rows.
  int totals() const { return Totals->fd(); }
  /// The last event before the copy, and the event since which rows are there.
  uint64_t events() const { return Events; }
  uint64_t since() const { return Since; }
  size_t cells() const { return NumCells; }
  /// The MomentCells, then MomentRows in no order.
  int rows() const { return Rows->fd(); }
  /// The sections of the file, as IndexLog saves them; may be empty.
  int index() const { return Index->fd(); }

private:
  explicit LiveCopy(Recording &R) : R(R) {}
  llvm::Error writeTotals();

  Recording &R;
  /// The file once all is written that was known at the begin.
  struct WrittenFile {
    uint64_t Bytes = 0;
    std::string Index;
  };
  uint64_t Events = 0, Since = 0;
  size_t NumCells = 0;
  std::unique_ptr<MemorySink> Totals, Rows, Index;
  std::optional<Summary> Lists; ///< of the begin, until they are encoded
  std::vector<Lifetimes> Ages;  ///< likewise
  /// Shared with the recording's queue; nothing: not all is written.
  std::shared_ptr<std::optional<WrittenFile>> Written;
  bool HasRows = false;
  std::vector<MomentRow> Part;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_LIVECOPY_H
