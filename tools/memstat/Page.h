// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page of sections, for people.

#ifndef MEMKIT_TOOLS_MEMSTAT_PAGE_H
#define MEMKIT_TOOLS_MEMSTAT_PAGE_H

#include "Support/Table.h"
#include <optional>

namespace memkit {

/// Lines, a table and a drawing below a title.
struct PageSection {
  /// The name in --show; sections of one name are shown together.
  llvm::StringRef Name;
  std::string Title; ///< empty: the head of the page
  /// Whether text output prints the title, too: for tables whose first column
  /// does not name the section.
  bool Titled = false;
  std::vector<std::string> Lines;
  std::optional<Table> Rows;
  std::vector<std::string> Drawn; ///< in fixed width
  std::vector<std::string> Notes; ///< below the table
};

/// Print sections in order: as text of at most Width columns (0: any width), or
/// as Markdown.
void printText(llvm::raw_ostream &OS, llvm::ArrayRef<PageSection> Page,
               unsigned Width);
void printMarkdown(llvm::raw_ostream &OS, llvm::ArrayRef<PageSection> Page);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMSTAT_PAGE_H
