// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of text, and texts that fit a width.

#ifndef MEMKIT_LIB_SUPPORT_TABLE_H
#define MEMKIT_LIB_SUPPORT_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace memkit {

/// Text in at most Width columns: what is too long loses its middle (`a...z`);
/// its end, the most telling part of a path or a name, stays longer.
std::string shorten(llvm::StringRef Text, unsigned Width);

/// Text as Markdown shows it as it is: what would be markup is escaped, and all
/// stands in one line.
std::string markdownText(llvm::StringRef Text);

/// A table printed at once. Columns are as wide as their cells; the one marked
/// Flexible gives way when the terminal is narrower.
class Table {
public:
  enum class Align { Left, Right };
  struct Column {
    std::string Title;
    Align Side = Align::Left;
    bool Flexible = false;
  };

  explicit Table(std::vector<Column> Columns) : Columns(std::move(Columns)) {}
  /// As many cells as there are columns.
  void add(std::vector<std::string> Cells);
  bool empty() const { return Rows.empty(); }
  /// Width: columns to fit into, 0: any number.
  void print(llvm::raw_ostream &OS, unsigned Width) const;
  /// As GitHub's Markdown has tables. Cells are texts, no markup.
  void printMarkdown(llvm::raw_ostream &OS) const;

private:
  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
};

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_TABLE_H
