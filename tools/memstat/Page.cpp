// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page of sections, for people.

#include "Page.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/WithColor.h"
#include <utility>

using namespace llvm;

namespace memkit {

/// Prints a table; rows that need a look, which start with `!`, in red.
static void printRows(raw_ostream &OS, const Table &T, unsigned Width) {
  std::string Text;
  raw_string_ostream To(Text);
  T.print(To, Width);
  StringRef Left = Text;
  while (!Left.empty()) {
    auto [Line, Rest] = Left.split('\n');
    if (Line.ltrim().starts_with("! "))
      WithColor(OS, raw_ostream::RED) << Line;
    else
      OS << Line;
    OS << '\n';
    Left = Rest;
  }
}

void printText(raw_ostream &OS, ArrayRef<PageSection> Page, unsigned Width) {
  bool IsFirst = true;
  for (const PageSection &S : Page) {
    if (!std::exchange(IsFirst, false))
      OS << '\n';
    if (S.Titled)
      OS << S.Title << '\n';
    for (const std::string &Line : S.Lines)
      printWrapped(OS, S.Titled ? "  " + Line : Line, Width, 2);
    if (S.Rows)
      printRows(OS, *S.Rows, Width);
    for (const std::string &Line : S.Drawn)
      OS << StringRef(Line).rtrim() << '\n';
    for (const std::string &Line : S.Notes)
      printWrapped(OS, Line, Width, 2);
  }
}

void printMarkdown(raw_ostream &OS, ArrayRef<PageSection> Page) {
  bool IsFirst = true;
  for (const PageSection &S : Page) {
    if (!std::exchange(IsFirst, false))
      OS << '\n';
    if (!S.Title.empty())
      OS << "### " << markdownText(S.Title) << "\n\n";
    for (const std::string &Line : S.Lines)
      OS << "- " << markdownText(StringRef(Line).trim()) << '\n';
    if (S.Rows)
      S.Rows->printMarkdown(OS);
    if (!S.Drawn.empty()) {
      std::string Fence = "~~~";
      while (any_of(S.Drawn, [&](StringRef Line) {
        return Line.ltrim().starts_with(Fence);
      }))
        Fence += '~';
      OS << (S.Lines.empty() ? "" : "\n") << Fence << '\n';
      for (const std::string &Line : S.Drawn)
        OS << StringRef(Line).rtrim() << '\n';
      OS << Fence << '\n';
    }
    for (const std::string &Line : S.Notes)
      OS << '\n' << markdownText(Line) << '\n';
  }
}

} // namespace memkit
