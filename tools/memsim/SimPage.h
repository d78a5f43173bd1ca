// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memsim says, as text or as Markdown.

#ifndef MEMKIT_TOOLS_MEMSIM_SIMPAGE_H
#define MEMKIT_TOOLS_MEMSIM_SIMPAGE_H

#include "Support/Table.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace memkit {

/// Sentences and tables, in the order in which they come. Text is written as it
/// is; in Markdown each line is a paragraph, and indented lines are a block of
/// code.
class SimPage {
public:
  SimPage(llvm::raw_ostream &OS, bool IsMarkdown)
      : OS(OS), IsMarkdown(IsMarkdown) {}
  ~SimPage() { flush(); }
  /// For sentences, which end with a line feed.
  llvm::raw_ostream &text() { return Text; }
  /// Width: of text, in columns; 0: any.
  void table(const Table &Rows, unsigned Width);
  /// Lines of which each blank counts.
  void drawing(llvm::StringRef Lines);
  /// The title of the page in Markdown, once, before all; text has none.
  void title(llvm::StringRef Title);

private:
  void flush();
  llvm::raw_ostream &OS;
  bool IsMarkdown;
  std::string Held;
  llvm::raw_string_ostream Text{Held};
};

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSIM_SIMPAGE_H
