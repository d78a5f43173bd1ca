// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of Keras and TensorFlow among a thread's Python frames.

#include "CallWalk.h"

#include "Python/ObjectClass.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::tf;

uintptr_t tf::localOf(uintptr_t Frame, unsigned Number) {
  uintptr_t At = Frame + Python.layout().Locals + Number * sizeof(uintptr_t);
  return Interpreter::load(At) & CodeAddress;
}

/// The first local, also if inner functions use the variable: then the local is
/// a cell.
static uintptr_t selfOf(uintptr_t Frame) {
  constexpr unsigned CellValue = 16;
  uintptr_t Object = localOf(Frame, 0);
  if (Object && !strcmp(typeName(typeOf(Object)), "cell"))
    Object = Interpreter::load(Object + CellValue);
  return Object;
}

bool PythonCallWalk::next(PythonCall &To) {
  const PythonThread &P = ThisPython;
  while (I != P.Calls.Count) {
    const KnownPython &K = P.Known[P.Calls.At[I++]];
    CallRole Role = roleOf(K);
    if (Role != CR_KerasLayer && Role != CR_KerasOptimizer)
      continue;
    uintptr_t Object = selfOf(K.Frame);
    if (!Object || (Role == CR_KerasLayer && Object == Last))
      continue;
    Last = Role == CR_KerasLayer ? Object : 0;
    To = {K.Frame, Object, Role};
    return true;
  }
  return false;
}
