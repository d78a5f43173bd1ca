// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPython in a process.
//
// The interpreter that a process has: found when the binary with its evaluator
// is entered, looked at when it first runs Python in the calling thread, walked
// when what is there is what its version says. Nothing of it is changed but the
// deallocator of code objects, which tells us first.

#ifndef MEMKIT_CAPTURE_PYTHON_INTERPRETER_H
#define MEMKIT_CAPTURE_PYTHON_INTERPRETER_H

#include "CodeObjects.h"
#include "Evaluator.h"
#include "ModuleFinder.h"
#include "Objects.h"
#include "PythonStack.h"
#include "Runtime/Source.h"
#include "Unwind/Bounds.h"

namespace memkit::capture {

class Interpreter {
public:
  /// Maps the shared tables. False: not to be used.
  bool begin(int Fd, const wire::Regions &R, wire::Control &C) {
    Ctl = &C;
    Wanted = Codes.begin(Fd, R, C);
    return Wanted;
  }

  /// A binary has been loaded. One thread at a time, no code of the binary has
  /// been seen.
  void noteBinary(AddressRange Binary, const void *LinkMap,
                  const EhFrame &Tables);
  /// A binary is gone.
  void noteGone(AddressRange Binary);

  /// Is the interpreter there, and may it have frames that can be walked?
  bool isThere() const { return State.load(std::memory_order_acquire) >= Seen; }
  /// The same, looked at on the way where that has not been done.
  bool isWalked() {
    uint32_t Is = State.load(std::memory_order_acquire);
    return __builtin_expect(Is == Walked, 1) || (Is == Seen && look());
  }
  /// To be called now and then by threads that may run Python: has what is to
  /// be put into the interpreter put there.
  void poll() {
    Finder.poll();
    if (__builtin_expect(Objects.isWanted(), 0) && isWalked())
      Objects.request();
  }
  PythonObjects &objects() { return Objects; }
  bool isEvaluator(uintptr_t Pc) const { return isThere() && Where.has(Pc); }

  /// The thread state whose frames the calling thread runs; 0: it has none, or
  /// the interpreter is being finalised by another thread.
  uintptr_t threadState() const {
    uintptr_t Ts = uintptr_t(ThisThreadState());
    if (!Ts)
      return 0;
    uintptr_t Finalizing = load(Runtime + L.Finalizing);
    if (__builtin_expect(Finalizing && Finalizing != Ts, 0))
      return 0;
    uintptr_t First = load(Runtime + L.Interpreters);
    if (__builtin_expect(!First || load(First + L.NextInterp), 0))
      return ofSeveral(Ts);
    return Ts;
  }

  /// The same of a thread that holds the interpreter's lock: up to 3.11 there
  /// is one for all interpreters, which says whose it is. Asking for the
  /// thread's own goes through three functions.
  uintptr_t lockedState() const {
    uintptr_t Ts = L.Current ? load(Runtime + L.Current) : 0, Self;
    asm("mov %%fs:0x10, %0" : "=r"(Self));
    return __builtin_expect(Ts && load(Ts + L.ThreadId) == Self, 1)
               ? Ts
               : threadState();
  }

  /// The innermost frame; 0: there is none.
  uintptr_t innermost(uintptr_t Ts) const {
    uintptr_t F = load(Ts + L.Frame);
    return L.CFrame < 0 || !F ? F : load(F + uintptr_t(L.CFrame));
  }

  const PythonLayout &layout() const { return L; }
  uint32_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

  /// Can the code object of a frame be looked at? It cannot while it dies.
  bool isCode(uintptr_t Object) const {
    return Object && load(Object + 8) == CodeType &&
           *reinterpret_cast<const uint32_t *>(Object) != 0;
  }

  /// Is it a tuple with an item?
  bool isTuple(uintptr_t Object) const {
    return Object && TupleType && load(Object + 8) == TupleType &&
           load(Object + 16) != 0;
  }

  /// What is known of a place, or becomes known.
  InstructionWord enter(const PythonPlace &P, bool IsHidden, char *Buffer) {
    poll();
    return IsHidden ? Codes.enterHidden(P, L, Buffer)
                    : Codes.enter(P, L, LineOf, Buffer);
  }
  CodeObjects &codes() { return Codes; }
  /// What PyCode_Addr2Line says.
  int lineOf(uintptr_t Code, int Offset) const {
    return LineOf(reinterpret_cast<void *>(Code), Offset);
  }
  InstructionWord find(uintptr_t Key) const { return Codes.find(Key); }

  static uintptr_t load(uintptr_t Address) {
    return *reinterpret_cast<const volatile uintptr_t *>(Address);
  }

private:
  enum : uint32_t { None = 0, Refused, Looking, Seen, Walked };

  void refuse(wire::PythonState Why);
  bool look();
  wire::PythonState judge();
  bool isPlausible(uintptr_t Ts);
  bool isPlausibleFrame(uintptr_t F);
  bool hasInterpreter(uintptr_t Interp) const;
  uintptr_t ofSeveral(uintptr_t Ts) const;
  void watchCodes();
  static void codeDies(void *Code);

  std::atomic<uint32_t> State{None};
  std::atomic<uint32_t> Generation{0}; ///< rises when a known code object dies
  bool Wanted = false;
  Evaluator Where;
  PythonLayout L{};
  uintptr_t Runtime = 0, CodeType = 0, StrType = 0, TupleType = 0;
  void *(*ThisThreadState)() = nullptr;
  void *(*Attached)() = nullptr; ///< the calling thread's, from 3.12 on
  int (*LineOf)(void *, int) = nullptr;
  void *(*FirstInterp)() = nullptr;
  void *(*NextInterp)(void *) = nullptr;
  const char *(*VersionText)() = nullptr;
  const unsigned long *VersionWord = nullptr;
  bool IsDebug = false, IsFreeThreaded = false;
  uint32_t Looks = 0;
  AddressRange Binary;
  wire::Control *Ctl = nullptr;
  CodeObjects Codes;
  ModuleFinder Finder;
  PythonObjects Objects;
};

/// Fork wipes it.
struct alignas(PageBytes) ProcessInterpreter : Interpreter {};
extern ProcessInterpreter Python;

extern const Source PythonSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_INTERPRETER_H
