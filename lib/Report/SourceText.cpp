// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a file of source, as far as it can be known.

#include "SourceText.h"
#include "Support/CommandText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace memkit {

/// What terminals would obey becomes a question mark; a tab, four blanks.
static std::string plainLine(StringRef Line) {
  std::string Out;
  for (char C : Line.rtrim("\r\n"))
    if (C == '\t')
      Out.append(4, ' ');
    else
      Out += uint8_t(C) < ' ' || C == 0x7f ? '?' : C;
  return Out;
}

/// The trace keeps lines without blanks in front, of a bounded length.
static bool isSame(StringRef OfFile, StringRef OfTrace) {
  OfTrace.consume_back("...");
  return OfFile.trim().starts_with(OfTrace.trim());
}

SourceText SourceText::read(const SourceUse &Use) {
  SourceText Out = readFile(Use);
  if (!Out.Doubt.empty())
    for (auto [Line, Text] : Use.Known)
      Out.OfTrace.emplace(Line, plainLine(Text));
  return Out;
}

SourceText SourceText::readFile(const SourceUse &Use) {
  constexpr uint64_t MaxBytes = 16 << 20;
  SourceText Out;
  std::string Path = Use.File.str();
  uint64_t Size = 0;
  if (!sys::fs::is_regular_file(Path) || sys::fs::file_size(Path, Size) ||
      Size > MaxBytes) {
    Out.Doubt = "the file is not on this machine";
    return Out;
  }
  auto Text = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!Text) {
    Out.Doubt = Text.getError().message();
    return Out;
  }
  SmallVector<StringRef, 0> Lines;
  (*Text)->getBuffer().rtrim('\n').split(Lines, '\n');
  // A trace may name any file: only one that it knows lines of is shown.
  bool KnowsLines = false;
  for (const LineUse &L : Use.Lines) {
    KnowsLines |= !L.Text.trim().empty();
    bool IsThere = L.Line && L.Line <= Lines.size();
    if (!IsThere || !isSame(Lines[L.Line - 1], L.Text))
      Out.Doubt = "the file has changed since";
  }
  if (!KnowsLines)
    Out.Doubt = "the trace has no line to compare the file with";
  if (!Out.Doubt.empty())
    return Out;
  for (StringRef Line : Lines)
    Out.Lines.push_back(plainLine(Line));
  return Out;
}

bool holdsMemory(const LineUse &L) {
  return L.PeakBytes || L.AllocatedBytes || L.LiveBytes;
}

static std::string textOf(const SourceText &Text, uint64_t Line,
                          const LineUse *Use) {
  if (Line <= Text.Lines.size())
    return Text.Lines[Line - 1];
  if (auto At = Text.OfTrace.find(Line); At != Text.OfTrace.end())
    return At->second;
  return Use ? oneLine(Use->Text) : "";
}

/// Without the file: the lines that hold memory, and all that the trace has.
static std::vector<SourceRow> rowsOfTrace(ArrayRef<const LineUse *> Shown,
                                          const SourceText &Text) {
  std::map<uint64_t, const LineUse *> Lines;
  for (const auto &[Line, Of] : Text.OfTrace)
    Lines[Line] = nullptr;
  for (const LineUse *L : Shown)
    Lines[L->Line] = L;
  std::vector<SourceRow> Rows;
  for (auto [Line, Use] : Lines)
    Rows.push_back({Line, Use, textOf(Text, Line, Use)});
  return Rows;
}

std::vector<SourceRow> sourceRows(const SourceUse &Use, const SourceText &Text,
                                  uint64_t Context) {
  std::vector<const LineUse *> Shown;
  for (const LineUse &L : Use.Lines)
    if (holdsMemory(L))
      Shown.push_back(&L);
  if (Text.Lines.empty())
    return rowsOfTrace(Shown, Text);
  std::vector<SourceRow> Rows;
  // 64 bits: a trace may have the last line of 32.
  uint64_t Last = Text.Lines.size(), Next = 1; // Next: not shown yet
  auto Add = [&](uint64_t Line, const LineUse *L) {
    Next = Line + 1;
    Rows.push_back({Line, L, textOf(Text, Line, L)});
  };
  for (size_t I = 0; I != Shown.size(); ++I) {
    uint64_t Line = Shown[I]->Line;
    if (Line <= Last)
      for (uint64_t Before = std::max(Next, Line - std::min(Line, Context));
           Before < Line; ++Before)
        Add(Before, nullptr);
    Add(Line, Shown[I]);
    uint64_t Until = std::min(Last, Line + Context);
    if (I + 1 != Shown.size())
      Until = std::min<uint64_t>(Until, Shown[I + 1]->Line - 1);
    while (Next <= Until)
      Add(Next, nullptr);
  }
  return Rows;
}

} // namespace memkit
