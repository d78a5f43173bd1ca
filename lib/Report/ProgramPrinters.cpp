// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs of JAX, and live arrays at marks.

#include "ProgramPrinters.h"
#include "Support/CommandText.h"
#include "Tables/Columns.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

RowListRef programTable(ArrayRef<CompiledProgram> Programs) {
  return programColumns()
      .pick("name_and_plans titled program, at_peak_bytes titled at peak, "
            "live_bytes titled at end, allocated_bytes titled allocated, "
            "allocations titled blocks, kept plan_argument_bytes titled plan: "
            "arguments, kept plan_output_bytes titled outputs, kept "
            "plan_aliased_bytes titled aliased, kept plan_temporary_bytes "
            "titled temporary, kept plan_call_bytes titled in all, kept "
            "plan_flops titled flops")
      .rows(Programs.vec());
}

std::string programNote(ArrayRef<CompiledProgram> Programs) {
  std::string Note = "the left columns are recorded, of all calls; the plan "
                     "and the flops are XLA's own, of one call";
  if (any_of(Programs,
             [](const CompiledProgram &P) { return P.Plans.size() > 1; }))
    Note += ", of the plan whose call takes most";
  return Note;
}

RowListRef programObjects(ArrayRef<CompiledProgram> Programs) {
  return programColumns()
      .pick("name, at_peak_bytes, live_bytes, allocated_bytes, allocations, "
            "plan_list as plans")
      .rows(Programs.vec());
}

RowListRef arrayTable(const Trace &T, const ArraysAtMark &A, size_t MaxShapes) {
  std::vector<ArrayRow> Rows = arraysByShape(A);
  Rows.resize(std::min(Rows.size(), MaxShapes));
  return arrayColumns(T)
      .pick("name titled type and shape, arrays, bytes, right whole share")
      .rows(std::move(Rows));
}

std::string arrayTitle(const ArraysAtMark &A) {
  return "at the mark " + oneLine(A.Mark) + " (" + formatTime(A.TimeNs) +
         "), " + formatCount(A.Count) + " with " + formatSize(A.Bytes);
}

RowListRef arrayObjects(const Trace &T, ArrayRef<ArraysAtMark> Arrays) {
  return arrayColumns(T)
      .pick("mark, time_ns, process_id as process, all_arrays as arrays, "
            "all_bytes as bytes, shapes")
      .rows(arraysByMark(Arrays));
}

} // namespace memkit
