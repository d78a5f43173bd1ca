// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code and unwind rule of a pc.

#include "Codes.h"

#include "InterpreterFrames.h"
#include "Runtime/Process.h"

#include <sys/auxv.h>

using namespace memkit;
using namespace memkit::capture;

/// No code runs outside this range.
static bool isUserAddress(uintptr_t Pc) {
  return Pc >= PageBytes && Pc < 1ull << 47;
}

/// The rule at Pc: one of the thread's recent rules, or compiled.
static Rule ruleAt(uint32_t Binary, uintptr_t Pc) {
  StackState &S = ThisStack;
  bool Remembers = S.Capacity && S.Generation == Stacks.Generation.load(
                                                     std::memory_order_acquire);
  Rule R = Remembers ? S.Recent->find(Pc) : Rule();
  if (R.Kind != RuleKind::Empty)
    return R;
  const EhFrame &Tables = Stacks.Bins.tablesOf(Binary);
  AddressRange Same;
  R = Remembers ? S.Recent->compile(Tables, Pc, Same)
                : compileRule(Tables, Pc, Same);
  // No call outside of all functions returns to the first instruction of a
  // function: makecontext puts this address at the root of a stack.
  if (R.Kind == RuleKind::None &&
      compileRule(Tables, Pc + 1).Kind != RuleKind::None)
    return {.Kind = RuleKind::End};
  // The program's entry code has no caller, either; some programs have no
  // tables for it.
  constexpr uintptr_t StartBytes = 64;
  if (R.Kind == RuleKind::None && Pc - getauxval(AT_ENTRY) < StartBytes)
    return {.Kind = RuleKind::End};
  if (Remembers)
    S.Recent->add(Same, R);
  return R;
}

bool capture::hasTables(uintptr_t Pc) {
  uint32_t Binary = isUserAddress(Pc) ? Stacks.Bins.binaryOf(Pc) : 0;
  return Binary && ruleAt(Binary, Pc).Kind < RuleKind::None;
}

/// The earlier code of \p Pc, from before its binary was unloaded and loaded
/// again; 0: unknown. A library that is loaded again and again thus uses no new
/// codes.
static uint32_t oldCode(uint32_t Binary, uintptr_t Pc) {
  constexpr uint32_t MaxSearched = 1u << 16;
  Binaries::CodeRange R = Stacks.Bins.oldCodes(Binary);
  for (uint32_t Id = R.First; Id < R.End && Id - R.First < MaxSearched; ++Id) {
    const wire::Code &C = Stacks.Table.code(Id);
    if (C.Address.load(std::memory_order_relaxed) == Pc &&
        C.Container.load(std::memory_order_relaxed) == Binary &&
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
  uint32_t Binary = Stacks.Bins.binaryOf(Pc);
  Rule R{.Kind = RuleKind::None};
  if (Binary)
    R = ruleAt(Binary, Pc);
  if (isOwnCode(Pc))
    return Stacks.Codes.insert(Return, CodeWord::make(R, 0, CodeWord::Hidden));
  auto Kind = interpreter::isEvaluator(Pc) ? wire::CodeKind::Evaluator
                                           : wire::CodeKind::Native;
  uint32_t Code = Binary ? oldCode(Binary, Pc) : 0;
  if (!Code)
    Code = Stacks.Table.newCode(Pc, Binary, Kind);
  CodeWord W = CodeWord::make(R, Code, Binary ? 0 : CodeWord::Unowned);
  return Code ? Stacks.Codes.insert(Return, W) : W;
}

bool capture::stillUnowned(uintptr_t Return, CodeWord &W) {
  if (!Stacks.Bins.binaryOf(Return - 1))
    return true;
  Stacks.Codes.forget({Return, Return + 1});
  W = makeCode(Return);
  return false;
}

static void forgetRange(AddressRange Gone) {
  interpreter::noteGone(Gone);
  Stacks.Codes.forget({Gone.Start + 1, Gone.End + 1});
  if (Stacks.Calls.hasBegun())
    Stacks.Calls.forget({Gone.Start + 1, Gone.End + 1});
  Stacks.Generation.fetch_add(1, std::memory_order_acq_rel);
  Proc.Ctl->BinariesChanged.fetch_add(1, std::memory_order_release);
}

void capture::noteLoaderFree(const void *P) {
  if (!Proc.Epoch.load(std::memory_order_acquire))
    return;
  if (Loader.Lists)
    Stacks.Loaded.forget(P);
  AddressRange Gone;
  if (Stacks.Bins.markGone(P, Gone))
    forgetRange(Gone);
}

void capture::forgetGoneBinaries() {
  AddressRange Gone;
  while (Stacks.Bins.markOneGone(Gone))
    forgetRange(Gone);
}
