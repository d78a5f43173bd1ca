// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Merges native and Python frames into one path.

#include "Stacks/MixedStacks.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;
using wire::CodeKind;

/// Reads a node of a path; false, with a bad record, for anything else. A
/// parent's id is always read as less than its child's, so every walk ends.
bool MixedStacks::read(uint32_t Id, PathNode &Out) {
  SharedProcess::NodeInfo Info;
  if (!Shared.node(Id, Info) || Info.isPair()) {
    Codes.bad();
    return false;
  }
  CodeFrames::KnownCode K = Codes.of(Info.Code);
  Out = {Info.Parent, K.Frame, K.Kind, K.IsSwitch, Codes.computed(K)};
  return true;
}

/// Adds the frame of a node of Python, and the frames that it computes.
void MixedStacks::addPython(const PathNode &P, uint32_t Native,
                            uint32_t Python) {
  bool IsInnermost = true;
  for (uint32_t Frame : reverse(P.Computed))
    Steps.push_back(
        {Frame, Native, Python, true, std::exchange(IsInnermost, false)});
  Steps.push_back({P.Frame, Native, Python, true, IsInnermost});
}

/// Computes the entry of Counts, for Node and for all such nodes on its path.
uint32_t MixedStacks::count(uint32_t Node, bool OfPython) {
  struct Seen {
    uint32_t Node;
    CodeKind Kind;
  };
  SmallVector<Seen, 64> Path;
  uint32_t Count = 0;
  PathNode N;
  size_t Walked = 0;
  for (uint32_t At = Node; At && Walked != MaxSteps; At = N.Parent, ++Walked) {
    // Counts holds the count plus one, so that 0 means unknown.
    if (uint32_t Known = Counts.lookup(At)) {
      Count = Known - 1;
      break;
    }
    // Frames above a switch belong to another greenlet.
    if (!read(At, N) || (N.IsSwitch && !OfPython))
      break;
    if (OfPython || N.Kind == CodeKind::Evaluator || N.Kind == CodeKind::Gap)
      Path.push_back({At, N.Kind});
  }
  for (const Seen &S : reverse(Path)) {
    // The outermost Python frame starts a run, whatever its kind.
    if (OfPython ? S.Kind == CodeKind::PythonEntry || !Count
                 : S.Kind == CodeKind::Evaluator)
      ++Count;
    if (S.Kind == CodeKind::Gap && !OfPython)
      Count |= BelowGap;
    Counts.get(S.Node) = Count + 1;
  }
  return Count;
}

/// Whether the Python frame P, of node Python, takes the place of Native, an
/// evaluator frame or a gap. IsLast: P is the outermost frame there.
bool MixedStacks::takes(uint32_t Native, CodeKind Kind, uint32_t Python,
                        const PathNode &P, bool &IsLast) {
  uint32_t Evaluators = count(Native, false), Runs = count(Python, true);
  bool Begins = P.Kind == CodeKind::PythonEntry || !P.Parent;
  IsLast = false;
  if (Kind == CodeKind::Gap)
    return Runs > (Evaluators & ~BelowGap);
  IsLast = Begins;
  if (Evaluators & BelowGap)
    return true;
  IsLast &= Runs == Evaluators;
  return Runs >= Evaluators;
}

/// Walks from the leaf to a known node, and returns this node of the trace;
/// Steps gets the frames below.
uint32_t MixedStacks::gather(uint32_t Native, uint32_t Python) {
  PathNode N{}, P{};
  // The innermost frames of a greenlet that is about to switch are greenlet's.
  bool HasRun = false, AtSwitch = false;
  while (Native || Python) {
    if (Steps.size() >= MaxSteps) {
      Codes.bad();
      return 0;
    }
    if (Native) {
      if (const Last *L = Lasts.find(Native);
          L && L->Node && L->Python == Python)
        return L->Node;
      bool IsThere = read(Native, N);
      HasRun |= IsThere && N.Kind == CodeKind::Evaluator;
      if (!IsThere || (AtSwitch && !N.IsSwitch)) {
        Native = 0;
        continue;
      }
      AtSwitch = HasRun && N.IsSwitch;
    }
    bool IsPlace =
        !Native || N.Kind == CodeKind::Evaluator || N.Kind == CodeKind::Gap;
    if (Python && IsPlace) {
      if (uint32_t Known = Merged.lookup(key(Native, Python)))
        return Known;
      if (!read(Python, P)) {
        Python = 0;
        continue;
      }
      bool IsLast = false;
      if (!Native || takes(Native, N.Kind, Python, P, IsLast)) {
        addPython(P, Native, Python);
        Python = P.Parent;
        if (IsLast)
          Native = N.Parent;
        continue;
      }
    }
    if (!Native)
      break;
    Steps.push_back({N.Frame, Native, Python, false, true});
    Native = N.Parent;
  }
  return 0;
}

uint32_t MixedStacks::stack(uint32_t Native, uint32_t Python, uint32_t Leaf,
                            uint32_t &Node) {
  Steps.clear();
  Frames.clear();
  Node = gather(Native, Python);
  std::reverse(Steps.begin(), Steps.end());
  for (const PathStep &S : Steps)
    Frames.push_back(S.Frame);
  if (Leaf)
    Frames.push_back(Leaf);
  auto Note = [&](size_t I, uint32_t At) {
    if (I == Steps.size())
      return;
    Node = At;
    const PathStep &S = Steps[I];
    if (!S.IsNoted)
      return;
    if (S.OfPython)
      Merged.get(key(S.Native, S.Python)) = At;
    else
      Lasts.get(S.Native) = {S.Python, At};
  };
  return Names.stack(Node, Frames, Note).Stack;
}
