// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints text tables, and shortens texts to a width.

#ifndef MEMKIT_LIB_SUPPORT_TABLE_H
#define MEMKIT_LIB_SUPPORT_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace memkit {

/// Shortens Text to at most Width columns by cutting out the middle (`a...z`).
/// The end stays longer, since the end of a path or name tells most.
std::string shorten(llvm::StringRef Text, unsigned Width);

/// Escapes Text for Markdown: markup characters become literal, line breaks
/// become blanks.
std::string markdownText(llvm::StringRef Text);

/// Prints Text in lines of at most Width columns (0: one line), broken at
/// spaces. Lines after the first are indented by Indent more than the text.
void printWrapped(llvm::raw_ostream &OS, llvm::StringRef Text, unsigned Width,
                  unsigned Indent);

/// A table that is printed in one go. Columns are as wide as their widest cell.
/// If the table does not fit, Flexible columns become narrower, then columns
/// are dropped, never the first one.
class Table {
public:
  enum class Side { Left, Right };
  struct Column {
    std::string Title;
    Side Aligned = Side::Left;
    bool Flexible = false;
    /// In a narrow table the columns with the highest Drop go first; 0: after
    /// all others, from the right.
    unsigned Drop = 0;
    /// Of the last column, Flexible: a text that does not fit goes on in the
    /// next line.
    bool Wraps = false;
  };

  explicit Table(std::vector<Column> Columns) : Columns(std::move(Columns)) {}
  /// Adds a row; the number of cells must be the number of columns.
  void add(std::vector<std::string> Cells);
  bool empty() const { return Rows.empty(); }
  /// Text output has no line of titles.
  void hideTitles() { HasTitles = false; }
  /// Prints the table, fitted into Width columns; 0: any width.
  void print(llvm::raw_ostream &OS, unsigned Width) const;
  /// Prints a GitHub Markdown table. Cells are plain text.
  void printMarkdown(llvm::raw_ostream &OS) const;

private:
  std::vector<unsigned> fullWidths() const;
  std::vector<size_t> fit(std::vector<unsigned> &Widths, unsigned Width) const;
  void printWrappedRow(llvm::raw_ostream &OS, llvm::StringRef Before,
                       llvm::StringRef Cell, unsigned Width) const;

  std::vector<Column> Columns;
  std::vector<std::vector<std::string>> Rows;
  bool HasTitles = true;
};

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_TABLE_H
