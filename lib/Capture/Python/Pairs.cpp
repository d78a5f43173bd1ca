// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native stacks with Python's frames.

#include "Runtime/Thread.h"

using namespace memkit;
using namespace memkit::capture;

uint32_t capture::withPython(Thread &T, uint32_t Native) {
  uint32_t Node = pythonNode(T);
  if (!Node)
    return Native;
  if (!(Proc.StackBits & wire::SB_Native))
    Native = 0;
  PythonState &S = T.Python;
  if (S.LastPair && S.LastNative == Native && S.LastPython == Node)
    return S.LastPair;
  uint32_t Pair = Proc.Stacks.pair(Native, Node);
  if (!Pair) {
    Proc.Ctl->LostTableFull.fetch_add(1, std::memory_order_relaxed);
    return Native;
  }
  S.LastNative = Native;
  S.LastPython = Node;
  return S.LastPair = Pair;
}
