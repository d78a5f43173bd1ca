// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes pictures as SVG 1.1.

#include "Svg.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"
#include <algorithm>
#include <cmath>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

static constexpr StringLiteral Replacement = "\xEF\xBF\xBD", Ellipsis = "…";

/// Whether XML 1.0 forbids the character, or the character would change how a
/// viewer shows its neighbours: controls, marks of direction, noncharacters.
static bool isUnsafe(uint32_t C) {
  bool IsControl = C < 0x20 || (C >= 0x7f && C <= 0x9f);
  bool IsDirection = C == 0x061c || C == 0x200e || C == 0x200f ||
                     (C >= 0x202a && C <= 0x202e) ||
                     (C >= 0x2066 && C <= 0x2069);
  bool IsBreak = C == 0x2028 || C == 0x2029;
  return IsControl || IsDirection || IsBreak || (C & 0xfffe) == 0xfffe ||
         (C >= 0xfdd0 && C <= 0xfdef);
}

/// Takes the first character from Text. Returns its number; Text of a byte that
/// is not UTF-8 gives an unsafe character.
static uint32_t takeCharacter(StringRef &Text, StringRef &Bytes) {
  unsigned char First = Text.front();
  uint32_t Character = First;
  size_t Size = 1;
  if (First >= 0x80) {
    const auto *At = reinterpret_cast<const UTF8 *>(Text.bytes_begin());
    const UTF8 *End = At + Text.size();
    const UTF8 *Begin = At;
    if (convertUTF8Sequence(&At, End, &Character, strictConversion) ==
        conversionOK)
      Size = At - Begin;
    else
      Character = 0;
  }
  Bytes = Text.take_front(Size);
  Text = Text.drop_front(Size);
  return Character;
}

std::string xmlText(StringRef Text) {
  std::string Out;
  Out.reserve(Text.size());
  while (!Text.empty()) {
    StringRef Bytes;
    uint32_t C = takeCharacter(Text, Bytes);
    if (C == '<')
      Out += "&lt;";
    else if (C == '>')
      Out += "&gt;";
    else if (C == '&')
      Out += "&amp;";
    else if (C == '"')
      Out += "&quot;";
    else
      Out += C != '\n' && isUnsafe(C) ? StringRef(Replacement) : Bytes;
  }
  return Out;
}

std::string pictureText(StringRef Text) {
  std::string Out;
  Out.reserve(Text.size());
  while (!Text.empty()) {
    StringRef Bytes;
    uint32_t C = takeCharacter(Text, Bytes);
    if (C == '\n' || C == '\t' || C == '\r')
      Out += ' ';
    else
      Out += isUnsafe(C) ? StringRef(Replacement) : Bytes;
  }
  return Out;
}

static unsigned columnsOf(StringRef Character) {
  return std::max(0, sys::unicode::columnWidthUTF8(Character));
}

unsigned textColumns(StringRef Text) {
  unsigned Columns = 0;
  while (!Text.empty()) {
    StringRef Bytes;
    takeCharacter(Text, Bytes);
    Columns += columnsOf(Bytes);
  }
  return Columns;
}

/// The start of Text with an ellipsis, while Widths of characters sum to at
/// most Room. Least: characters that must fit.
template <class WidthT>
static std::string clip(StringRef Text, double Room, double EllipsisWidth,
                        unsigned Least, WidthT Width) {
  double Used = 0;
  size_t Fits = 0; // with the ellipsis
  unsigned Characters = 0;
  for (StringRef Rest = Text; !Rest.empty();) {
    StringRef Bytes;
    uint32_t C = takeCharacter(Rest, Bytes);
    Used += Width(C, Bytes);
    if (Used > Room) {
      if (Characters < Least)
        return "";
      return Text.take_front(Fits).rtrim().str() + Ellipsis.str();
    }
    if (Used + EllipsisWidth <= Room) {
      Fits = Text.size() - Rest.size();
      ++Characters;
    }
  }
  return Text.str();
}

std::string clipText(StringRef Text, unsigned Columns) {
  constexpr unsigned Least = 2; // and the ellipsis
  return clip(Text, Columns, 1, Least,
              [](uint32_t, StringRef Bytes) { return columnsOf(Bytes); });
}

/// Of the widest of the usual fonts (DejaVu Sans), in em.
static double sansWidth(uint32_t C, StringRef Bytes) {
  if (C >= 0x80)
    return 0.65 * std::max(1u, columnsOf(Bytes));
  if (StringRef("iljtfr.,:;'|!()[]/\\ I").contains(char(C)))
    return 0.42;
  if (StringRef("mwMW@%").contains(char(C)))
    return 1;
  return C >= 'A' && C <= 'Z' ? 0.76 : 0.64;
}

double textWidth(StringRef Text, double FontSize) {
  double Width = 0;
  while (!Text.empty()) {
    StringRef Bytes;
    uint32_t C = takeCharacter(Text, Bytes);
    Width += sansWidth(C, Bytes);
  }
  return Width * FontSize;
}

std::string clipToWidth(StringRef Text, double Width, double FontSize) {
  return clip(Text, Width / FontSize, 1, 1, sansWidth);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

std::string svgNumber(double Value) {
  auto Tenths = static_cast<int64_t>(std::llround(Value * 10));
  std::string Out = Tenths < 0 ? "-" : "";
  uint64_t Size = Tenths < 0 ? 0 - uint64_t(Tenths) : uint64_t(Tenths);
  if (Size >= 10 || Size == 0)
    Out += std::to_string(Size / 10);
  if (Size % 10)
    Out += "." + std::to_string(Size % 10);
  return Out;
}

void SvgWriter::open(StringRef Name, StringRef Class) {
  OS << '<' << Name;
  if (!Class.empty())
    OS << " class=\"" << Class << '"';
}

void SvgWriter::number(StringRef Name, double Value) {
  OS << ' ' << Name << "=\"" << svgNumber(Value) << '"';
}

// Colours that have a contrast of 4.5 or more to the texts on them.
static constexpr StringLiteral CommonStyle =
    ".memkit text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,"
    "'DejaVu Sans',sans-serif;fill:#1f2328}\n"
    ".memkit .paper{fill:#fff}\n"
    ".memkit .head{font-size:16px;font-weight:600}\n"
    ".memkit .sub{font-size:13px;font-weight:600}\n"
    ".memkit .dim{fill:#59636e}\n";
static constexpr StringLiteral CommonDark = ".memkit text{fill:#e6edf3}\n"
                                            ".memkit .paper{fill:#0d1117}\n"
                                            ".memkit .dim{fill:#9198a1}\n";

SvgWriter::SvgWriter(raw_ostream &OS, double Width, double Height,
                     StringRef Title, StringRef Style, StringRef Dark)
    : OS(OS) {
  std::string W = svgNumber(Width), H = svgNumber(Height);
  OS << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"memkit\" "
        "role=\"img\" width=\""
     << W << "\" height=\"" << H << "\" viewBox=\"0 0 " << W << ' ' << H
     << "\">\n<title>" << xmlText(Title) << "</title>\n<style>\n"
     << CommonStyle << Style << "@media (prefers-color-scheme: dark) {\n"
     << CommonDark << Dark << "}\n</style>\n";
  rect("paper", 0, 0, Width, Height);
}

void SvgWriter::end() { OS << "</svg>\n"; }

void SvgWriter::openGroup(StringRef Class, double X, double Y) {
  open("g", Class);
  if (X != 0 || Y != 0)
    OS << " transform=\"translate(" << svgNumber(X) << ',' << svgNumber(Y)
       << ")\"";
  OS << '>';
}

void SvgWriter::closeGroup() { OS << "</g>\n"; }

void SvgWriter::title(StringRef Text) {
  OS << "<title>" << xmlText(Text) << "</title>";
}

void SvgWriter::rect(StringRef Class, double X, double Y, double Width,
                     double Height) {
  open("rect", Class);
  number("x", X);
  if (Y != 0)
    number("y", Y);
  number("width", Width);
  number("height", Height);
  OS << "/>";
}

void SvgWriter::text(StringRef Class, double X, double Y, StringRef Text,
                     TextAnchor At, StringRef Note) {
  if (Text.empty())
    return;
  open("text", Class);
  number("x", X);
  number("y", Y);
  if (At != TextAnchor::Start)
    OS << " text-anchor=\"" << (At == TextAnchor::End ? "end" : "middle")
       << '"';
  OS << '>' << xmlText(Text);
  if (!Note.empty())
    OS << R"(<tspan class="v" dx="6">)" << xmlText(Note) << "</tspan>";
  OS << "</text>";
}

void SvgWriter::line(StringRef Class, double X1, double Y1, double X2,
                     double Y2) {
  open("line", Class);
  number("x1", X1);
  number("y1", Y1);
  number("x2", X2);
  number("y2", Y2);
  OS << "/>\n";
}

void SvgWriter::circle(StringRef Class, double X, double Y, double Radius) {
  open("circle", Class);
  number("cx", X);
  number("cy", Y);
  number("r", Radius);
  OS << "/>\n";
}

void SvgWriter::path(StringRef Class, StringRef D) {
  open("path", Class);
  OS << " d=\"" << D << "\"/>\n";
}

} // namespace memkit
