// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line of the text form, taken apart.

#include "Line.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit::tracetext {

namespace {

class LineLexer {
public:
  LineLexer(StringRef Text, Line &Out, TextError &E)
      : Rest(Text), Out(Out), E(E) {}

  bool run() {
    while (skipBlanks()) {
      if (!Rest.empty() && !item())
        return false;
    }
    return true;
  }

private:
  /// True when more text follows before the end or a comment.
  bool skipBlanks() {
    Rest = Rest.ltrim(" \t\r");
    return !Rest.empty() && Rest[0] != ';';
  }

  bool item() {
    Value V;
    if (Rest[0] == '[' && !Out.Values.empty())
      return E.set(Rest.data(), "a list needs a name: `name=[...]`");
    if (!value(V))
      return false;
    if (Rest.empty() || Rest[0] != '=') {
      if (!Out.Fields.empty())
        return E.set(V.loc(),
                     "a value without a name stands before the fields");
      Out.Values.push_back(std::move(V));
      return true;
    }
    if (V.K != Value::Word)
      return E.set(V.loc(), "a field's name is a word");
    if (Out.Values.empty())
      return E.set(V.loc(), "a line begins with a word, not with a field");
    return field(V);
  }

  bool field(const Value &Name) {
    for (const Field &F : Out.Fields)
      if (F.Name == Name.Spelling)
        return E.set(Name.loc(), ("`" + F.Name + "` is given twice").str());
    Rest = Rest.drop_front();
    Field F;
    F.Name = Name.Spelling;
    if (Rest.empty() || isSpace(Rest[0]) || Rest[0] == ';')
      return E.set(Rest.data(), ("`" + F.Name + "=` has no value").str());
    if (Rest[0] == '[' ? !list(F.V) : !value(F.V))
      return false;
    Out.Fields.push_back(std::move(F));
    return true;
  }

  bool value(Value &V) {
    if (Rest[0] == '"')
      return string(V);
    V.Spelling = Rest.take_until(
        [](char C) { return isSpace(C) || StringRef("\"[]=;").contains(C); });
    if (V.Spelling.empty())
      return E.set(Rest.data(),
                   (Twine("unexpected `") + Rest.substr(0, 1) + "`").str());
    Rest = Rest.drop_front(V.Spelling.size());
    return true;
  }

  bool list(Value &V) {
    V.K = Value::List;
    V.Spelling = Rest.take_front();
    V.FirstItem = Out.Items.size();
    Rest = Rest.drop_front();
    for (;;) {
      if (!skipBlanks())
        return E.set(V.loc(), "the list has no `]`");
      if (Rest[0] == ']')
        break;
      Value Item;
      if (!value(Item))
        return false;
      Out.Items.push_back(std::move(Item));
    }
    V.NumItems = Out.Items.size() - V.FirstItem;
    Rest = Rest.drop_front();
    return true;
  }

  bool string(Value &V) {
    V.K = Value::String;
    const char *Quote = Rest.data();
    Rest = Rest.drop_front();
    const char *Begin = Rest.data();
    while (!Rest.empty() && Rest[0] != '"') {
      char C = Rest[0];
      Rest = Rest.drop_front();
      if (C == '\\' && !escape(C))
        return false;
      V.Text.push_back(C);
    }
    if (Rest.empty())
      return E.set(Quote, "the string has no closing quote");
    V.Spelling = StringRef(Begin, Rest.data() - Begin);
    Rest = Rest.drop_front();
    return true;
  }

  /// Reads what follows a backslash.
  bool escape(char &C) {
    const char *Loc = Rest.data() - 1;
    char K = Rest.empty() ? 0 : Rest[0];
    Rest = Rest.drop_front(Rest.empty() ? 0 : 1);
    switch (K) {
    case '\\':
    case '"':
      C = K;
      return true;
    case 'n':
      C = '\n';
      return true;
    case 't':
      C = '\t';
      return true;
    case 'x':
      if (Rest.size() >= 2 && isHexDigit(Rest[0]) && isHexDigit(Rest[1])) {
        C = char(hexFromNibbles(Rest[0], Rest[1]));
        Rest = Rest.drop_front(2);
        return true;
      }
      return E.set(Loc, "`\\x` needs two hexadecimal digits");
    default:
      return E.set(Loc, "unknown escape; known are \\\\ \\\" \\n \\t \\xHH");
    }
  }

  StringRef Rest;
  Line &Out;
  TextError &E;
};

} // namespace

bool Line::parse(StringRef Text, TextError &E) {
  Values.clear();
  Fields.clear();
  Items.clear();
  End = Text.end();
  return LineLexer(Text, *this, E).run();
}

} // namespace memkit::tracetext
