// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page of sections, for people.

#include "Page.h"
#include <utility>

using namespace llvm;

namespace memkit {

/// Prints Text in lines of at most Width columns (0: one line), broken at
/// spaces. Lines after the first are indented by Indent more than the text.
static void printWrapped(raw_ostream &OS, StringRef Text, unsigned Width,
                         unsigned Indent) {
  StringRef Words = Text.ltrim();
  unsigned Before = Text.size() - Words.size();
  for (;;) {
    OS.indent(Before);
    size_t Room = Width > Before + 8 ? Width - Before : Words.size();
    size_t At = Words.size() <= Room ? StringRef::npos
                                     : Words.take_front(Room + 1).rfind(' ');
    if (At == StringRef::npos)
      break;
    OS << Words.take_front(At).rtrim() << '\n';
    Words = Words.drop_front(At).ltrim();
    Before = Text.size() - Text.ltrim().size() + Indent;
  }
  OS << Words << '\n';
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
      S.Rows->print(OS, Width);
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
      OS << "```\n";
      for (const std::string &Line : S.Drawn)
        OS << StringRef(Line).rtrim() << '\n';
      OS << "```\n";
    }
    for (const std::string &Line : S.Notes)
      OS << '\n' << markdownText(Line) << '\n';
  }
}

} // namespace memkit
