// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of TorchScript.

#include "ScriptLayers.h"

#include "Runtime/Hook.h"
#include "Runtime/Symbols.h"
#include "Runtime/Thread.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using wire::ScopeKindFlag;

__thread uint32_t capture::ThisScriptDepth;
constinit ScriptLayers capture::Scripts;

bool ScriptLayers::find() {
  Hierarchy = reinterpret_cast<void (*)(void *)>(symbolOfLoaded(
      "libtorch_cpu.so", "_ZN5torch3jit22currentModuleHierarchyB5cxx11Ev"));
  return Hierarchy;
}

MEMKIT_EXPORT void operatorDelete(void *P) asm("_ZdlPv");

namespace {
/// The layout of libstdc++'s std::string.
struct StdString {
  const char *Data;
  size_t Size;
  char Short[16];
};

/// The running functions, outermost first: a std::vector<std::string> that
/// PyTorch makes. The allocations for it are memkit's, and not recorded.
class RunningModules {
public:
  explicit RunningModules(void (*Make)(void *))
      : WasInRealloc(ThisThread.InRealloc) {
    ThisThread.InRealloc = true;
    Make(this);
  }
  ~RunningModules() {
    for (StdString *S = Begin; S != End; ++S)
      if (S->Data != S->Short)
        operatorDelete(const_cast<char *>(S->Data));
    if (Begin)
      operatorDelete(Begin);
    ThisThread.InRealloc = WasInRealloc;
  }
  RunningModules(const RunningModules &) = delete;
  RunningModules &operator=(const RunningModules &) = delete;

  StdString *Begin = nullptr, *End = nullptr, *Capacity = nullptr;

private:
  bool WasInRealloc;
};
} // namespace

/// The size of the module's name at the start of `block(Block)::forward`; 0:
/// the outermost module, or another function of a module that runs already.
static size_t nameSize(const StdString &S) {
  auto *End = static_cast<const char *>(memchr(S.Data, '(', S.Size));
  auto Size = End ? size_t(End - S.Data) : 0;
  auto Is = [&](const char *Name) {
    return Size == strlen(Name) && !memcmp(S.Data, Name, Size);
  };
  return Is("TOP") || Is("SELF") || Is("INSTANCE_NAME_UNKNOWN") ? 0 : Size;
}

/// The text of the class in `TOP(Net)::forward`; 0: not known. A graph that
/// computes gradients is no function of a module: `TOP()`.
static uint32_t classText(const StdString &S) {
  auto *End = static_cast<const char *>(memchr(S.Data, ')', S.Size));
  constexpr size_t Prefix = 4;
  bool Is = S.Size > Prefix && !memcmp(S.Data, "TOP(", Prefix) && End &&
            End != S.Data + Prefix;
  return Is ? Proc.Names.intern(S.Data + Prefix, size_t(End - S.Data) - Prefix)
            : 0;
}

static bool hasPythonLayer(const ScopeStack &S) {
  for (uint32_t I = 0; I != S.Count; ++I)
    if (!S.Scopes[I].Function && !ScriptLayers::isLayer(S.Scopes[I]))
      return true;
  return false;
}

void ScriptLayers::followModules(ThreadState &T, ScopeStack &S) {
  uint32_t At = 0;
  auto Next = [&] {
    while (At != S.Count && !isLayer(S.Scopes[At]))
      ++At;
    return At != S.Count;
  };
  RunningModules All(Hierarchy);
  uint32_t Texts[MaxDepth], N = 0;
  // A program in C++, or PyTorch itself, calls the outermost module.
  if (All.Begin != All.End && !hasPythonLayer(S))
    if (uint32_t Root = classText(*All.Begin))
      Texts[N++] = Root;
  const uint32_t Roots = N;
  for (const StdString *M = All.Begin; M != All.End && N != MaxDepth; ++M)
    if (size_t Size = nameSize(*M))
      Texts[N++] = Proc.Names.intern(M->Data, Size < MaxName ? Size : MaxName);
  uint32_t I = 0;
  while (Next() && I != N && S.Scopes[At].Object == Texts[I]) {
    ++I;
    ++At;
  }
  if (Next())
    S.closeFrom(T, At);
  for (; I != N; ++I)
    S.open(T, {nullptr, 0, ScriptFrame, Texts[I]}, Texts[I],
           ScopeKindFlag::SF_Layer | (I < Roots ? 0 : uint64_t(wire::SF_Inner)),
           0);
}

void ScriptLayers::end(ThreadState &T, ScopeStack &S) {
  for (uint32_t I = 0; I != S.Count; ++I)
    if (isLayer(S.Scopes[I]))
      return S.closeFrom(T, I);
}
