// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of ids, for a trace in growth.

#include "NameTable.h"
#include "Support/CommandText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit::tracetext {

void NameTable::add(const Dictionary &D) {
  append_range(Strings, D.Strings);
  append_range(Binaries, D.Binaries);
  append_range(Functions, D.Functions);
  append_range(Frames, D.Frames);
  addStacks(D);
  append_range(Scopes, D.Scopes);
  append_range(ScopePaths, D.ScopePaths);
  append_range(Processes, D.Processes);
  append_range(Threads, D.Threads);
  append_range(Heaps, D.Heaps);
  for (const FrameSymbols &S : D.Symbols)
    Symbols[S.Frame] = S.Locations;
}

void NameTable::addStacks(const Dictionary &D) {
  size_t At = 0;
  for (const NewStack &S : D.Stacks) {
    uint32_t Leaf = S.Parent;
    for (uint32_t I = 0; I < S.Length && At < D.NodeFrames.size(); ++I) {
      Nodes.push_back({Leaf, D.NodeFrames[At++]});
      Leaf = uint32_t(Nodes.size());
    }
    Leaves.push_back(Leaf);
  }
}

StringRef NameTable::heap(uint32_t Id) const {
  return string(get(Heaps, Id).Name);
}

StringRef NameTable::process(uint32_t Id) const {
  const ProcessRecord I = get(Processes, Id);
  if (StringRef Role = string(I.Role); !Role.empty())
    return Role;
  StringRef Program = string(I.Command.empty() ? I.Exe : I.Command.front());
  return programName(Program);
}

void NameTable::addRoles(const Summary &S) {
  for (const ProcessStats &I : S.Processes)
    if (I.Role && I.Process && I.Process <= Processes.size())
      Processes[I.Process - 1].Role = I.Role;
}

uint32_t NameTable::tid(uint32_t Id) const { return get(Threads, Id).Tid; }

std::string NameTable::function(Location L) const {
  Function F = get(Functions, L.Function);
  std::string Out = string(F.Name).str();
  if (StringRef File = string(F.File); !File.empty()) {
    Out += " (" + File.substr(File.rfind('/') + 1).str();
    if (L.Line)
      Out += ":" + std::to_string(L.Line);
    Out += ")";
  }
  return Out;
}

/// `train.py:42 step`.
std::string NameTable::pythonLine(const Frame &F) const {
  Function Fn = get(Functions, F.Container);
  StringRef File = string(Fn.File);
  std::string Out = File.substr(File.rfind('/') + 1).str();
  if (F.Address && !Out.empty())
    Out += ":" + std::to_string(uint32_t(F.Address));
  return (Out.empty() ? "" : Out + " ") + string(Fn.Name).str();
}

FrameRole NameTable::role(uint32_t Id) const {
  Frame F = get(Frames, Id);
  if (F.Kind == FrameKind::Python)
    return pythonFrameRole(string(get(Functions, F.Container).File));
  if (F.Kind != FrameKind::Native)
    return FrameRole::Program;
  SmallVector<StringRef, 4> Names;
  auto Found = Symbols.find(Id);
  if (Found != Symbols.end())
    for (const Location &L : Found->second)
      Names.push_back(string(get(Functions, L.Function).Name));
  return nativeFrameRole(string(get(Binaries, F.Container).Path), Names);
}

void NameTable::frame(uint32_t Id, std::vector<std::string> &Out) const {
  Frame F = get(Frames, Id);
  auto Found = Symbols.find(Id);
  if (Found != Symbols.end() && !Found->second.empty()) {
    for (const Location &L : Found->second)
      Out.push_back(function(L));
    return;
  }
  std::string Hex = "0x" + utohexstr(F.Address, /*LowerCase=*/true);
  switch (F.Kind) {
  case FrameKind::Native: {
    StringRef Path = string(get(Binaries, F.Container).Path);
    size_t Slash = Path.rfind('/');
    Out.push_back((Path.substr(Slash + 1) + "+" + Hex).str());
    return;
  }
  case FrameKind::Python:
    Out.push_back(pythonLine(F));
    return;
  case FrameKind::Named:
    Out.push_back(function({F.Container, 0}));
    return;
  case FrameKind::Unknown:
    Out.push_back(Hex);
    return;
  }
}

std::vector<std::string> NameTable::stack(uint32_t Id, bool AllFrames) const {
  std::vector<std::string> Out;
  SmallVector<uint32_t, 64> Path;
  // A parent that does not stand before its child ends the walk.
  for (uint32_t N = get(Leaves, Id); N && N <= Nodes.size();) {
    Path.push_back(Nodes[N - 1].Frame);
    uint32_t Parent = Nodes[N - 1].Parent;
    N = Parent < N ? Parent : 0;
  }
  SmallVector<FrameRole, 64> Roles;
  if (!AllFrames)
    for (uint32_t F : reverse(Path))
      Roles.push_back(role(F));
  SmallVector<bool, 64> Stays = unfoldedFrames(Roles);
  for (size_t I = 0; I != Path.size(); ++I)
    if (AllFrames || Stays[Path.size() - 1 - I])
      frame(Path[I], Out);
  return Out;
}

std::string NameTable::scopePath(uint32_t Id) const {
  std::string Out;
  for (uint32_t N = Id; N && N <= ScopePaths.size();) {
    const ScopePath &C = ScopePaths[N - 1];
    StringRef Name = string(get(Scopes, C.Scope).Name);
    Out = Out.empty() ? Name.str() : (Name + "/" + Out).str();
    N = C.Parent < N ? C.Parent : 0;
  }
  return Out;
}

} // namespace memkit::tracetext
