// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a process's stacks to the trace's stacks.

#include "Stacks/StackMap.h"
#include "Output/Recording.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

StackMap::StackMap(SharedProcess &Shared, Recording &R, uint32_t Process)
    : Shared(Shared), R(R), Process(Process), Codes(Shared, R, Process),
      Mixed(Shared, R.names(), Codes) {}

uint32_t StackMap::findRow(uint32_t Node, uint8_t Function) {
  if (Function >= wire::NumAllocFunctions) {
    Codes.bad();
    Function =
        Function == NoObject ? uint8_t(wire::AllocFunction::PyObjectMalloc) : 0;
  }
  StackMapEntry &E = Entries.get(Node);
  if (E.isOf(Function))
    return E.row();
  if (!E.hasRow()) {
    uint32_t Row = makeRow(Node, Function);
    if (StackMapEntry::canHoldRow(Row)) {
      if (uint32_t TraceNode = E.node())
        MoreNodes.get(Node) = TraceNode;
      E = StackMapEntry::ofRow(Function, Row);
      return Row;
    }
  }
  uint32_t &Row = MoreRows.get(uint64_t(Node) << 8 | Function);
  if (!Row)
    Row = makeRow(Node, Function);
  return Row;
}

uint32_t StackMap::makeRow(uint32_t Node, uint8_t Function) {
  uint32_t Heap = wire::makesObjects(Function)
                      ? R.heaps().host(HostHeapKind::PythonObject)
                      : R.heaps().malloc();
  return R.stats().stackRow(Process, Heap, stackAt(Node, Function, false));
}

/// The known node of the trace, or 0.
uint32_t StackMap::nodeOf(uint32_t Node) const {
  const StackMapEntry *E = Entries.find(Node);
  if (!E || E->isEmpty())
    return 0;
  uint32_t Known = E->node();
  return Known ? Known : MoreNodes.lookup(Node);
}

void StackMap::setNode(uint32_t Node, uint32_t TraceNode) {
  StackMapEntry &E = Entries.get(Node);
  if (E.hasRow() || !StackMapEntry::canHoldNode(TraceNode))
    MoreNodes.get(Node) = TraceNode;
  else
    E = StackMapEntry::ofNode(TraceNode);
}

/// KeepsNode: other calls at Node will follow, which Entries does not know by
/// their row.
uint32_t StackMap::stackAt(uint32_t Node, uint8_t Function, bool KeepsNode) {
  uint32_t Leaf = Function ? Codes.ofFunction(Function) : 0;
  // Walk up to the first known node, then down again.
  SmallVector<uint32_t, 128> Nodes, Path;
  uint32_t Parent = 0;
  for (uint32_t At = Node; At;) {
    if (uint32_t Known = nodeOf(At)) {
      Parent = Known;
      break;
    }
    SharedProcess::NodeInfo Info;
    // A parent's id is less than its child's, so the loop ends.
    if (!Shared.node(At, Info)) {
      Codes.bad();
      break;
    }
    if (At == Node && Info.isPair()) {
      uint32_t Stack = Mixed.stack(Info.Parent, Info.python(), Leaf, Parent);
      if (KeepsNode)
        setNode(Node, Parent);
      return Stack;
    }
    CodeFrames::KnownCode K = Codes.of(Info.Code);
    // The innermost frame that the code computes has the code's node.
    append_range(Path, reverse(Codes.computed(K)));
    Path.push_back(K.Frame);
    Nodes.push_back(At);
    Nodes.resize(Path.size());
    At = Info.Parent;
  }
  std::reverse(Nodes.begin(), Nodes.end());
  std::reverse(Path.begin(), Path.end());
  if (Leaf)
    Path.push_back(Leaf);
  Catalog::FramePath P =
      R.names().stack(Parent, Path, [&](size_t I, uint32_t TraceNode) {
        if (I < Nodes.size() && Nodes[I] && (KeepsNode || Nodes[I] != Node))
          setNode(Nodes[I], TraceNode);
      });
  return P.Stack;
}

/// The innermost frames may be of Python functions that the generated code
/// calls.
uint32_t StackMap::findLayers(uint32_t Node) {
  constexpr unsigned MaxFrames = 16;
  SharedProcess::NodeInfo Info;
  if (Node && Shared.node(Node, Info) && Info.isPair())
    Node = Info.python();
  if (Node > INT32_MAX) // no node, and a map reserves the largest numbers
    return 0;
  if (auto Known = Layers.find(Node); Known != Layers.end())
    return Known->second;
  uint32_t Found = 0, At = Node;
  for (unsigned I = 0;
       At && I != MaxFrames && Shared.node(At, Info) && !Info.isPair();
       ++I, At = Info.Parent) {
    CodeFrames::KnownCode K = Codes.of(Info.Code);
    if (K.Computes) {
      Found = Codes.layers(K);
      break;
    }
  }
  return Layers[Node] = Found;
}

/// The nearest frame outside of CUDA's driver, from Node outwards; Node if
/// there is none.
uint32_t StackMap::outOfDriver(uint32_t Node) {
  SharedProcess::NodeInfo Info;
  uint32_t At = Node;
  // A parent's id is less than its child's, so the loop ends.
  while (At && Shared.node(At, Info) && !Info.isPair() &&
         Codes.isDriver(Info.Code))
    At = Info.Parent;
  return At ? At : Node;
}

uint32_t StackMap::driverStack(uint32_t Node, wire::CudaFunction Function) {
  uint8_t Leaf = CodeFrames::FirstCudaFunction + uint8_t(Function);
  SharedProcess::NodeInfo Info;
  if (!Node || !Shared.node(Node, Info))
    return stack(Node, Leaf);
  if (!Info.isPair())
    return stack(outOfDriver(Node), Leaf);
  uint32_t Native = outOfDriver(Info.Parent), Parent;
  return Mixed.stack(Native, Info.python(), Codes.ofFunction(Leaf), Parent);
}
