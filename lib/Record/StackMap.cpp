//===- StackMap.cpp - From an image's stacks to the trace's -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackMap.h"
#include "Recording.h"
#include <algorithm>
#include <iterator>

using namespace llvm;
using namespace memkit;

StringRef memkit::allocFunctionName(uint8_t Function) {
  static constexpr const char *Names[] = {"",
                                          "malloc",
                                          "calloc",
                                          "realloc",
                                          "reallocarray",
                                          "posix_memalign",
                                          "aligned_alloc",
                                          "memalign",
                                          "valloc",
                                          "pvalloc",
                                          "operator new",
                                          "operator new[]",
                                          "operator new(aligned)",
                                          "operator new[](aligned)",
                                          "mmap",
                                          "mremap",
                                          "mprotect",
                                          "brk",
                                          "sbrk",
                                          "pthread_create"};
  static_assert(std::size(Names) == wire::NumAllocFunctions);
  return Function < std::size(Names) ? Names[Function] : "";
}

uint32_t StackMap::findRow(uint32_t Node, uint8_t Function) {
  if (Function >= wire::NumAllocFunctions) {
    R.addLoss(Image, LossKind::BadRecord, 1);
    Function = 0;
  }
  const Entry *E = Entries.find(Node);
  if (!E || !E->Row) {
    uint32_t Row = makeRow(Node, Function);
    Entry &New = Entries.get(Node);
    New.Row = Row;
    New.Function = Function;
    return Row;
  }
  if (E->Function == Function)
    return E->Row;
  uint32_t &Row = MoreRows[uint64_t(Node) << 8 | Function];
  if (!Row)
    Row = makeRow(Node, Function);
  return Row;
}

uint32_t StackMap::makeRow(uint32_t Node, uint8_t Function) {
  return R.Sums.stackRow(Image, R.MallocHeap, stack(Node, Function));
}

uint32_t StackMap::stack(uint32_t Node, uint8_t Function) {
  // Up to the first node that is known, then down again.
  SmallVector<uint32_t, 128> Nodes, Path;
  uint32_t Parent = 0;
  for (uint32_t At = Node; At;) {
    if (const Entry *E = Entries.find(At); E && E->TraceNode) {
      Parent = E->TraceNode;
      break;
    }
    SharedImage::NodeInfo Info;
    // A parent is less than its child, so this ends.
    if (!Shared.node(At, Info)) {
      R.addLoss(Image, LossKind::BadRecord, 1);
      break;
    }
    Nodes.push_back(At);
    Path.push_back(frameOf(Info.Code));
    At = Info.Parent;
  }
  std::reverse(Nodes.begin(), Nodes.end());
  std::reverse(Path.begin(), Path.end());
  if (Function)
    Path.push_back(R.Names.namedFrame(allocFunctionName(Function)));
  Catalog::Path P =
      R.Names.stack(Parent, Path, [&](size_t I, uint32_t TraceNode) {
        if (I < Nodes.size())
          Entries.get(Nodes[I]).TraceNode = TraceNode;
      });
  return P.Stack;
}

uint32_t StackMap::frameOf(uint32_t Code) {
  if (uint32_t Known = Frames[Code])
    return Known;
  SharedImage::CodeInfo Info;
  uint32_t Frame;
  if (!Shared.code(Code, Info)) {
    R.addLoss(Image, LossKind::BadRecord, 1);
    return R.Names.frame({FrameKind::Unknown, 0, 0});
  }
  if (Info.Kind == wire::CodeKind::Gap) {
    Frame = R.Names.namedFrame("[frames left out]");
  } else if (Info.Kind == wire::CodeKind::NoCfi) {
    Frame = R.Names.namedFrame("[no unwind information]");
  } else {
    uint64_t Bias = 0;
    uint32_t Module = moduleOf(Info.Module, Bias);
    if (Module)
      Frame = R.Names.frame({FrameKind::Native, Module, Info.Address - Bias});
    else
      Frame = R.Names.frame({FrameKind::Unknown, 0, Info.Address});
  }
  Frames.get(Code) = Frame;
  return Frame;
}

uint32_t StackMap::moduleOf(uint32_t Module, uint64_t &Bias) {
  if (!Module)
    return 0;
  if (const KnownModule *K = Modules.find(Module); K && K->Id) {
    Bias = K->Bias;
    return K->Id;
  }
  SharedImage::ModuleInfo Info;
  if (!Shared.module(Module, Info)) {
    R.addLoss(Image, LossKind::BadRecord, 1);
    return 0;
  }
  Load L;
  L.Image = Image;
  uint32_t Before = R.Names.numModules();
  L.Module = R.Names.module(Info.Path, Info.BuildId);
  if (L.Module > Before && R.OnModule)
    R.OnModule(L.Module, Info.Path, Info.BuildId, Image);
  L.Start = Info.Start;
  L.Size = Info.End - Info.Start;
  L.Bias = Bias = Info.Bias;
  L.TimeNs = R.nowNs();
  R.Names.addLoad(L);
  Modules.get(Module) = {L.Module, Info.Bias};
  return L.Module;
}
