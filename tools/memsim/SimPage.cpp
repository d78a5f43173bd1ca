// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memsim says, as text or as Markdown.

#include "SimPage.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

void SimPage::title(StringRef Title) {
  if (IsMarkdown)
    OS << "### " << markdownText(Title) << '\n';
}

/// Lines as a block of code, which no back-tick of a name ends.
static void writeCode(raw_ostream &OS, StringRef Lines) {
  StringRef Fence = Lines.contains("```") ? "~~~~~~" : "```";
  OS << '\n' << Fence << '\n' << Lines.rtrim('\n') << '\n' << Fence << '\n';
}

void SimPage::flush() {
  std::string Code;
  auto EndCode = [&] {
    if (!Code.empty())
      writeCode(OS, Code);
    Code.clear();
  };
  if (!IsMarkdown)
    OS << Held;
  else
    for (StringRef Line : split(StringRef(Held).rtrim('\n'), '\n')) {
      if (Line.starts_with("    ")) {
        Code += (Line.drop_front(4) + "\n").str();
        continue;
      }
      EndCode();
      if (!Line.empty())
        OS << '\n' << markdownText(Line) << '\n';
    }
  EndCode();
  Held.clear();
}

void SimPage::table(const Table &Rows, unsigned Width) {
  flush();
  if (!IsMarkdown)
    return Rows.print(OS, Width);
  OS << '\n';
  Rows.printMarkdown(OS);
}

void SimPage::drawing(StringRef Lines) {
  flush();
  if (IsMarkdown)
    writeCode(OS, Lines);
  else
    OS << Lines;
}
