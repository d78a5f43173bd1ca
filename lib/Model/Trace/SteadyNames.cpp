// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of names that are equal in all builds.

#include "memkit/Model/SteadyNames.h"
#include "Support/FunctionName.h"
#include "memkit/Model/Trace.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace llvm;

namespace memkit {

static constexpr StringRef Digits = "0123456789";
static constexpr StringRef HexDigits = "0123456789abcdef";

static bool isCloneWord(StringRef Word) {
  return StringSwitch<bool>(Word)
      .Cases("isra", "part", "constprop", "cold", "llvm", "lto_priv", "__uniq",
             true)
      .Default(!Word.empty() &&
               Word.find_first_not_of(Digits) == StringRef::npos);
}

StringRef withoutCloneSuffix(StringRef Function) {
  // Demanglers put clone suffixes in brackets after the name.
  while (Function.ends_with("]") || Function.ends_with(")")) {
    size_t At = Function.rfind(Function.back() == ']' ? '[' : '(');
    if (At == StringRef::npos || At == 0 || Function[At - 1] != ' ')
      break;
    StringRef Inside = Function.drop_front(At + 1);
    if (!Inside.starts_with("clone ") && !Inside.starts_with("."))
      break;
    Function = Function.take_front(At - 1);
  }
  while (true) {
    // Search no farther back than the characters of a suffix reach: names are
    // long, and most have no suffix.
    size_t Dot = Function.size();
    while (Dot && (isLower(Function[Dot - 1]) || isDigit(Function[Dot - 1]) ||
                   Function[Dot - 1] == '_'))
      --Dot;
    if (Dot < 2 || Function[Dot - 1] != '.' ||
        !isCloneWord(Function.drop_front(Dot)))
      return Function;
    Function = Function.take_front(Dot - 1);
  }
}

/// The texts before and after a number that a compiler generates (0: any text
/// after).
static constexpr struct {
  StringRef Before;
  char After;
} Numbered[] = {{"#", '}'}, {"'lambda", '\''}, {"'unnamed", '\''}, {"$_", 0}};

/// The function around a comprehension: from Python 3.12 on, comprehensions are
/// no functions.
static StringRef aroundComprehension(StringRef Name) {
  while (Name.ends_with("comp>"))
    if (!(Name.consume_back(".<listcomp>") || Name.consume_back(".<setcomp>") ||
          Name.consume_back(".<dictcomp>")))
      break;
  Name.consume_back(".<locals>");
  return Name;
}

StringRef steadyFunction(StringRef Function, std::string &Room) {
  StringRef Name = aroundComprehension(withoutCloneSuffix(Function));
  std::string Rust = rustFunctionName(Name);
  bool IsRust = Rust.size() != Name.size();
  if (IsRust)
    Name = Rust;
  // Most names contain none of these characters.
  if (Name.find_first_of("#'$") == StringRef::npos) {
    if (IsRust)
      return Room = Rust;
    return Name;
  }
  Room.clear();
  while (!Name.empty()) {
    size_t Taken = 1, Number = 0;
    for (const auto &N : Numbered) {
      if (!Name.starts_with(N.Before))
        continue;
      Taken = N.Before.size();
      size_t End = Name.find_first_not_of(Digits, Taken);
      if (N.After == 0 || (End < Name.size() && Name[End] == N.After))
        Number = std::min(End, Name.size()) - Taken;
      break;
    }
    Room += Name.take_front(Taken);
    Name = Name.drop_front(Taken + Number);
  }
  return Room;
}

/// Removes the hash that auditwheel appends to the names of libraries in
/// wheels.
static StringRef withoutWheelHash(StringRef Name) {
  const size_t Hash = 8;
  auto [Stem, Rest] = Name.split('.');
  StringRef Last = Stem.take_back(Hash);
  if (Stem.size() > Hash + 1 && Stem[Stem.size() - Hash - 1] == '-' &&
      Last.find_first_not_of(HexDigits) == StringRef::npos)
    return Stem.drop_back(Hash + 1);
  return Name;
}

StringRef steadyFile(StringRef Path, std::string &Room) {
  StringRef Name = baseName(Path);
  size_t So = Name.find(".so.");
  // `perf.so.txt` is not a library.
  if (So != StringRef::npos && Name.drop_front(So + 4).find_first_not_of(
                                   "0123456789.") != StringRef::npos)
    return Name;
  bool IsLibrary = So != StringRef::npos || Name.ends_with(".so");
  if (!IsLibrary)
    return Name;
  StringRef Stem = withoutWheelHash(Name);
  if (Stem.size() == Name.size())
    return Name.take_front(So == StringRef::npos ? So : So + 3);
  Room = (Stem + ".so").str();
  return Room;
}

Error Renames::add(StringRef Text) {
  auto [From, To] = Text.split('=');
  auto Wrong = [](const Twine &What) {
    return make_error<RequestError>(RequestError::RequestErrorKind::Malformed,
                                    RequestPart{RequestField::Renames, ""},
                                    What);
  };
  if (From.empty() || To.empty())
    return Wrong(": '" + Text + "' is not OLD=NEW");
  auto [At, IsNew] = Old.try_emplace(From, To);
  if (!IsNew && At->second.Name != To)
    return Wrong(": '" + From + "' is to become '" + At->second.Name +
                 "' and '" + To + "'");
  return Error::success();
}

StringRef Renames::name(StringRef Name) const {
  auto At = Old.find(Name);
  if (At == Old.end())
    return Name;
  At->second.Used = true;
  return At->second.Name;
}

StringRef Renames::function(StringRef Name, std::string &Room) const {
  StringRef Whole = name(Name);
  if (Old.empty() || Whole.data() != Name.data())
    return Whole;
  // The longest part with a new name.
  for (size_t End = Name.size(); End-- > 1;) {
    if (Name[End] != '(' && Name[End] != '<' &&
        !Name.drop_front(End).starts_with("::"))
      continue;
    StringRef Part = Name.take_front(End), To = name(Part);
    if (To.data() == Part.data())
      continue;
    Room = (To + Name.drop_front(End)).str();
    return Room;
  }
  return Name;
}

std::vector<std::string> Renames::unused() const {
  std::vector<std::string> Names;
  for (const auto &Entry : Old)
    if (!Entry.second.Used)
      Names.push_back(Entry.first().str());
  llvm::sort(Names);
  return Names;
}

} // namespace memkit
