// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the dictionary of a synthetic program.

#include "Recorder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace memkit::gengrowth {

namespace {

/// Numbers names, and writes a section whenever one is full.
class NameWriter {
public:
  NameWriter(const Program &P, TraceWriter &Out) : P(P), Out(Out) {}
  Error run(std::vector<uint32_t> &StackOfSite);

private:
  uint32_t stringOf(StringRef Text);
  uint32_t frameOf(StringRef Name);
  uint32_t addNodes(uint32_t Parent, ArrayRef<uint32_t> Frames);
  void addSite(const Site &S);
  void addProcesses();
  Error flush();

  const Program &P;
  TraceWriter &Out;
  Dictionary D;
  StringMap<uint32_t> Strings, Frames;
  StringMap<uint32_t> Groups; ///< nodes
  uint32_t NumNodes = 0, NumStacks = 0;
};
} // namespace

uint32_t NameWriter::stringOf(StringRef Text) {
  auto [At, New] = Strings.try_emplace(Text, Strings.size() + 1);
  if (New)
    D.Strings.push_back(Text.str());
  return At->second;
}

/// The frame of a function, which has the function's number.
uint32_t NameWriter::frameOf(StringRef Name) {
  auto [At, New] = Frames.try_emplace(Name, Frames.size() + 1);
  if (New) {
    Function F;
    F.Name = stringOf(Name);
    D.Functions.push_back(F);
    Frame Of;
    Of.Kind = FrameKind::Named;
    Of.Container = At->second;
    D.Frames.push_back(Of);
  }
  return At->second;
}

/// Adds a stack; returns its leaf.
uint32_t NameWriter::addNodes(uint32_t Parent, ArrayRef<uint32_t> Own) {
  NewStack St;
  St.Parent = Parent;
  St.Length = Own.size();
  append_range(D.NodeFrames, Own);
  D.Stacks.push_back(St);
  ++NumStacks;
  return NumNodes += Own.size();
}

/// Adds the stack of a site. The common part of stacks exists once.
void NameWriter::addSite(const Site &S) {
  std::vector<uint32_t> Own{frameOf(S.Name), frameOf(P.Heaps[S.Heap].Leaf)};
  auto [At, New] = Groups.try_emplace(S.Group, 0);
  if (!New) {
    addNodes(At->second, Own);
    return;
  }
  Own.insert(Own.begin(), frameOf(S.Group));
  bool IsFirst = NumNodes == 0;
  if (IsFirst)
    Own.insert(Own.begin(), frameOf("main"));
  At->second = addNodes(IsFirst ? 0 : 1, Own) - 2;
}

void NameWriter::addProcesses() {
  for (uint32_t I = 0; I != P.Processes; ++I) {
    ProcessRecord R;
    R.Pid = I + 1;
    R.Exe = stringOf("/bin/" + P.Name);
    D.Processes.push_back(R);
    Thread Th;
    Th.Process = I + 1;
    Th.Tid = I + 1;
    D.Threads.push_back(Th);
  }
  for (uint32_t I = 0; I != P.Heaps.size(); ++I) {
    D.Heaps.push_back(heapOf(P, I));
    D.Heaps.back().Name = stringOf(P.Heaps[I].Name);
  }
}

Error NameWriter::flush() {
  Error E = Out.write(D);
  D = Dictionary();
  return E;
}

Error NameWriter::run(std::vector<uint32_t> &StackOfSite) {
  StringMap<uint32_t> Stacks;
  addProcesses();
  for (const Site &S : P.Sites) {
    std::string Key = S.Group + '\n' + S.Name + '\n' + P.Heaps[S.Heap].Leaf;
    auto [At, New] = Stacks.try_emplace(Key, NumStacks + 1);
    StackOfSite.push_back(At->second);
    if (New)
      addSite(S);
    // A site adds at most four names.
    if (D.Strings.size() + 4 > MaxSectionRows)
      if (Error E = flush())
        return E;
  }
  return flush();
}

Heap heapOf(const Program &P, uint32_t Number) {
  Heap H;
  if (P.SampleBytes && Number == 0) {
    H.Flags = HF_Estimates;
    H.SampleBytes = P.SampleBytes;
  }
  return H;
}

Error writeNames(const Program &P, TraceWriter &Out,
                 std::vector<uint32_t> &StackOfSite) {
  return NameWriter(P, Out).run(StackOfSite);
}

} // namespace memkit::gengrowth
