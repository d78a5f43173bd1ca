// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dictionary sections to FlatBuffers.

#include "Encode.h"

using namespace memkit;
using namespace llvm;
using flatbuffers::Offset;

Offset<fb::Strings> Encoder::encodeStrings(const std::vector<std::string> &V) {
  size_t Size = 0;
  for (const std::string &S : V)
    Size += S.size();
  std::vector<uint8_t> All;
  All.reserve(Size);
  for (const std::string &S : V)
    All.insert(All.end(), S.begin(), S.end());
  auto Text = bytes(All);
  auto Length = column(V, [](const std::string &S) { return S.size(); });
  return fb::CreateStrings(B, Text, uint32_t(V.size()), Length);
}

Offset<fb::StackTree> Encoder::encodeStacks(const Dictionary &D) {
  NewRows.clear();
  Tree.encode(D.Stacks, NewRows);
  auto Pops = bytes(NewRows.Pops);
  auto FarParent = planes(ArrayRef<uint32_t>(NewRows.FarParent));
  auto Length = bytes(NewRows.Length);
  auto FarLength = planes(ArrayRef<uint32_t>(NewRows.FarLength));
  auto Frame = planes(ArrayRef<uint32_t>(D.NodeFrames));
  return fb::CreateStackTree(B, uint32_t(D.Stacks.size()), Pops, FarParent,
                             Length, FarLength, uint32_t(D.NodeFrames.size()),
                             Frame);
}

Offset<fb::Symbols> Encoder::encodeSymbols(const std::vector<FrameSymbols> &V) {
  std::vector<uint8_t> Depths;
  std::vector<Location> All;
  for (const FrameSymbols &S : V) {
    Depths.push_back(uint8_t(S.Locations.size()));
    All.insert(All.end(), S.Locations.begin(), S.Locations.end());
  }
  auto Frame = differences(V, [](const FrameSymbols &S) { return S.Frame; });
  auto Depth = bytes(Depths);
  auto Function = column(All, [](const Location &L) { return L.Function; });
  auto Line = column(All, [](const Location &L) { return L.Line; });
  return fb::CreateSymbols(B, uint32_t(V.size()), Frame, Depth,
                           uint32_t(All.size()), Function, Line);
}

Bytes Encoder::encode(const Dictionary &D) {
  begin();
  Off<fb::Strings> Strings;
  if (!D.Strings.empty())
    Strings = encodeStrings(D.Strings);
  std::vector<Off<fb::Device>> Devices;
  for (const Device &X : D.Devices) {
    auto Uuid = B.CreateVector(X.Uuid);
    auto Pci = B.CreateString(X.Pci);
    auto Name = B.CreateString(X.Name);
    auto Space = B.CreateString(X.Space);
    Devices.push_back(fb::CreateDevice(B, Uuid, Pci, Name, Space, X.Bytes));
  }
  std::vector<Off<fb::Binary>> Binaries;
  for (const Binary &X : D.Binaries)
    Binaries.push_back(fb::CreateBinary(B, X.Path, B.CreateVector(X.BuildId)));
  Off<fb::Functions> Functions;
  if (!D.Functions.empty()) {
    const auto &V = D.Functions;
    auto Name = differences(V, [](const Function &F) { return F.Name; });
    auto File = differences(V, [](const Function &F) { return F.File; });
    auto Line = column(V, [](const Function &F) { return F.Line; });
    Functions = fb::CreateFunctions(B, uint32_t(V.size()), Name, File, Line);
  }
  Off<fb::Frames> Frames;
  if (!D.Frames.empty()) {
    const auto &V = D.Frames;
    std::vector<uint8_t> Kinds;
    for (const Frame &F : V)
      Kinds.push_back(uint8_t(F.Kind));
    auto Kind = bytes(Kinds);
    auto Container = column(V, [](const Frame &F) { return F.Container; });
    auto Address = differences(V, [](const Frame &F) { return F.Address; });
    Frames = fb::CreateFrames(B, uint32_t(V.size()), Kind, Container, Address);
  }
  Off<fb::StackTree> Stacks;
  if (!D.Stacks.empty())
    Stacks = encodeStacks(D);
  std::vector<Off<fb::Scope>> Scopes;
  for (const ScopeRecord &X : D.Scopes)
    Scopes.push_back(fb::CreateScope(B, uint8_t(X.Kind), X.Name, X.Color));
  Off<fb::ScopeTree> ScopePaths;
  if (!D.ScopePaths.empty()) {
    const auto &V = D.ScopePaths;
    auto Parent = column(V, [](const ScopePath &C) { return C.Parent; });
    auto Scope = column(V, [](const ScopePath &C) { return C.Scope; });
    auto Depth = column(V, [](const ScopePath &C) { return C.Depth; });
    ScopePaths =
        fb::CreateScopeTree(B, uint32_t(V.size()), Parent, Scope, Depth);
  }
  std::vector<Off<fb::Process>> Processes;
  for (const ProcessRecord &X : D.Processes)
    Processes.push_back(fb::CreateProcess(
        B, X.Pid, X.Parent, uint8_t(X.Origin), X.Exe, B.CreateVector(X.Command),
        X.Role, X.StartNs, X.Recorded, X.WhyNot, X.Place.Rank,
        X.Place.WorldSize, X.Place.LocalRank, X.Place.Node, X.Place.Attempt,
        X.Place.Job, X.Place.Host));
  std::vector<Off<fb::Thread>> Threads;
  for (const Thread &X : D.Threads)
    Threads.push_back(fb::CreateThread(B, X.Process, X.Tid, X.Name, X.StartNs));
  std::vector<Off<fb::Heap>> Heaps;
  for (const Heap &X : D.Heaps)
    Heaps.push_back(
        fb::CreateHeap(B, X.Name, X.Space, X.Parent, X.Flags, X.SampleBytes));
  std::vector<Off<fb::Load>> Loads;
  for (const Load &X : D.Loads)
    Loads.push_back(fb::CreateLoad(B, X.Process, X.Binary, X.Start, X.Size,
                                   X.Bias, X.TimeNs, X.EndNs));
  Off<fb::Symbols> Symbols;
  if (!D.Symbols.empty())
    Symbols = encodeSymbols(D.Symbols);

  std::vector<Off<fb::SourceLine>> Sources;
  for (const SourceLine &X : D.SourceLines)
    Sources.push_back(fb::CreateSourceLine(B, X.File, X.Line, X.Text));

  auto Vector = [&](const auto &V) {
    return V.empty() ? 0 : B.CreateVector(V);
  };
  auto DevicesV = Vector(Devices);
  auto BinariesV = Vector(Binaries);
  auto ScopesV = Vector(Scopes);
  auto ProcessesV = Vector(Processes);
  auto ThreadsV = Vector(Threads);
  auto HeapsV = Vector(Heaps);
  auto LoadsV = Vector(Loads);
  auto SourcesV = Vector(Sources);
  return finish(fb::Body::Dictionary,
                fb::CreateDictionary(B, Strings, DevicesV, BinariesV, Functions,
                                     Frames, Stacks, ScopesV, ScopePaths,
                                     ProcessesV, ThreadsV, HeapsV, LoadsV,
                                     Symbols, SourcesV)
                    .Union());
}
