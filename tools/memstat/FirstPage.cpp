// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of the first screen.

#include "Sections.h"
#include "memkit/Analysis/HeapOverview.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

/// The command that shows more about a row.
static StringRef commandFor(const HeadRow &R) {
  return R.Label == "out of memory"         ? "; memdump --oom shows more"
         : R.Label == "gap"                 ? "; memstat --show=gap: what helps"
         : R.Text.ends_with(" more places") ? ": memleak"
                                            : "";
}

PageSection headSection(const PageInput &F) {
  PageSection Out;
  Out.Lines.push_back(verdictText(F));
  Table T({{"", Side::Left}, {"", Side::Left, true, 0, /*Wraps=*/true}});
  T.hideTitles();
  for (const HeadRow &R : headRows(F))
    T.add({(R.NeedsLook ? "  ! " : "  ") + R.Label,
           R.Text + commandFor(R).str()});
  Out.Rows = std::move(T);
  return Out;
}

/// A bar of at most Columns characters.
static std::string bar(uint64_t Bytes, uint64_t Whole, unsigned Columns,
                       bool Ascii) {
  static constexpr StringLiteral Eighths[] = {"",  "▏", "▎", "▍",
                                              "▌", "▋", "▊", "▉"};
  double Share = Whole ? double(Bytes) / double(Whole) : 0;
  auto Steps = static_cast<unsigned>(std::min(Share, 1.0) * Columns * 8 + 0.5);
  std::string Text;
  for (unsigned I = 0; I != Steps / 8; ++I)
    Text += Ascii ? "#" : "█";
  if (!Ascii)
    Text += Eighths[Steps % 8];
  else if (Steps % 8 >= 4)
    Text += "-";
  return Text;
}

/// Whether the rows are those of another moment than the subject's peak: a
/// single process has its own peak, and its rows that of all processes.
static bool isOfOtherPeak(const PageInput &F, ArrayRef<PlaceRow> Rows,
                          uint64_t Peak) {
  if (F.Whole || F.OfHeaps || F.T.processes().size() < 2 ||
      !onlyProcess(F.T, F.Sel))
    return false;
  uint64_t Sum = 0;
  for (const PlaceRow &R : Rows)
    Sum += R.Bytes;
  return Sum < Peak;
}

static PageSection placeSection(const PageInput &F, const Subject &Of,
                                bool Named) {
  constexpr unsigned BarColumns = 12;
  constexpr size_t MaxRows = 8, MinRows = 3;
  std::vector<PlaceRow> Rows = placeRows(F, Of.Space);
  uint64_t Whole = Of.PeakBytes, Shown = 0;
  Table T({{"", Side::Right},
           {"", Side::Right},
           {"", Side::Left, false, 1},
           {"", Side::Left, true},
           {"", Side::Left, true, 2}});
  T.hideTitles();
  size_t Count = 0;
  auto IsWorthIt = [&] {
    // A single row takes no more space than the line about the other rows.
    bool IsLast = Count + 1 == Rows.size();
    bool Explains =
        Count < MinRows || (Count < MaxRows && Shown < Whole / 100 * 95);
    return F.Top == 0 || IsLast ||
           (Explains && Rows[Count].Bytes >= Whole / 200);
  };
  while (Count != Rows.size() && IsWorthIt()) {
    const PlaceRow &R = Rows[Count++];
    Shown += R.Bytes;
    T.add({"  " + formatSize(R.Bytes), formatShare(R.Bytes, Whole),
           bar(R.Bytes, Whole, BarColumns, F.Ascii), R.Text, R.Source});
  }
  if (size_t Left = Rows.size() - Count) {
    uint64_t Bytes = 0;
    for (const PlaceRow &R : ArrayRef(Rows).drop_front(Count))
      Bytes += R.Bytes;
    T.add({"  " + formatSize(Bytes), formatShare(Bytes, Whole),
           bar(Bytes, Whole, BarColumns, F.Ascii), plural(Left, "other place"),
           ""});
  }
  PageSection Out;
  bool IsOfAll = isOfOtherPeak(F, Rows, Whole);
  Out.Title = IsOfAll ? "What it had at the peak of all processes"
              : Named ? "The peak of " + Of.Name
                      : std::string("The peak");
  Out.Title += byWhat(F).str() + ": " + formatShare(Shown, Whole) + " of " +
               (IsOfAll ? "its own peak, " : "") + formatSize(Whole);
  Out.Titled = true;
  Out.Rows = std::move(T);
  return Out;
}

std::vector<PageSection> placeSections(const PageInput &F) {
  std::vector<Subject> All = subjectsOf(F);
  std::vector<PageSection> Out;
  for (const Subject &S : All)
    Out.push_back(placeSection(F, S, isNamed(F, All)));
  return Out;
}

std::optional<PageSection> noteSection(const PageInput &F) {
  PageSection Out;
  Out.Lines = noteLines(F);
  if (Out.Lines.empty())
    return std::nullopt;
  return Out;
}

} // namespace memkit
