// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPython in a process.
//
// An interpreter is found when its binary is first seen, examined when the
// interpreter first runs Python in the calling thread, and walked if the
// examination agrees with the layout of the interpreter's version. The walk
// changes only the deallocator of code objects, which reports to memkit first.

#ifndef MEMKIT_CAPTURE_PYTHON_INTERPRETER_H
#define MEMKIT_CAPTURE_PYTHON_INTERPRETER_H

#include "CodeObjects.h"
#include "Evaluator.h"
#include "HolderRequests.h"
#include "HolderWalk.h"
#include "LayoutTrial.h"
#include "ModuleFinder.h"
#include "Objects.h"
#include "PythonStack.h"
#include "Runtime/Source.h"
#include "Stacks/LoadWatch.h"
#include "Stacks/State.h"
#include "Unwind/Bounds.h"

namespace memkit::capture {

class Interpreter {
public:
  /// Maps the shared tables. False: do not use the object.
  bool begin(int Fd, const wire::Regions &R, wire::Control &C) {
    Ctl = &C;
    Wanted = Codes.begin(Fd, R, C);
    return Wanted;
  }

  /// Looks for an interpreter among the loaded binaries.
  void search() const;

  /// Notes a loaded binary. Called by one thread at a time, before any code of
  /// the binary is seen.
  void noteBinary(AddressRange Binary, const void *LinkMap,
                  const EhFrame &Tables);
  /// Notes an unloaded binary.
  void noteGone(AddressRange Binary);

  /// Has an interpreter been found whose frames may be walked?
  bool isThere() const { return State.load(std::memory_order_acquire) >= Seen; }
  /// Can frames be walked? Examines the interpreter if necessary.
  bool isWalked() {
    uint32_t Is = State.load(std::memory_order_acquire);
    return __builtin_expect(Is == Walked, 1) || (Is == Seen && look());
  }
  /// Called now and then by threads that may run Python: has the finder and the
  /// allocators installed in the interpreter.
  void poll() {
    Finder.poll();
    HolderCalls.poll();
    if (__builtin_expect(Objects.isWanted(), 0) && isWalked())
      Objects.request();
    if (__builtin_expect(Stacks.HasPendingWork, 0) && !Finder.isWanted() &&
        !Objects.isWanted() && !hasLoads())
      Stacks.HasPendingWork.store(false, std::memory_order_relaxed);
  }
  ObjectHooks &objects() { return Objects; }
  HolderWalk &holders() { return Holders; }
  /// Called by a thread that runs Python, with the interpreter examined.
  void takeRequests() {
    // Where few places are new, nobody else polls.
    if (__builtin_expect(HolderCalls.isWanted(), 0))
      poll();
    HolderCalls.take();
  }
  bool isEvaluator(uintptr_t Pc) const { return isThere() && Where.has(Pc); }
  /// Is \p Pc in the function that starts threads for Python? From 3.13 on a
  /// function without a name, which stands beside the one with a name, does.
  bool isThreadStart(uintptr_t Pc) const {
    constexpr uintptr_t Near = 1024;
    return isThere() && ThreadStart && Pc - (ThreadStart - Near) < 2 * Near;
  }

  /// The thread state whose frames the calling thread runs; 0: none, or another
  /// thread is finalising the interpreter.
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

  /// The thread state of a calling thread that holds the interpreter's lock. Up
  /// to 3.11 all interpreters share one lock, and the runtime names the
  /// holder's thread state; threadState() would call three functions.
  uintptr_t lockedState() const {
    uintptr_t Ts = L.Current ? load(Runtime + L.Current) : 0, Self;
    asm("mov %%fs:0x10, %0" : "=r"(Self));
    return __builtin_expect(Ts && load(Ts + L.ThreadId) == Self, 1)
               ? Ts
               : threadState();
  }

  /// The innermost frame; 0: none.
  uintptr_t innermost(uintptr_t Ts) const {
    uintptr_t F = load(Ts + L.Frame);
    return L.CFrame < 0 || !F ? F : load(F + uintptr_t(L.CFrame));
  }

  const PythonLayout &layout() const { return L; }
  /// Was the layout tried, of a later version than memrec knows?
  bool isTried() const {
    return Trial.result() != LayoutTrial::TrialResult::None;
  }
  uint32_t generation() const {
    return Generation.load(std::memory_order_acquire);
  }

  /// Can the code object of a frame be read? Not while the object dies.
  bool isCode(uintptr_t Object) const {
    return Object && load(Object + 8) == CodeType &&
           *reinterpret_cast<const uint32_t *>(Object) != 0;
  }

  /// Copies the first \p Max bytes of a str of ASCII characters to \p To;
  /// returns the size, 0 for another object. Any thread that keeps the object
  /// alive.
  uint32_t copyString(uintptr_t Object, char *To, uint32_t Max) const;

  /// Is the object a tuple with at least one item?
  bool isTuple(uintptr_t Object) const {
    return Object && TupleType && load(Object + 8) == TupleType &&
           load(Object + 16) != 0;
  }

  /// Enters a place that find() does not know.
  InstructionWord enter(const PythonPlace &P, bool IsHidden, char *Buffer) {
    poll();
    return IsHidden ? Codes.enterHidden(P, L, Buffer)
                    : Codes.enter(P, L, LineOf, Buffer);
  }
  CodeObjects &codes() { return Codes; }
  /// The result of PyCode_Addr2Line.
  int lineOf(uintptr_t Code, int Offset) const {
    return LineOf(reinterpret_cast<void *>(Code), Offset);
  }
  InstructionWord find(uintptr_t Key) const { return Codes.find(Key); }

  static uintptr_t load(uintptr_t Address) {
    return *reinterpret_cast<const volatile uintptr_t *>(Address);
  }

  /// The recording ends, and the program goes on: gives the type of code
  /// objects its own deallocator back. Any thread.
  void leave() const;

private:
  enum : uint32_t { None = 0, Refused, Looking, Seen, Walked };

  void refuse(wire::PythonState Why);
  bool look();
  wire::PythonState judge();
  wire::PythonState judgeTrial(LayoutTrial::TrialResult Is) const;
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
  uintptr_t ThreadStart = 0;
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
  LayoutTrial Trial;
  ModuleFinder Finder;
  ObjectHooks Objects;
  HolderWalk Holders;
  HolderRequests HolderCalls;
};

/// Fork wipes the page.
struct alignas(PageBytes) ProcessInterpreter : Interpreter {};
extern ProcessInterpreter Python;

extern const Source PythonSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_INTERPRETER_H
