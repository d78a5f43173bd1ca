// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native stacks with Python's frames.

#include "Interpreter.h"
#include "PythonStack.h"
#include "Runtime/Process.h"
#include "Stacks/InterpreterFrames.h"
#include "Stacks/State.h"

using namespace memkit;
using namespace memkit::capture;

uint32_t interpreter::withFrames(uint32_t Native) {
  uint32_t Node = node();
  if (!Node)
    return Native;
  if (!(Stacks.Bits & wire::SB_Native))
    Native = 0;
  PythonThread &S = ThisPython;
  if (S.LastPair && S.LastNative == Native && S.LastPython == Node)
    return S.LastPair;
  uint32_t Pair = Stacks.Table.pair(Native, Node);
  if (!Pair) {
    Proc.Ctl->LostTableFull.fetch_add(1, std::memory_order_relaxed);
    return Native;
  }
  S.LastNative = Native;
  S.LastPython = Node;
  return S.LastPair = Pair;
}
