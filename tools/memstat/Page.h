// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page of sections, for people.

#ifndef MEMKIT_TOOLS_MEMSTAT_PAGE_H
#define MEMKIT_TOOLS_MEMSTAT_PAGE_H

#include "Support/Table.h"
#include <optional>

namespace memkit {

/// Lines, a table and what is drawn, below a title.
struct PageSection {
  std::string Title; ///< empty: the head of the page
  /// Whether the title stands in text, too: the table's first column does not
  /// say what it is.
  bool Titled = false;
  std::vector<std::string> Lines;
  std::optional<Table> Rows;
  std::vector<std::string> Drawn; ///< each character in its column
  std::vector<std::string> Notes; ///< below the table
};

/// Sections in their order, as text at most Width wide (0: any), or as
/// Markdown.
void printText(llvm::raw_ostream &OS, llvm::ArrayRef<PageSection> Page,
               unsigned Width);
void printMarkdown(llvm::raw_ostream &OS, llvm::ArrayRef<PageSection> Page);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_PAGE_H
