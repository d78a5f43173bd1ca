// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes text as a CSV field.

#include "CsvField.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace memkit {

static constexpr StringLiteral CellEnds(";\t\r\n");

/// Whether a spreadsheet takes a cell with Text for a formula: the characters
/// of OWASP's guide, and their wide forms, which count in some languages.
static bool startsFormula(StringRef Text) {
  constexpr StringLiteral Plain("=+-@\t\r\n");
  if (Text.empty() || Plain.contains(Text[0]))
    return !Text.empty();
  return Text[0] == '\xef' && (Text.starts_with("\xef\xbc\x9d") || // =
                               Text.starts_with("\xef\xbc\x8b") || // +
                               Text.starts_with("\xef\xbc\x8d") || // -
                               Text.starts_with("\xef\xbc\xa0"));  // @
}

/// Where the first formula of Text starts; npos: there is none. Where lists are
/// separated with semicolons in the user's language, so are the cells of a
/// table: each part of a path would be a cell.
static size_t formulaIn(StringRef Text) {
  for (size_t At = 0;;) {
    if (startsFormula(Text.drop_front(At)))
      return At;
    At = Text.find_first_of(CellEnds, At);
    if (At == StringRef::npos)
      return At;
    ++At;
  }
}

static std::string withoutFormulas(StringRef Text) {
  std::string Out;
  for (size_t At; (At = formulaIn(Text)) != StringRef::npos;) {
    size_t Next = std::min(Text.find_first_of(CellEnds, At), Text.size() - 1);
    Out += (Text.take_front(At) + "'" + Text.slice(At, Next + 1)).str();
    Text = Text.drop_front(Next + 1);
  }
  return Out + Text.str();
}

void printField(raw_ostream &OS, StringRef Text) {
  std::string Guarded;
  if (formulaIn(Text) != StringRef::npos)
    Text = Guarded = withoutFormulas(Text);
  if (Text.find_first_of(",\"\r\n") == StringRef::npos) {
    OS << Text;
    return;
  }
  OS << '"';
  for (char C : Text)
    OS << (C == '"' ? "\"\"" : StringRef(&C, 1));
  OS << '"';
}

} // namespace memkit
