// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture of characters.
//
// A picture is drawn in whole each time; Screen.h sends what has changed to a
// terminal. Rows and columns count from 0 at the top left.

#ifndef MEMKIT_LIB_TERMINAL_CELLS_H
#define MEMKIT_LIB_TERMINAL_CELLS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>
#include <vector>

namespace memkit {

/// How a character looks. A terminal without colours shows all but the colours,
/// so a colour never says anything alone.
enum CellStyle : uint8_t {
  CS_Plain = 0,
  CS_Bold = 1,
  CS_Reverse = 2,
  CS_Dim = 4,
  CS_Red = 8,
  CS_Green = 16,
};

/// The number of columns of a code point in a terminal: 0, 1 or 2.
unsigned columnsOf(uint32_t CodePoint);

/// The number of columns of a text. Invalid UTF-8: one column for each byte.
unsigned columnsOfText(llvm::StringRef Text);

/// The text in at most Width columns; a text that is cut ends in `~`.
std::string fitText(llvm::StringRef Text, unsigned Width);

struct ScreenCell {
  /// 0: the right half of a wide character.
  uint32_t CodePoint = ' ';
  uint8_t Style = CS_Plain;
  bool operator==(const ScreenCell &) const = default;
};

/// A grid of cells. Belongs to one thread.
class Cells {
public:
  Cells(unsigned Width, unsigned Height)
      : Width(Width), Height(Height), Grid(size_t(Width) * Height) {}

  unsigned width() const { return Width; }
  unsigned height() const { return Height; }
  const ScreenCell &at(unsigned Row, unsigned Column) const {
    return Grid[size_t(Row) * Width + Column];
  }

  /// Writes Text from a cell on, and returns the column behind it. What lies
  /// outside the picture is left out. Control characters and invalid bytes,
  /// which names from a trace may have, become `?`.
  unsigned write(unsigned Row, unsigned Column, llvm::StringRef Text,
                 uint8_t Style = CS_Plain);

  /// Adds Style to Count cells.
  void addStyle(unsigned Row, unsigned Column, unsigned Count, uint8_t Style);

  /// The rows as lines of UTF-8, without blanks at their ends and without
  /// empty lines at the end of the picture.
  std::string text() const;

private:
  unsigned Width, Height;
  std::vector<ScreenCell> Grid;
};

/// Appends a code point as UTF-8.
void appendCodePoint(std::string &To, uint32_t CodePoint);

} // namespace memkit

#endif // MEMKIT_LIB_TERMINAL_CELLS_H
