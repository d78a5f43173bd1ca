// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes pictures as SVG 1.1, and measures their texts.
//
// A picture has no script and refers to nothing outside itself, so a page may
// show the picture with <img>. Coordinates are pixels from the top left corner.

#ifndef MEMKIT_LIB_EXPORT_SVG_H
#define MEMKIT_LIB_EXPORT_SVG_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>

namespace memkit {

/// Any bytes as text of an XML 1.0 document: valid UTF-8, with `<`, `>`, `&`
/// and `"` escaped. Each byte that is not UTF-8, each control character but a
/// line feed, and each character that changes the direction of text becomes
/// U+FFFD.
std::string xmlText(llvm::StringRef Text);

/// Text as a picture shows the text: in one line, and characters as in
/// xmlText(), not escaped yet.
std::string pictureText(llvm::StringRef Text);

/// The columns of Text (a pictureText()) in a font of fixed width: 2 for a wide
/// character.
unsigned textColumns(llvm::StringRef Text);
/// The start of Text (a pictureText()) with `…`, within Columns columns. Text
/// itself if Text fits, and nothing if fewer than 3 characters fit.
std::string clipText(llvm::StringRef Text, unsigned Columns);
/// An upper bound of the width of Text (a pictureText()) in pixels, in a sans
/// serif font of FontSize pixels.
double textWidth(llvm::StringRef Text, double FontSize);
/// The start of Text with `…`, within Width pixels in the font of textWidth().
std::string clipToWidth(llvm::StringRef Text, double Width, double FontSize);

enum class TextAnchor : uint8_t { Start, Middle, End };

/// Writes the elements of a picture. Classes are names of the style; an empty
/// class is left out. Texts are any bytes.
class SvgWriter {
public:
  /// Title: for people who cannot see the picture. Style: the rules for classes
  /// below `.memkit`, added to the usual ones. Dark: the same for dark pages.
  SvgWriter(llvm::raw_ostream &OS, double Width, double Height,
            llvm::StringRef Title, llvm::StringRef Style, llvm::StringRef Dark);
  /// Ends the picture. All groups are closed.
  void end();

  void openGroup(llvm::StringRef Class, double X = 0, double Y = 0);
  void closeGroup();
  /// The text that a browser shows for the group below the pointer.
  void title(llvm::StringRef Text);
  void rect(llvm::StringRef Class, double X, double Y, double Width,
            double Height);
  /// Note: a text of class `v` after Text.
  void text(llvm::StringRef Class, double X, double Y, llvm::StringRef Text,
            TextAnchor At = TextAnchor::Start, llvm::StringRef Note = "");
  void line(llvm::StringRef Class, double X1, double Y1, double X2, double Y2);
  void circle(llvm::StringRef Class, double X, double Y, double Radius);
  /// D: the commands of the path.
  void path(llvm::StringRef Class, llvm::StringRef D);

private:
  void open(llvm::StringRef Name, llvm::StringRef Class);
  void number(llvm::StringRef Name, double Value);

  llvm::raw_ostream &OS;
};

/// A number with at most one decimal, in as few characters as possible.
std::string svgNumber(double Value);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SVG_H
