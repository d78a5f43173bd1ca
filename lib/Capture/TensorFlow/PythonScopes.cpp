// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scopes of Keras and TensorFlow among a thread's Python frames.

#include "CallWalk.h"

#include "Python/ObjectClass.h"
#include "Runtime/Recording.h"
#include "TensorFlowHooks.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::tf;

/// Whether a graph is being made in the thread.
static bool isTracing() {
  const PythonThread &P = ThisPython;
  for (uint32_t I = 0; I != P.Calls.Count; ++I)
    if (roleOf(P.Known[P.Calls.At[I]]) == CR_Tracing)
      return true;
  return false;
}

static bool isInLayer(const ScopeStack &S) {
  for (uint32_t I = 0; I != S.Count; ++I)
    if (!S.Scopes[I].Function)
      return true;
  return false;
}

static void openLayer(ThreadState &T, const PythonCall &C) {
  if (!isInLayer(ThisTensorFlow.Scopes))
    Hooks.names().outermostRuns(C.Object);
  uint64_t Text = Hooks.names().textOf(C.Object);
  ThisTensorFlow.Scopes.open(
      T, {nullptr, 0, C.Frame, identityOf(C.Object)}, uint32_t(Text),
      wire::SF_Layer | wire::SF_TensorFlow | (Text & wire::SF_Unnamed), 0);
}

/// A range with the name that PyTorch gives to the step of an optimizer. While
/// a graph is made the optimizer makes its variables, and no step.
static void openOptimizer(ThreadState &T, const PythonCall &C, uint32_t Node) {
  char Name[128];
  const char *Prefix =
      isTracing() ? "tracing Optimizer.apply#" : "Optimizer.step#";
  char *To = stpcpy(Name, Prefix);
  strncpy(To, typeName(typeOf(C.Object)), size_t(Name + sizeof(Name) - To - 1));
  Name[sizeof(Name) - 1] = 0;
  ThisTensorFlow.Scopes.open(
      T, {nullptr, 0, C.Frame, identityOf(C.Object)},
      Proc.Names.intern(Name, strlen(Name)),
      wire::SF_Range | wire::SF_TensorFlow,
      wire::ScopeBeginRecord::inPython(Node, uint32_t(C.Object >> 4)));
}

void tf::followCalls(ThreadState &T, uint32_t Node) {
  ScopeStack &S = ThisTensorFlow.Scopes;
  PythonCallWalk Walk;
  PythonCall C;
  bool Has = Node && Walk.next(C);
  for (uint32_t I = 0; I != S.Count; ++I) {
    const OpenScope &Is = S.Scopes[I];
    if (Is.Function)
      continue;
    if (!Has || C.Frame != Is.Frame || identityOf(C.Object) != Is.Object) {
      S.closeFrom(T, I);
      break;
    }
    Has = Walk.next(C);
  }
  for (; Has; Has = Walk.next(C))
    if (C.Role == CR_KerasLayer)
      openLayer(T, C);
    else
      openOptimizer(T, C, Node);
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// The innermost marked frame, if it computes a gradient; null: it does not.
static const KnownPython *gradientFrame() {
  const PythonThread &P = ThisPython;
  const KnownPython *K =
      P.Calls.Count ? &P.Known[P.Calls.At[P.Calls.Count - 1]] : nullptr;
  return K && roleOf(*K) == CR_Gradient ? K : nullptr;
}

bool tf::isInGradient(uint32_t Node) { return Node && gradientFrame(); }

uint32_t tf::copyGradientScope(char *To, uint32_t Max) {
  constexpr unsigned NameScope = 7; // the eighth parameter
  const KnownPython *K = gradientFrame();
  return K ? Python.copyString(localOf(K->Frame, NameScope), To, Max) : 0;
}
