// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled programs, and live arrays at marks.

#include "Export/TableText.h"
#include "Report/ProgramPrinters.h"
#include "Sections.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

std::optional<PageSection> programSection(const PageInput &F) {
  constexpr size_t Useful = 10;
  ArrayRef<CompiledProgram> All = F.O.Compiled.Programs;
  if (All.empty())
    return std::nullopt;
  ArrayRef<CompiledProgram> Shown = All.take_front(F.shown(All.size(), Useful));
  PageSection Out;
  Out.Rows = tableOf(*programTable(Shown));
  if (Shown.size() < All.size())
    Out.Notes.push_back(formatCount(All.size() - Shown.size()) +
                        " more programs: --top=0");
  Out.Notes.push_back(programNote(Shown));
  return Out;
}

/// The marks with most bytes of arrays, and the last.
std::vector<PageSection> arraySections(const PageInput &F) {
  constexpr size_t Useful = 8;
  std::vector<PageSection> Out;
  const std::vector<ArraysAtMark> &All = F.O.Compiled.Arrays;
  if (All.empty())
    return Out;
  const ArraysAtMark *Most = &All.front();
  for (const ArraysAtMark &A : All)
    Most = A.Bytes > Most->Bytes ? &A : Most;
  std::vector<const ArraysAtMark *> Shown = {Most};
  if (Most != &All.back())
    Shown.push_back(&All.back());
  for (const ArraysAtMark *A : Shown) {
    size_t Rows = F.shown(A->Shapes.size(), Useful);
    PageSection S;
    S.Title = "Live arrays of JAX " + arrayTitle(*A);
    S.Titled = true;
    S.Rows = tableOf(*arrayTable(F.T, *A, Rows));
    if (Rows < A->Shapes.size())
      S.Notes.push_back(formatCount(A->Shapes.size() - Rows) +
                        " more shapes: --top=0");
    Out.push_back(std::move(S));
  }
  return Out;
}

void writeProgramJson(json::OStream &J, const PageInput &F) {
  writeRowsJson(J, "program_list", *programObjects(F.O.Compiled.Programs));
  writeRowsJson(J, "live_arrays", *arrayObjects(F.T, F.O.Compiled.Arrays));
}

} // namespace memkit
