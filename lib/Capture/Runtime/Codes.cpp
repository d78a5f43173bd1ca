// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a pc.

#include "Codes.h"

#include "Thread.h"

#include <sys/auxv.h>

using namespace memkit;
using namespace memkit::capture;

/// Outside of these nothing runs: what stands there is no pc.
static bool isUserAddress(uintptr_t Pc) {
  return Pc >= PageBytes && Pc < 1ull << 47;
}

/// Compiled, or that of one of the thread's last new pcs.
static Rule ruleAt(uint32_t Module, uintptr_t Pc) {
  StackState &S = ThisThread.Stack;
  bool Remembers = S.Capacity && S.Generation == Proc.CodeGeneration.load(
                                                     std::memory_order_acquire);
  Rule R = Remembers ? S.Recent->find(Pc) : Rule();
  if (R.Kind != RuleKind::Empty)
    return R;
  const EhFrame &Tables = Proc.Mods.tablesOf(Module);
  AddressRange Same;
  R = compileRule(Tables, Pc, Same);
  // No call leads to a function's first instruction from outside of all others:
  // that is what makecontext puts at the root of a stack.
  if (R.Kind == RuleKind::None &&
      compileRule(Tables, Pc + 1).Kind != RuleKind::None)
    return {.Kind = RuleKind::End};
  // Nor has the program's first instruction a caller; some say nothing of it.
  constexpr uintptr_t StartBytes = 64;
  if (R.Kind == RuleKind::None && Pc - getauxval(AT_ENTRY) < StartBytes)
    return {.Kind = RuleKind::End};
  if (Remembers)
    S.Recent->add(Same, R);
  return R;
}

bool capture::hasTables(uintptr_t Pc) {
  uint32_t Module = isUserAddress(Pc) ? Proc.Mods.moduleOf(Pc) : 0;
  return Module && ruleAt(Module, Pc).Kind < RuleKind::None;
}

/// The code that \p Pc had when its module was loaded before, so that a library
/// that comes and goes for ever uses up no codes; 0: none is known.
static uint32_t oldCode(uint32_t Module, uintptr_t Pc) {
  constexpr uint32_t MaxSearched = 1u << 16;
  Modules::CodeRange R = Proc.Mods.oldCodes(Module);
  for (uint32_t Id = R.First; Id < R.End && Id - R.First < MaxSearched; ++Id) {
    const wire::Code &C = Proc.Stacks.code(Id);
    if (C.Address.load(std::memory_order_relaxed) == Pc &&
        C.Module.load(std::memory_order_relaxed) == Module &&
        C.Kind.load(std::memory_order_acquire) ==
            uint32_t(wire::CodeKind::Native))
      return Id;
  }
  return 0;
}

CodeWord capture::makeCode(uintptr_t Return) {
  uintptr_t Pc = Return - 1;
  if (!isUserAddress(Pc))
    return CodeWord::make({.Kind = RuleKind::End}, 0, CodeWord::Hidden);
  uint32_t Module = Proc.Mods.moduleOf(Pc);
  Rule R{.Kind = RuleKind::None};
  if (Module)
    R = ruleAt(Module, Pc);
  if (isOwnCode(Pc))
    return Proc.Codes.insert(Return, CodeWord::make(R, 0, CodeWord::Hidden));
  auto Kind = Proc.Python.isEvaluator(Pc) ? wire::CodeKind::Evaluator
                                          : wire::CodeKind::Native;
  uint32_t Code = Module ? oldCode(Module, Pc) : 0;
  if (!Code)
    Code = Proc.Stacks.newCode(Pc, Module, Kind);
  CodeWord W = CodeWord::make(R, Code, Module ? 0 : CodeWord::Unowned);
  return Code ? Proc.Codes.insert(Return, W) : W;
}

bool capture::stillUnowned(uintptr_t Return, CodeWord &W) {
  if (!Proc.Mods.moduleOf(Return - 1))
    return true;
  Proc.Codes.forget({Return, Return + 1});
  W = makeCode(Return);
  return false;
}

static void forgetRange(AddressRange Gone) {
  Proc.Python.noteGone(Gone);
  Proc.Codes.forget({Gone.Start + 1, Gone.End + 1});
  if (Proc.Calls.hasBegun())
    Proc.Calls.forget({Gone.Start + 1, Gone.End + 1});
  Proc.CodeGeneration.fetch_add(1, std::memory_order_acq_rel);
  Proc.Ctl->ModulesChanged.fetch_add(1, std::memory_order_release);
}

void capture::noteLoaderFree(const void *P) {
  if (!Proc.Epoch.load(std::memory_order_acquire))
    return;
  if (Kept.LoaderLists)
    Proc.Loaded.forget(P);
  AddressRange Gone;
  if (Proc.Mods.markGone(P, Gone))
    forgetRange(Gone);
}

void capture::forgetGoneModules() {
  AddressRange Gone;
  while (Proc.Mods.markOneGone(Gone))
    forgetRange(Gone);
}
