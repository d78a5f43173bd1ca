// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules by name.

#include "memkit/Model/Rules.h"
#include "Support/Failure.h"
#include "Support/FunctionName.h"
#include "memkit/Model/TraceNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
struct RuleWord {
  StringLiteral Word;
  NameRuleKind Kind;
  unsigned Fields; ///< MatchedNames, unless the rule chooses one
  uint32_t Value;  ///< of the pattern
};
} // namespace

static constexpr RuleWord Words[] = {
    {"fold", NameRuleKind::Fold, NF_Function, 1},
    {"keep", NameRuleKind::Fold, NF_Function, 0},
    {"own", NameRuleKind::Own, NF_File | NF_Binary, 1},
    {"library", NameRuleKind::Own, NF_File | NF_Binary, 0},
    {"leak", NameRuleKind::Leak, NF_Function | NF_File | NF_Binary, 1},
    {"change", NameRuleKind::Change, NF_Function | NF_File | NF_Binary, 1},
    {"category", NameRuleKind::Category, NF_Function | NF_File | NF_Binary, 0},
    {"owner", NameRuleKind::Owner, NF_Function | NF_File | NF_Binary, 0},
    {"pool", NameRuleKind::Pool, NF_Binary, 0},
    {"forwards", NameRuleKind::Requests, NF_Binary,
     uint32_t(RequestRole::Forwards)},
    {"cache", NameRuleKind::Requests, NF_Binary, uint32_t(RequestRole::Cache)},
    {"driver", NameRuleKind::Requests, NF_Binary,
     uint32_t(RequestRole::Driver)},
    {"glue", NameRuleKind::Glue, NF_Function, 1},
    {"allocator", NameRuleKind::Allocator, NF_Function, 1},
    {"start", NameRuleKind::Start, NF_Function, 1},
    {"import", NameRuleKind::Import, NF_File, 1},
    {"interpreter", NameRuleKind::Interpreter, NF_Binary, 1},
};

static std::string knownWords() {
  std::string Text;
  for (const RuleWord &W : ArrayRef(Words).take_front(10))
    Text += (Text.empty() ? "" : ", ") + W.Word.str();
  return Text;
}

Error Rules::add(StringRef Line, bool IsUsers) {
  auto [Head, Pattern] = Line.split(':');
  auto [Word, Heap] = Head.split('(');
  auto At = find_if(Words, [&](const RuleWord &W) { return W.Word == Word; });
  bool HasHeap = Word.size() != Head.size();
  if (At == std::end(Words) || Head.size() == Line.size() ||
      (HasHeap && (At->Kind != NameRuleKind::Leak || !Heap.consume_back(")"))))
    return makeError("'" + Line + "' is not of the form KIND:PATTERN; kinds: " +
                     knownWords());
  Pattern = Pattern.trim();
  uint32_t Value = At->Value;
  if (At->Kind == NameRuleKind::Category || At->Kind == NameRuleKind::Owner ||
      At->Kind == NameRuleKind::Pool) {
    auto [Before, Name] = Pattern.split(" => ");
    if (Name.trim().empty())
      return makeError("'" + Line + "' is not of the form " + Word +
                       ":PATTERN => NAME");
    Pattern = Before.trim();
    Value = Categories.size();
    Categories.push_back(Name.trim().str());
  }
  if (!Lists[static_cast<size_t>(At->Kind)].add(Pattern, Value, At->Fields))
    return makeError("'" + Line + "' has no pattern");
  if (At->Kind == NameRuleKind::Leak)
    Leaks.push_back({Pattern.str(), Heap.str(), IsUsers});
  else if (At->Kind == NameRuleKind::Change)
    Changes.push_back(Pattern.str());
  return Error::success();
}

Error Rules::parse(StringRef Text, StringRef File, bool IsUsers) {
  unsigned Number = 0;
  for (StringRef Line : split(Text, '\n')) {
    ++Number;
    Line = Line.trim();
    if (Line.empty() || Line.starts_with("#"))
      continue;
    if (Error E = add(Line, IsUsers))
      return makeError(File + ":" + Twine(Number) + ": " +
                       toString(std::move(E)));
  }
  return Error::success();
}

Error Rules::parseFile(StringRef Path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer =
      MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/true);
  if (!Buffer)
    return makeError(Path + ": " + Buffer.getError().message());
  return parse((*Buffer)->getBuffer(), Path);
}

void Rules::addOwn(StringRef Glob) {
  // A glob with a blank or other character of rules is data, so the pattern is
  // added and not parsed.
  std::string Pattern = "^" + Glob.str() + "$";
  NamePatterns &To = Lists[static_cast<size_t>(NameRuleKind::Own)];
  To.File.add(Pattern, 1);
  To.Binary.add(Pattern, 1);
}

void Rules::addBuiltIn() {
  Error E = parse(builtInText(), "the built-in rules", /*IsUsers=*/false);
  if (E)
    report_fatal_error(std::move(E));
}

const Rules &Rules::builtIn() {
  static const Rules *Only = [] {
    auto *R = new Rules;
    R->addBuiltIn();
    return R;
  }();
  return *Only;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// A function's name without the suffixes that compilers append to names of C
/// (`f.isra.0`).
static StringRef plainName(StringRef Function) {
  size_t End = StringRef::npos;
  for (size_t I = 0; I != Function.size(); ++I) {
    char C = Function[I];
    if (C == '(' || C == '<')
      return Function;
    if (End == StringRef::npos && I && (C == '.' || C == ' '))
      End = I;
  }
  return Function.take_front(End);
}

/// A function's name without the return type, with which names of templates
/// start: what stands after the last blank before the parameters, outside of
/// `<>`. The blank of `operator new` is of the name.
static StringRef withoutReturnType(StringRef Function) {
  constexpr StringLiteral Anonymous = "(anonymous namespace)", Op = "operator";
  size_t Start = 0;
  unsigned Depth = 0;
  for (size_t I = 0; I != Function.size(); ++I) {
    char C = Function[I];
    if (C == '<')
      ++Depth;
    else if (C == '>' && Depth)
      --Depth;
    else if (Depth)
      continue;
    else if (Function.drop_front(I).starts_with(Anonymous))
      I += Anonymous.size() - 1;
    else if (C == '(')
      return I == Start ? Function : Function.drop_front(Start);
    else if (C == ' ' && Function.slice(Start, I).ends_with(Op))
      return Function.drop_front(Start);
    else if (C == ' ')
      Start = I + 1;
  }
  return Function; // without parameters: a clone of a C function
}

/// Searches the patterns in a function's name: `std::vector<T> ns::f<T>(int)`
/// is a function of ns, not of std.
static std::optional<uint32_t> findFunction(const PatternList &L,
                                            StringRef Function) {
  if (StringRef Name = withoutReturnType(Function);
      Name.size() != Function.size())
    return L.find(Name);
  return L.find(plainName(Function));
}

FunctionRole Rules::functionRole(StringRef Function) const {
  StringRef Plain = plainName(Function);
  auto Has = [&](NameRuleKind K) {
    return of(K).Function.find(Plain).has_value();
  };
  FunctionRole R;
  R.IsGlue = Has(NameRuleKind::Glue);
  R.IsAllocator = Has(NameRuleKind::Allocator);
  R.IsStart = Has(NameRuleKind::Start);
  R.IsFolded =
      findFunction(of(NameRuleKind::Fold).Function, Function).value_or(0) != 0;
  return R;
}

BinaryRole Rules::binaryRole(StringRef Path) const {
  StringRef Name = baseName(Path);
  return {of(NameRuleKind::Interpreter).Binary.find(Name).has_value(),
          of(NameRuleKind::Start).Binary.find(Name).has_value()};
}

RequestRole Rules::requestRole(StringRef Name) const {
  return RequestRole(of(NameRuleKind::Requests).Binary.find(Name).value_or(0));
}

FrameRole Rules::nativeRole(BinaryRole B, ArrayRef<FunctionRole> Functions) {
  auto All = [&](bool FunctionRole::*Is) {
    return all_of(Functions, [&](const FunctionRole &F) { return F.*Is; });
  };
  if (Functions.empty())
    return B.IsInterpreter ? FrameRole::Glue
           : B.IsStart     ? FrameRole::Start
                           : FrameRole::Program;
  if (All(&FunctionRole::IsGlue))
    return FrameRole::Glue;
  if (All(&FunctionRole::IsStart))
    return FrameRole::Start;
  if (B.IsInterpreter)
    return All(&FunctionRole::IsAllocator) ? FrameRole::Allocator
                                           : FrameRole::Interpreter;
  return All(&FunctionRole::IsFolded) ? FrameRole::Folded : FrameRole::Program;
}

FrameRole Rules::pythonRole(StringRef Function, StringRef File) const {
  if (of(NameRuleKind::Import).File.find(File))
    return FrameRole::Loader;
  return of(NameRuleKind::Fold).Function.find(Function).value_or(0) != 0
             ? FrameRole::FoldedPython
             : FrameRole::Python;
}

static std::optional<bool> isOwn(const PatternList &L, StringRef Path) {
  if (std::optional<uint32_t> Found = L.find(Path))
    return *Found != 0;
  return std::nullopt;
}

std::optional<bool> Rules::isOwnFile(StringRef Path) const {
  return isOwn(of(NameRuleKind::Own).File, Path);
}
std::optional<bool> Rules::isOwnBinary(StringRef Path) const {
  return isOwn(of(NameRuleKind::Own).Binary, Path);
}

/// The name that the first rule of a kind gives.
StringRef Rules::nameOf(NameRuleKind K, const FrameNames &F) const {
  const NamePatterns &L = of(K);
  uint32_t Best = Categories.size();
  // The name of a Python function has dots, too.
  bool HasFunctions = !L.Function.empty();
  for (std::optional<uint32_t> Found :
       {HasFunctions ? L.Function.find(F.Function) : std::nullopt,
        HasFunctions ? findFunction(L.Function, F.Function) : std::nullopt,
        L.File.find(F.File), L.Binary.find(F.Binary)})
    if (Found)
      Best = std::min(Best, *Found);
  return Best == Categories.size() ? StringRef() : Categories[Best];
}

StringRef Rules::category(const FrameNames &F) const {
  return nameOf(NameRuleKind::Category, F);
}

StringRef Rules::owner(const FrameNames &F) const {
  return nameOf(NameRuleKind::Owner, F);
}

StringRef Rules::pool(StringRef Binary) const {
  return nameOf(NameRuleKind::Pool, {"", "", Binary});
}

} // namespace memkit
