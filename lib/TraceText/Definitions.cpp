// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dictionary as the assembler fills it.

#include "Definitions.h"

using namespace llvm;

namespace memkit::tracetext {

StringRef refName(Ref Kind) {
  static constexpr StringLiteral Names[NumRefs] = {
      "string", "device", "binary",     "function", "frame",  "node",
      "stack",  "scope",  "scope path", "process",  "thread", "heap"};
  return Names[unsigned(Kind)];
}

uint32_t Definitions::add(std::string S) {
  uint32_t Id = next(Ref::String);
  Strings.try_emplace(S, Id);
  Pending.Strings.push_back(std::move(S));
  return Id;
}

uint32_t Definitions::add(Device D) {
  uint32_t Id = next(Ref::Device);
  Spaces.try_emplace(D.Space, Id);
  Pending.Devices.push_back(std::move(D));
  return Id;
}

uint32_t Definitions::add(Binary M) {
  uint32_t Id = next(Ref::Binary);
  Binaries.try_emplace(M.Path, Id);
  Pending.Binaries.push_back(std::move(M));
  return Id;
}

uint32_t Definitions::add(Function F) {
  uint32_t Id = next(Ref::Function);
  Functions.try_emplace({F.Name, F.File}, Id);
  Pending.Functions.push_back(F);
  return Id;
}

uint32_t Definitions::add(Frame F) {
  uint32_t Id = next(Ref::Frame);
  Frames.try_emplace({uint8_t(F.Kind), F.Container, F.Address}, Id);
  Pending.Frames.push_back(F);
  return Id;
}

uint32_t Definitions::add(ScopeRecord S) {
  uint32_t Id = next(Ref::Scope);
  Scopes.try_emplace({uint32_t(S.Kind), S.Name}, Id);
  Pending.Scopes.push_back(S);
  return Id;
}

uint32_t Definitions::add(ScopePath C) {
  uint32_t Id = next(Ref::ScopePath);
  ScopePaths.try_emplace({C.Parent, C.Scope, C.Depth}, Id);
  Pending.ScopePaths.push_back(C);
  return Id;
}

uint32_t Definitions::add(ProcessRecord I) {
  Pending.Processes.push_back(std::move(I));
  return next(Ref::Process);
}

uint32_t Definitions::add(Thread T) {
  Pending.Threads.push_back(T);
  return next(Ref::Thread);
}

uint32_t Definitions::add(Heap H) {
  uint32_t Id = next(Ref::Heap);
  Heaps.try_emplace(H.Name, Id);
  Pending.Heaps.push_back(H);
  return Id;
}

uint32_t Definitions::child(uint32_t Node, uint32_t Frame) const {
  return Children.lookup({Node, Frame});
}

uint32_t Definitions::addStack(uint32_t Parent, ArrayRef<uint32_t> Path) {
  Pending.Stacks.push_back({Parent, uint32_t(Path.size())});
  for (uint32_t F : Path) {
    uint32_t Node = next(Ref::Node);
    Children.try_emplace({Parent, F}, Node);
    Pending.NodeFrames.push_back(F);
    Parent = Node;
  }
  return next(Ref::Stack);
}

uint32_t Definitions::addPath(ArrayRef<uint32_t> Path) {
  uint32_t Node = 0;
  while (!Path.empty()) {
    uint32_t Next = child(Node, Path.front());
    if (!Next)
      break;
    Node = Next;
    Path = Path.drop_front();
  }
  return addStack(Node, Path);
}

uint32_t Definitions::string(StringRef Text) {
  auto It = Strings.find(Text);
  return It != Strings.end() ? It->second : add(Text.str());
}

uint32_t Definitions::function(StringRef Name, StringRef File) {
  uint32_t N = string(Name), F = File.empty() ? 0 : string(File);
  if (uint32_t Id = Functions.lookup({N, F}))
    return Id;
  return add(Function{N, F, 0});
}

uint32_t Definitions::binary(StringRef Path) {
  uint32_t P = string(Path);
  if (uint32_t Id = Binaries.lookup(P))
    return Id;
  return add(Binary{P, {}});
}

uint32_t Definitions::frame(Frame F) {
  auto It = Frames.find({uint8_t(F.Kind), F.Container, F.Address});
  return It != Frames.end() ? It->second : add(F);
}

uint32_t Definitions::nativeFrame(uint32_t Binary, uint32_t Function,
                                  uint32_t Line) {
  auto [It, New] = Natives.try_emplace({Binary, Function, Line}, 0);
  if (!New)
    return It->second;
  // The distance makes each address a function of its own.
  uint64_t Address = 0x1000 + 0x40 * uint64_t(Natives.size());
  It->second = add(Frame{FrameKind::Native, Binary, Address});
  Pending.Symbols.push_back({It->second, {{Function, Line}}});
  return It->second;
}

uint32_t Definitions::scope(ScopeKind Kind, StringRef Name) {
  uint32_t N = string(Name);
  if (uint32_t Id = Scopes.lookup({uint32_t(Kind), N}))
    return Id;
  return add(ScopeRecord{Kind, N, 0});
}

uint32_t Definitions::scopePath(ScopePath C) {
  auto It = ScopePaths.find({C.Parent, C.Scope, C.Depth});
  return It != ScopePaths.end() ? It->second : add(C);
}

uint32_t Definitions::findHeap(StringRef Name) const {
  auto It = Strings.find(Name);
  return It == Strings.end() ? 0 : Heaps.lookup(It->second);
}

uint32_t Definitions::findDevice(StringRef Space) const {
  return Spaces.lookup(Space);
}

} // namespace memkit::tracetext
