// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which places of two versions of a program are the same.

#include "PlaceMatcher.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
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

/// Pairs functions of one name in two files, if there is one in each run.
void PlaceMatcher::pairNames() {
  StringMap<SmallVector<SharedFunction *, 1>> Others;
  StringMap<unsigned> Own;
  std::vector<RunFunction *> Left = leftOfMine();
  if (Left.empty())
    return;
  for (SharedFunction *F : leftOfShared())
    Others[F->Function].push_back(F);
  for (RunFunction *F : Left)
    ++Own[F->Function];
  for (RunFunction *F : Left) {
    auto At = Others.find(F->Function);
    if (At == Others.end() || At->second.size() != 1 || Own[F->Function] != 1)
      continue;
    F->Of = At->second.front();
    align(*F);
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
    if (!F->Of && Taken.insert(Other).second) {
      F->Of = Other;
      align(*F);
    }
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
    SharedFunction &Of =
        F.Of ? *F.Of
             : Shared.try_emplace(Name, SharedFunction{F.Function, F.File, {}})
                   .first->second;
    bool HasNew = false;
    // What is no line is one place.
    if (F.File.empty()) {
      if (Of.Lines.empty())
        Of.Lines.push_back(
            {F.Lines.front().Text, Run, F.Lines.front().Place, Count++});
      for (const RunLine &L : F.Lines)
        Numbers[L.Place] = Of.Lines.front().Number;
      continue;
    }
    for (const RunLine &L : F.Lines) {
      Numbers[L.Place] = L.Number ? *L.Number : Count;
      if (L.Number)
        continue;
      Of.Lines.push_back({L.Text, Run, L.Place, Count++});
      HasNew = true;
    }
    if (HasNew)
      stable_sort(Of.Lines, [](const SharedPlace &A, const SharedPlace &B) {
        return A.Text.Line < B.Text.Line;
      });
  }
}

std::vector<uint32_t> PlaceMatcher::add(uint32_t Run,
                                        ArrayRef<ComparedPlace> All) {
  std::vector<std::string> Names;
  Names.reserve(All.size());
  for (const ComparedPlace &P : All)
    Names.push_back(P.Function + '\0' + P.File);
  Mine.clear();
  for (uint32_t Id = 0; Id != All.size(); ++Id) {
    RunFunction &F = Mine[Names[Id]];
    F.Function = All[Id].Function;
    F.File = All[Id].File;
    F.Lines.push_back({All[Id].Text, Id, std::nullopt});
  }
  IsTaken.clear();
  IsTaken.resize(Count);
  for (auto &[Name, F] : Mine) {
    stable_sort(F.Lines, [](const RunLine &A, const RunLine &B) {
      return A.Text.Line < B.Text.Line;
    });
    if (auto At = Shared.find(Name); At != Shared.end() && !F.File.empty()) {
      F.Of = &At->second;
      align(F);
    }
  }
  pairNames();
  pairTexts();
  pairLines();
  std::vector<uint32_t> Numbers(All.size());
  number(Run, Numbers);
  Mine.clear();
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
