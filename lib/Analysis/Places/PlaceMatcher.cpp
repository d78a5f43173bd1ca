// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of two versions of a program are the same.

#include "PlaceMatcher.h"
#include "Support/FunctionName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <tuple>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

/// A line's text without blanks; empty: too short to recognise the line.
static std::string textKey(StringRef Source) {
  constexpr size_t MinLetters = 8;
  std::string Out;
  for (char C : Source)
    if (!isSpace(C))
      Out += C;
  return Out.size() < MinLetters ? std::string() : Out;
}

/// The name without namespaces and classes. The arguments of templates have
/// names, too.
static StringRef withoutScope(StringRef Function) {
  StringRef Name = Function.take_until([](char C) { return C == '('; });
  unsigned Depth = 0;
  for (size_t I = Name.size(); I-- != 0;) {
    if (Name[I] == '>')
      ++Depth;
    else if (Name[I] == '<' && Depth)
      --Depth;
    else if (!Depth && (Name[I] == ':' || Name[I] == '.'))
      return Name.drop_front(I + 1);
  }
  return Name;
}

/// The name with neither parameters nor arguments of templates: of the
/// overloads of a function, and of all instances of a template.
static std::string familyName(StringRef Function) {
  auto [Kind, Name] = Function.split('\0');
  std::string Out;
  unsigned Depth = 0;
  for (char C : shortFunctionName(Name.empty() ? Kind : Name)) {
    Depth += C == '<';
    if (!Depth)
      Out += C;
    Depth -= C == '>' && Depth;
  }
  return Out;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Pairs lines that are not paired yet with the lines of the function's
/// counterpart.
void PlaceMatcher::align(RunFunction &F) {
  auto TextOf = [](const auto &L) { return L.Text; };
  auto Counterparts = alignLines(map_to_vector<8>(F.Lines, TextOf),
                                 map_to_vector<8>(F.Of->Lines, TextOf));
  for (size_t I = 0; I != F.Lines.size(); ++I)
    if (Counterparts[I]) {
      F.Lines[I].Number = F.Of->Lines[*Counterparts[I]].Number;
      IsTaken.set(*F.Lines[I].Number);
    }
}

void PlaceMatcher::pair(RunFunction &F, SharedFunction &Other) {
  F.Of = &Other;
  align(F);
}

std::vector<PlaceMatcher::RunFunction *> PlaceMatcher::leftOfMine() {
  std::vector<RunFunction *> Out;
  for (auto &[Name, F] : Mine)
    if (!F.Of && !F.File.empty())
      Out.push_back(&F);
  return Out;
}

/// The functions that the run lacks so far.
std::vector<PlaceMatcher::SharedFunction *> PlaceMatcher::leftOfShared() {
  SmallPtrSet<const SharedFunction *, 16> Taken;
  for (auto &[Name, F] : Mine)
    Taken.insert(F.Of);
  std::vector<SharedFunction *> Out;
  for (auto &Entry : Shared)
    if (SharedFunction &F = Entry.second;
        !F.File.empty() && !Taken.contains(&F))
      Out.push_back(&F);
  llvm::sort(Out, [](const SharedFunction *A, const SharedFunction *B) {
    return std::tie(A->Function, A->File) < std::tie(B->Function, B->File);
  });
  return Out;
}

/// Pairs functions of one name, if there is one in each run.
void PlaceMatcher::pairNames(function_ref<std::string(StringRef)> NameOf) {
  std::vector<RunFunction *> Left = leftOfMine();
  if (Left.empty())
    return;
  StringMap<SmallVector<SharedFunction *, 1>> Others;
  StringMap<unsigned> Own;
  for (SharedFunction *F : leftOfShared())
    Others[NameOf(F->Function)].push_back(F);
  for (RunFunction *F : Left)
    ++Own[NameOf(F->Function)];
  for (RunFunction *F : Left) {
    std::string Name = NameOf(F->Function);
    auto At = Others.find(Name);
    if (At != Others.end() && At->second.size() == 1 && Own[Name] == 1)
      pair(*F, *At->second.front());
  }
}

/// Pairs functions with lines of the same text.
void PlaceMatcher::pairTexts() {
  std::vector<RunFunction *> Left = leftOfMine();
  if (Left.empty())
    return;
  std::vector<SharedFunction *> Others = leftOfShared();
  // A text of several functions tells nothing.
  StringMap<int64_t> FunctionOf;
  constexpr int64_t Several = -1;
  for (size_t I = 0; I != Others.size(); ++I)
    for (const SharedPlace &L : Others[I]->Lines)
      if (std::string Key = textKey(L.Text.Source); !Key.empty())
        if (auto [At, New] = FunctionOf.try_emplace(Key, int64_t(I));
            !New && At->second != int64_t(I))
          At->second = Several;
  std::vector<std::tuple<size_t, RunFunction *, SharedFunction *>> Pairs;
  for (RunFunction *F : Left) {
    std::map<int64_t, size_t> Equal;
    for (const RunLine &L : F->Lines)
      if (auto At = FunctionOf.find(textKey(L.Text.Source));
          At != FunctionOf.end() && At->second != Several)
        ++Equal[At->second];
    for (auto [I, Lines] : Equal) {
      bool IsName =
          withoutScope(F->Function) == withoutScope(Others[I]->Function);
      Pairs.push_back({2 * Lines + IsName, F, Others[I]});
    }
  }
  stable_sort(Pairs, [](const auto &A, const auto &B) {
    return std::get<0>(A) > std::get<0>(B);
  });
  SmallPtrSet<SharedFunction *, 16> Taken;
  for (auto [Score, F, Other] : Pairs)
    if (!F->Of && Taken.insert(Other).second)
      pair(*F, *Other);
}

/// What the lines with a counterpart call.
MapVector<const PlaceMatcher::RunLine *, PlaceMatcher::Callees>
PlaceMatcher::calleesOf(ArrayRef<LineCall> Calls) {
  MapVector<const RunLine *, Callees> Out;
  for (const LineCall &C : Calls) {
    RunFunction *Callee = FunctionOf[C.Callee];
    if (!LineOf[C.Line]->Number || Callee->File.empty())
      continue;
    Callees &Of = Out[LineOf[C.Line]];
    if (Callee->Of)
      Of.Paired.insert(Callee->Of);
    else
      Of.Left.insert(Callee);
  }
  return Out;
}

/// Pairs functions that the same line calls. Returns whether there were any.
bool PlaceMatcher::pairCalls(ArrayRef<LineCall> Calls) {
  constexpr double MinLikeness = 0.5; // below, a line may do another thing
  bool HasPairs = false;
  for (auto &[Line, Of] : calleesOf(Calls)) {
    auto At = Called.find(*Line->Number);
    if (At == Called.end() || Of.Left.size() != 1 || Of.Left.front()->Of ||
        lineLikeness(Line->Text.Source, Sources[*Line->Number]) < MinLikeness)
      continue;
    SharedFunction *Other = nullptr;
    unsigned Others = 0;
    for (SharedFunction *F : At->second)
      if (!Of.Paired.contains(F) && ++Others)
        Other = F;
    if (Others != 1)
      continue;
    pair(*Of.Left.front(), *Other);
    HasPairs = true;
  }
  return HasPairs;
}

/// Pairs lines of the same text, if each run has one such line without a
/// counterpart.
void PlaceMatcher::pairLines() {
  struct LinesOfText {
    RunLine *Mine = nullptr;
    const SharedPlace *Other = nullptr;
    unsigned OfMine = 0, OfOthers = 0;
  };
  std::map<std::string, LinesOfText> ByText;
  for (auto &[Name, F] : Mine)
    for (RunLine &L : F.Lines)
      if (std::string Key = textKey(L.Text.Source); !L.Number && !Key.empty()) {
        LinesOfText &Of = ByText[Key];
        Of.Mine = &L;
        ++Of.OfMine;
      }
  if (ByText.empty())
    return;
  for (const auto &Entry : Shared)
    for (const SharedPlace &L : Entry.second.Lines)
      if (!IsTaken.test(L.Number))
        if (auto At = ByText.find(textKey(L.Text.Source)); At != ByText.end()) {
          At->second.Other = &L;
          ++At->second.OfOthers;
        }
  for (auto &[Text, Of] : ByText)
    if (Of.OfMine == 1 && Of.OfOthers == 1) {
      Of.Mine->Number = Of.Other->Number;
      IsTaken.set(Of.Other->Number);
    }
}

/// Numbers the lines of the run, the new ones after all others.
void PlaceMatcher::number(uint32_t Run, std::vector<uint32_t> &Numbers) {
  for (auto &[Name, F] : Mine) {
    if (!F.Of)
      F.Of = &Shared
                  .try_emplace(Name, SharedFunction{F.Function,
                                                    F.File,
                                                    F.Key,
                                                    uint32_t(Shared.size()),
                                                    {}})
                  .first->second;
    SharedFunction &Of = *F.Of;
    bool HasNew = false;
    // What is no line is one place.
    if (F.File.empty()) {
      if (Of.Lines.empty())
        Of.Lines.push_back(
            {F.Lines.front().Text, Run, F.Lines.front().Places[0], Count++});
      for (const RunLine &L : F.Lines)
        for (uint32_t Place : L.Places)
          Numbers[Place] = Of.Lines.front().Number;
      continue;
    }
    for (const RunLine &L : F.Lines) {
      for (uint32_t Place : L.Places)
        Numbers[Place] = L.Number.value_or(Count);
      if (L.Number)
        continue;
      Of.Lines.push_back({L.Text, Run, L.Places[0], Count++});
      HasNew = true;
    }
    if (HasNew)
      stable_sort(Of.Lines, [](const SharedPlace &A, const SharedPlace &B) {
        return A.Text.Line < B.Text.Line;
      });
  }
}

/// Keeps the calls of the run for the runs before.
void PlaceMatcher::keepCalls(ArrayRef<LineCall> Calls,
                             ArrayRef<uint32_t> Numbers) {
  Sources.resize(Count);
  for (const auto &[Name, F] : Mine)
    for (const RunLine &L : F.Lines)
      if (StringRef &Source = Sources[Numbers[L.Places[0]]]; Source.empty())
        Source = L.Text.Source;
  for (const LineCall &C : Calls)
    if (SharedFunction *Callee = FunctionOf[C.Callee]->Of;
        !Callee->File.empty())
      Called[Numbers[C.Line]].insert(Callee);
}

/// Notes where the places of the run are.
void PlaceMatcher::locate(uint32_t Places) {
  FunctionOf.assign(Places, nullptr);
  LineOf.assign(Places, nullptr);
  for (auto &[Name, F] : Mine)
    for (RunLine &L : F.Lines)
      for (uint32_t Place : L.Places) {
        FunctionOf[Place] = &F;
        LineOf[Place] = &L;
      }
}

/// Sorts the lines of a function, and makes one line of those with one number.
void PlaceMatcher::sortLines(RunFunction &F) {
  stable_sort(F.Lines, [](const RunLine &A, const RunLine &B) {
    return A.Text.Line < B.Text.Line;
  });
  std::vector<RunLine> Sorted;
  for (RunLine &L : F.Lines)
    if (!Sorted.empty() && Sorted.back().Text.Line == L.Text.Line)
      Sorted.back().Places.append(L.Places);
    else
      Sorted.push_back(std::move(L));
  F.Lines = std::move(Sorted);
}

std::vector<uint32_t> PlaceMatcher::add(uint32_t Run,
                                        ArrayRef<ComparedPlace> All,
                                        ArrayRef<LineCall> Calls) {
  Mine.clear();
  Names.clear();
  for (const ComparedPlace &P : All)
    Names.push_back(P.Function + '\0' + P.File);
  for (uint32_t Id = 0; Id != All.size(); ++Id) {
    RunFunction &F = Mine[Names[Id]];
    F.Function = All[Id].Function;
    F.File = All[Id].File;
    F.Key = All[Id].FunctionKey;
    F.Lines.push_back({All[Id].Text, {Id}, std::nullopt});
  }
  IsTaken.clear();
  IsTaken.resize(Count);
  for (auto &[Name, F] : Mine) {
    sortLines(F);
    if (auto At = Shared.find(Name); At != Shared.end() && !F.File.empty())
      pair(F, At->second);
  }
  locate(All.size());
  pairNames([](StringRef Function) { return Function.str(); });
  pairNames(familyName);
  pairTexts();
  // The lines of a new pair may call functions that then are a pair: a helper
  // of a helper, and not without an end.
  constexpr unsigned MaxTurns = 16;
  for (unsigned Turn = 0; Turn != MaxTurns && pairCalls(Calls);)
    ++Turn;
  pairLines();
  std::vector<uint32_t> Numbers(All.size());
  number(Run, Numbers);
  keepCalls(Calls, Numbers);
  return Numbers;
}

std::vector<uint64_t> PlaceMatcher::functionKeys() const {
  std::vector<uint64_t> Keys;
  for (const RunFunction *F : FunctionOf)
    Keys.push_back(F->Of->Key);
  return Keys;
}

std::vector<uint32_t> PlaceMatcher::functionNumbers() const {
  std::vector<uint32_t> Numbers;
  for (const RunFunction *F : FunctionOf)
    Numbers.push_back(F->Of->Number);
  return Numbers;
}

std::vector<SharedPlace> PlaceMatcher::byNumber() const {
  std::vector<SharedPlace> All(Count);
  for (const auto &Entry : Shared)
    for (const SharedPlace &P : Entry.second.Lines)
      All[P.Number] = P;
  return All;
}

} // namespace memkit
