// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortens demangled names for people.

#include "FunctionName.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

namespace {

constexpr StringRef Anonymous = "(anonymous namespace)";
/// Template arguments up to this length are kept.
constexpr size_t ShortArguments = 12;

/// Scans a demangled name once and copies the parts to keep.
class Shortener {
public:
  explicit Shortener(StringRef Name) : Left(Name) {}

  /// False if the brackets do not match.
  bool run() {
    while (!Left.empty())
      if (!step())
        return false;
    return !Out.empty();
  }
  std::string take() { return std::move(Out); }

private:
  bool step() {
    if (takeOperator() || takePrefix(Anonymous))
      return true;
    char C = Left.front();
    if (C == '(' && StringRef(Out).ends_with("."))
      return takeReceiver();
    if (C == '<' || C == '(')
      return takeGroup(C);
    if (C == ' ') {
      // A blank ends the return type; after the parameters only qualifiers
      // follow.
      if (HadParameters)
        Left = StringRef();
      else
        Out.clear(), Left = Left.drop_front();
      return true;
    }
    if (C == ')' || C == '>')
      return false;
    Out += C;
    Left = Left.drop_front();
    return true;
  }

  bool takePrefix(StringRef P) {
    if (!Left.consume_front(P))
      return false;
    Out += P;
    return true;
  }

  /// Takes `operator` and the operator's symbol, including brackets and blanks.
  bool takeOperator() {
    bool AtStart = Out.empty() || !isAlnum(Out.back());
    StringRef After = Left;
    if (!AtStart || !After.consume_front("operator") || After.empty() ||
        isAlnum(After.front()) || After.front() == '_')
      return false;
    size_t End = After.starts_with("()") ? After.find('(', 2) : After.find('(');
    StringRef Symbol = After.take_front(End);
    // The arguments of a template operator precede its parameters.
    if (Symbol.size() > 3 && !isAlpha(Symbol.front()) && Symbol.front() != ' ')
      Symbol = Symbol.take_front(Symbol.find('<', 2));
    Out += "operator";
    Out += Symbol;
    Left = After.drop_front(Symbol.size());
    return true;
  }

  /// Takes `(*mheap)` of Go's `runtime.(*mheap).grow`.
  bool takeReceiver() {
    size_t End = Left.find(')');
    Out += Left.take_front(End == StringRef::npos ? End : End + 1);
    Left = Left.drop_front(std::min(End, Left.size() - 1) + 1);
    return true;
  }

  /// Takes the bracketed group at the front: template arguments or parameters.
  bool takeGroup(char Open) {
    size_t End = groupEnd();
    if (End == StringRef::npos)
      return false;
    StringRef Inside = Left.slice(1, End - 1);
    StringRef Rest = Left.drop_front(End);
    if (Open == '<') {
      Out += Inside.size() <= ShortArguments ? ("<" + Inside + ">").str()
                                             : "<...>";
    } else {
      HadParameters = !Rest.starts_with("::");
    }
    Left = Rest;
    return true;
  }

  /// The position after the bracket that closes the group at the front; npos if
  /// the brackets do not match. Comparisons in template arguments are
  /// recognized in parentheses only.
  size_t groupEnd() const {
    SmallVector<char, 16> Open;
    for (size_t I = 0; I != Left.size(); ++I) {
      char C = Left[I];
      if (C == '>' && I && Left[I - 1] == '-')
        continue;
      if (C == '<' || C == '(') {
        Open.push_back(C == '<' ? '>' : ')');
      } else if (C == '>' || C == ')') {
        // In parentheses, an unmatched `>` is an operator.
        if (C == '>' && Open.back() == ')')
          continue;
        while (C == ')' && Open.back() == '>' && Open.size() > 1)
          Open.pop_back();
        if (Open.back() != C)
          return StringRef::npos;
        Open.pop_back();
        if (Open.empty())
          return I + 1;
      }
    }
    return StringRef::npos;
  }

  StringRef Left;
  std::string Out;
  bool HadParameters = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Rust
//===----------------------------------------------------------------------===//

/// Removes `::h` and 16 hexadecimal digits from the end.
static bool consumeRustHash(StringRef &Name) {
  const size_t Digits = 16;
  StringRef Hash = Name.take_back(Digits);
  StringRef Rest = Name.drop_back(Hash.size());
  if (Hash.size() != Digits || !Rest.consume_back("::h") || Rest.empty() ||
      Hash.find_first_not_of("0123456789abcdef") != StringRef::npos)
    return false;
  Name = Rest;
  return true;
}

/// The text for an escape between two dollar signs; empty if Rust has no such
/// escape.
static std::string rustEscape(StringRef Code) {
  static constexpr std::pair<StringRef, StringRef> Escapes[] = {
      {"SP", "@"}, {"BP", "*"}, {"RF", "&"}, {"LT", "<"},
      {"GT", ">"}, {"LP", "("}, {"RP", ")"}, {"C", ","}};
  for (auto [Escape, Text] : Escapes)
    if (Code == Escape)
      return Text.str();
  unsigned Letter;
  // Names contain no control characters, and letters beyond ASCII are rare.
  if (Code.consume_front("u") && to_integer(Code, Letter, 16) &&
      Letter >= ' ' && Letter < 0x7f)
    return std::string(1, char(Letter));
  return "";
}

std::string rustFunctionName(StringRef Name) {
  if (!consumeRustHash(Name))
    return Name.str();
  std::string Out;
  while (!Name.empty()) {
    bool AtStart = Out.empty() || StringRef(Out).ends_with("::");
    if (AtStart && Name.starts_with("_$"))
      Name = Name.drop_front();
    if (Name.consume_front("..")) {
      Out += "::";
      continue;
    }
    if (Name.front() == '$') {
      size_t End = Name.find('$', 1);
      std::string Text =
          End == StringRef::npos ? "" : rustEscape(Name.slice(1, End));
      if (!Text.empty()) {
        Out += Text;
        Name = Name.drop_front(End + 1);
        continue;
      }
    }
    Out += Name.front();
    Name = Name.drop_front();
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

std::string shortFunctionName(StringRef Name) {
  if (StringRef Rust = Name; consumeRustHash(Rust))
    return shortFunctionName(rustFunctionName(Name));
  // Of the symbol names only C++ names contain these characters; `obj+0x10`,
  // paths and Python names do not.
  if (Name.find_first_of("(<") == StringRef::npos || Name.starts_with("<"))
    return Name.str();
  Shortener S(Name);
  return S.run() ? S.take() : Name.str();
}

} // namespace memkit
