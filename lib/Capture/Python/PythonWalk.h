// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks Python's frames.
//
// One class for each way in which versions link frames; walks the frames of the
// calling thread's state.

#ifndef MEMKIT_CAPTURE_PYTHON_PYTHONWALK_H
#define MEMKIT_CAPTURE_PYTHON_PYTHONWALK_H

#include "Interpreter.h"
#include "PythonStack.h"
#include "Runtime/Process.h"
#include "Stacks/State.h"

namespace memkit::capture {

inline constexpr uint32_t PythonSlots = 1024;
/// In KnownPython::Code: a frame on the C stack, between two runs of the
/// evaluator.
inline constexpr uint32_t ShimBit = 1u << 31;
/// The frame's code could not be read: nothing of the frame is kept.
inline constexpr uint32_t UnknownBit = 1u << 30;
/// A call of a module of PyTorch; the first local is the module.
inline constexpr uint32_t LayerBit = 1u << 29;
/// A call of an optimizer's step; the first local is a tuple with the
/// optimizer.
inline constexpr uint32_t OptimizerBit = 1u << 28;
/// A function of TensorFlow or Keras, in the bits of RoleMask; 0: another one.
inline constexpr uint32_t RoleMask = 15u << 24;
inline constexpr uint32_t CodeMask = (1u << 24) - 1;
enum CallRole : uint32_t {
  CR_KerasLayer = 1u << 24,     ///< a call of a layer, the first local
  CR_KerasOptimizer = 2u << 24, ///< a step of an optimizer, the first local
  CR_Gradient = 3u << 24,       ///< the gradient of an operator
  CR_Tracing = 4u << 24,        ///< a graph is being made of a function
};
inline bool KnownPython::isCoded() const { return Code & CodeMask; }

/// The Place of a frame that is not kept; equals no frame's.
inline constexpr uintptr_t NoPlace = ~uintptr_t(0);
/// No node: the thread's memory for the walk is too small.
inline constexpr uint32_t TooMany = ~0u;

/// Adds nodes for the frames of S.Known from \p From on, whose codes are set;
/// returns the innermost node.
uint32_t nodesOfRest(PythonThread &S, uint32_t From);

template <FrameShape Shape> class PythonWalk {
public:
  explicit PythonWalk(PythonThread &S)
      : S(S), Instruction(Python.layout().Instruction) {}

  /// The node of \p Frame, the innermost frame; or TooMany.
  uint32_t node(uintptr_t Frame) {
    uint32_t Joined;
    if (!collect(Frame, Joined))
      return TooMany;
    S.cut(Joined);
    if (!NumNew && (Joined <= S.Exact || Joined == Last))
      return S.Known[Joined - 1].Node;
    return takeNew();
  }

private:
  using Offsets = FrameOffsets<Shape>;
  static constexpr uintptr_t Code = Offsets::Code, Owner = Offsets::Owner;
  static constexpr uintptr_t Previous = Offsets::Previous;

  static uintptr_t load(uintptr_t At) { return Interpreter::load(At); }
  static uint8_t loadByte(uintptr_t At) {
    return *reinterpret_cast<const volatile uint8_t *>(At);
  }

  /// The compared value of a frame, beside its caller: the instruction, and the
  /// entry flag if the caller does not show it.
  uintptr_t placeOf(uintptr_t F) const {
    if (Shape == FrameShape::Marked)
      return load(F + Offsets::Instruction) | loadByte(F + Owner);
    if (hasShims(Shape))
      return load(F + Offsets::Instruction);
    // Objects are at multiples of 16. At starts at -1.
    uint32_t At = *reinterpret_cast<const volatile uint32_t *>(F + Instruction);
    return load(F + Code) << 17 ^ (At + 1);
  }

  static uint32_t slotOf(uintptr_t F) {
    return uint32_t(F >> 4 ^ F >> 13) % PythonSlots;
  }

  bool push(uintptr_t F, uintptr_t Caller, uintptr_t Place) {
    if (__builtin_expect(NumNew == S.Capacity, 0))
      return false;
    S.New[NumNew++] = {F, Caller, Place};
    return true;
  }

  void noteMarked(uint32_t I, uint32_t Code) {
    if (I < 65536)
      (Code & LayerBit ? S.Layers : S.Calls).add(uint16_t(I));
  }
  bool collect(uintptr_t F, uint32_t &Joined);
  bool follow(uint32_t I, uintptr_t &F, uint32_t &Joined);
  uint32_t takeNew();
  uint32_t codeOf(const NewPython &N, bool CallerIsShim);
  uint32_t newCode(const NewPython &N, uintptr_t Key, bool IsEntry);
  bool hasBegun(const NewPython &N, uintptr_t CodeObject) const;

  PythonThread &S;
  const uintptr_t Instruction;
  uint32_t NumNew = 0;
  uint32_t Last = 0; ///< the number of frames of the last walk
};

/// Fills S.New with all frames except the first \p Joined of S.Known. False: no
/// room.
template <FrameShape Shape>
inline bool PythonWalk<Shape>::collect(uintptr_t F, uint32_t &Joined) {
  Last = S.Count;
  while (F) {
    uint32_t I = S.Where[slotOf(F)];
    if (I < Last && S.Known[I].Frame == F) {
      if (!follow(I, F, Joined))
        return false;
      if (!F)
        return true;
      continue;
    }
    uintptr_t Caller = load(F + Previous);
    if (!push(F, Caller, placeOf(F)))
      return false;
    F = Caller;
  }
  Joined = 0;
  return true;
}

/// Compares frames with the last walk, outwards from \p F, the frame at \p I in
/// S.Known, while the callers are the same. Sets \p F to the first unknown
/// frame; or to 0, with \p Joined the number of frames outside the last changed
/// frame. Of a stack that is far too deep, frames are left out in the middle:
/// they count as unchanged between frames that are.
template <FrameShape Shape>
inline bool PythonWalk<Shape>::follow(uint32_t I, uintptr_t &F,
                                      uint32_t &Joined) {
  const KnownPython *K = S.Known + I, *Same = K;
  const ptrdiff_t Compared = Proc.MaxDepth > 1024 ? Proc.MaxDepth : 1024;
  for (;; --K) {
    if (__builtin_expect(Same - K == Compared && K - S.Known > Compared, 0))
      K = S.Known + Compared;
    uintptr_t Caller = load(K->Frame + Previous);
    uintptr_t Place = placeOf(K->Frame);
    if (__builtin_expect(Place != K->Place || Caller != K->Previous, 0)) {
      for (; Same != K; --Same)
        if (!push(Same->Frame, Same->Previous, Same->Place))
          return false;
      if (!push(K->Frame, Caller, Place))
        return false;
      --Same;
      if (Caller != K->Previous) {
        F = Caller;
        Joined = 0;
        return true;
      }
    }
    if (K == S.Known)
      break;
  }
  F = 0;
  Joined = uint32_t(Same + 1 - S.Known);
  return true;
}

/// Appends S.New, outermost first, to the joined frames, with nodes.
template <FrameShape Shape> inline uint32_t PythonWalk<Shape>::takeNew() {
  uint32_t I = S.Count, From = I < S.Exact ? I : S.Exact;
  bool IsFast = From == I && I + NumNew <= Proc.MaxDepth;
  if (__builtin_expect(I + NumNew > S.Capacity, 0))
    return TooMany;
  uint32_t Node = I && IsFast ? S.Known[I - 1].Node : 0;
  bool CallerIsShim = I && S.Known[I - 1].Code & ShimBit;
  while (NumNew) {
    const NewPython &N = S.New[--NumNew];
    uint32_t Code = codeOf(N, CallerIsShim);
    CallerIsShim = Code & ShimBit;
    if (IsFast && (Code & CodeMask)) {
      uint32_t Next = Stacks.Table.find(Node, Code & CodeMask);
      IsFast = Next != 0;
      Node = Next;
    }
    if (IsFast)
      From = I + 1;
    S.Where[slotOf(N.Frame)] = I;
    uintptr_t Place = Code & UnknownBit ? NoPlace : N.Place;
    if (__builtin_expect(Code & (LayerBit | RoleMask) && !(Code & UnknownBit),
                         0))
      noteMarked(I, Code);
    S.Known[I++] = {N.Frame, N.Previous, Place, Node, Code};
  }
  S.Count = I;
  if (__builtin_expect(IsFast, 1)) {
    S.Exact = I;
    return Node;
  }
  return nodesOfRest(S, From);
}

template <FrameShape Shape>
inline uint32_t PythonWalk<Shape>::codeOf(const NewPython &N,
                                          bool CallerIsShim) {
  uintptr_t Key = N.Place;
  bool IsEntry = true;
  if (hasShims(Shape)) {
    if (loadByte(N.Frame + Owner) >= OwnedByCStack)
      return ShimBit;
    IsEntry = CallerIsShim;
    Key |= IsEntry;
  } else if (Shape == FrameShape::Marked) {
    IsEntry = Key & 1;
  }
  // Instructions have neighbouring addresses: without the hash, a search would
  // pass hundreds of other keys.
  Key = __builtin_bswap64(Key * 0x9e3779b97f4a7c15ull);
  InstructionWord W = Python.find(Key);
  return __builtin_expect(bool(W), 1) ? W.code() : newCode(N, Key, IsEntry);
}

/// Would a traceback show the frame? Not while the frame is being made.
template <FrameShape Shape>
inline bool PythonWalk<Shape>::hasBegun(const NewPython &N,
                                        uintptr_t CodeObject) const {
  const PythonLayout &L = Python.layout();
  uintptr_t Begin = CodeObject + L.Bytes;
  uintptr_t First =
      *reinterpret_cast<const uint32_t *>(CodeObject + L.FirstTraceable);
  uintptr_t At = N.Place & ~uintptr_t(1);
  // For Marked, the owner follows the flag.
  uint8_t IsOwned =
      loadByte(N.Frame + Owner + (Shape == FrameShape::Marked ? 1 : 0));
  return IsOwned == OwnedByGenerator || At >= Begin + 2 * First;
}

/// The code of a new place. A place that cannot be examined has no node now.
template <FrameShape Shape>
__attribute__((noinline)) uint32_t
PythonWalk<Shape>::newCode(const NewPython &N, uintptr_t Key, bool IsEntry) {
  uintptr_t Object = load(N.Frame + Code) & CodeAddress;
  if (!Python.isCode(Object))
    return UnknownBit;
  PythonPlace P = {Key, Object, 0, IsEntry};
  bool IsHidden = false;
  if (Shape == FrameShape::Objects) {
    uint32_t At = *reinterpret_cast<const uint32_t *>(N.Frame + Instruction);
    // A place without a unique key is not remembered.
    bool IsUnique = Object % 16 == 0 && At + 1 < 1u << 21;
    P.Key = IsUnique ? Key : 0;
    P.Offset = int32_t(At) * (Python.layout().Minor >= 10 ? 2 : 1);
  } else {
    const PythonLayout &L = Python.layout();
    P.Offset = int64_t((N.Place & ~uintptr_t(1)) - Object - L.Bytes);
    int64_t Bytes = 2 * int64_t(load(Object + 16));
    if (P.Offset < -2 || P.Offset >= Bytes)
      return UnknownBit;
    IsHidden = !hasBegun(N, Object);
  }
  return Python.enter(P, IsHidden, S.Buffer).code();
}

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_PYTHONWALK_H
