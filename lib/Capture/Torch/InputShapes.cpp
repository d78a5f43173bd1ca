// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dtypes and shapes of an operator's inputs, as texts in shared memory.

#include "InputShapes.h"

#include "Runtime/Process.h"
#include "TensorLayout.h"
#include "TorchHooks.h"
#include "Wire/Dtypes.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

//===----------------------------------------------------------------------===//
// Hash and text of a combination
//===----------------------------------------------------------------------===//

namespace {
/// Takes the parts of a combination, and hashes them. Records the dtypes of all
/// tensors.
class ShapeHash {
public:
  explicit ShapeHash(ThreadState &Of) : Of(Of) {}

  void tensor(const TensorView &T) {
    note(T);
    mix(uint64_t(T.Dtype) << 32 | uint64_t(T.IsPlain) << 16 | T.Dims);
    for (uint32_t I = 0; I != T.Dims; ++I)
      mix(uint64_t(T.Sizes[I]));
  }
  /// A tensor after the last one of the text.
  void other(const TensorView &T) {
    note(T);
    if (!HasOthers)
      mix(~0ull);
    HasOthers = true;
  }
  void numbers(const char *Name, const int64_t *Values, uint32_t Count) {
    mix(uint64_t(uint8_t(*Name)) << 32 | Count);
    for (uint32_t I = 0; I != Count; ++I)
      mix(uint64_t(Values[I]));
  }
  void unknown(const char *Name) { numbers(Name, nullptr, UINT8_MAX + 1); }
  void word(const char *Name) { mix(uint8_t(*Name)); }
  /// 0: there was no tensor.
  uint64_t value() const { return Hash; }

private:
  void mix(uint64_t Word) {
    constexpr uint64_t Odd = 0x9E3779B97F4A7C15ull;
    Hash = (Hash ^ Word) * Odd + 1;
    Hash ^= Hash >> 29;
  }
  void note(const TensorView &T) {
    if (T.Memory)
      Torch.dtypes().note(Of, T.Memory, T.Dtype);
  }

  ThreadState &Of;
  uint64_t Hash = 0;
  bool HasOthers = false;
};

/// Takes the same parts, and writes them. A text that gets too long ends with
/// ` ...`, as after other().
class ShapeText {
public:
  void tensor(const TensorView &T) {
    const char *Name = wire::dtypeName(T.Dtype);
    space();
    put(Name ? Name : "?");
    put(T.IsPlain ? "[" : "[?");
    for (uint32_t I = 0; I != T.Dims; ++I) {
      put(I ? "," : "");
      put(T.Sizes[I]);
    }
    put("]");
    end();
  }
  void other(const TensorView &) {
    IsFull = true;
    end();
  }
  void numbers(const char *Name, const int64_t *Values, uint32_t Count) {
    space();
    put(Name);
    put("=");
    for (uint32_t I = 0; I != Count; ++I) {
      put(I ? "," : "");
      put(Values[I]);
    }
    end();
  }
  void unknown(const char *Name) {
    space();
    put(Name);
    put("=?");
    end();
  }
  void word(const char *Name) {
    space();
    put(Name);
    end();
  }
  uint32_t add() const { return Proc.Names.add(Text, Bytes); }

private:
  static constexpr char More[] = " ...";

  void space() { put(Whole ? " " : ""); }
  void put(const char *Part) {
    size_t Size = strlen(Part);
    IsFull |= Bytes + Size + sizeof(More) > sizeof(Text);
    if (IsFull)
      return;
    memcpy(Text + Bytes, Part, Size);
    Bytes += uint32_t(Size);
  }
  void put(int64_t N) {
    char Digits[24], *At = Digits + sizeof(Digits) - 1;
    *At = 0;
    uint64_t Rest = N < 0 ? 0 - uint64_t(N) : uint64_t(N);
    do
      *--At = char('0' + Rest % 10);
    while (Rest /= 10);
    if (N < 0)
      *--At = '-';
    put(At);
  }
  /// A part is whole, or the text is full.
  void end() {
    if (!IsFull)
      Whole = Bytes;
    if (!IsFull || IsCut)
      return;
    memcpy(Text + Whole, More, sizeof(More) - 1);
    Bytes = Whole + uint32_t(sizeof(More)) - 1;
    IsCut = true;
  }

  char Text[1024];
  uint32_t Bytes = 0;
  uint32_t Whole = 0; ///< up to the last whole part
  bool IsFull = false, IsCut = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// The parts of a combination
//===----------------------------------------------------------------------===//

/// A list is not longer.
static constexpr uint32_t MaxListed = 4096;

namespace {
/// Reads the inputs of an operator for a ShapeHash or a ShapeText.
template <class Target> class InputReader {
public:
  InputReader(ValueList Inputs, Target &To) : Inputs(Inputs), To(To) {}

  void read(const char *Name) {
    tensors(Inputs, /*IsOuter=*/true);
    constexpr char Prefix[] = "aten::";
    if (Tensors && !strncmp(Name, Prefix, sizeof(Prefix) - 1))
      convolution(Name + sizeof(Prefix) - 1);
  }
  bool hasTensors() const { return Tensors; }

private:
  void tensors(ValueList Of, bool IsOuter) {
    for (size_t I = 0; I < Of.Count && I < MaxListed; ++I) {
      const TaggedValue &V = Of.First[I];
      if (TorchLayout.isTensor(V)) {
        TensorView T = TorchLayout.tensor(V);
        // An undefined tensor, which stands for none.
        if (!T.IsPlain && !wire::dtypeName(T.Dtype))
          continue;
        if (++Tensors > InputShapes::MaxTensors)
          To.other(T);
        else
          To.tensor(T);
      } else if (IsOuter && TorchLayout.isList(V)) {
        tensors(TorchLayout.items(V), false);
      }
    }
  }

  /// The numbers of aten::convolution, which has eight inputs before its
  /// groups, and of its variants.
  void convolution(const char *Name) {
    Name += *Name == '_';
    if (Name[0] != 'c' || strncmp(Name, "convolution", 11))
      return;
    if (!strcmp(Name + 11, "_backward"))
      return convolutionBackward();
    if ((Name[11] && strcmp(Name + 11, "_overrideable")) || Inputs.Count < 9)
      return;
    numbers("stride", 3, 1);
    numbers("padding", 4, 0);
    numbers("dilation", 5, 1);
    flag("transposed", 6);
    numbers("output_padding", 7, 0);
  }
  void convolutionBackward() {
    if (Inputs.Count < 11)
      return;
    flag("transposed", 7);
    flags("mask", 10, Inputs.First[7].Tag);
  }

  /// The list of numbers at an input, unless all are the usual ones.
  void numbers(const char *Name, uint32_t At, int64_t Usual) {
    list(Name, At, Usual, [](const TaggedValue &V, int64_t &To) {
      To = int64_t(V.Payload);
      return TorchLayout.isNumber(V);
    });
  }
  /// The list of flags at an input, unless all are set.
  void flags(const char *Name, uint32_t At, uint32_t FlagTag) {
    list(Name, At, 1, [FlagTag](const TaggedValue &V, int64_t &To) {
      To = V.Payload & 1;
      return V.Tag == FlagTag;
    });
  }
  template <class Read>
  void list(const char *Name, uint32_t At, int64_t Usual, Read Get) {
    constexpr uint32_t Max = 8;
    int64_t Values[Max];
    if (!TorchLayout.isList(Inputs.First[At]))
      return To.unknown(Name);
    ValueList Of = TorchLayout.items(Inputs.First[At]);
    if (!Of.Count || Of.Count > Max)
      return To.unknown(Name);
    bool IsUsual = true;
    for (uint32_t I = 0; I != Of.Count; ++I) {
      if (!Get(Of.First[I], Values[I]))
        return To.unknown(Name);
      IsUsual &= Values[I] == Usual;
    }
    if (!IsUsual)
      To.numbers(Name, Values, uint32_t(Of.Count));
  }
  void flag(const char *Name, uint32_t At) {
    if (Inputs.First[At].Payload & 1)
      To.word(Name);
  }

  ValueList Inputs;
  Target &To;
  uint32_t Tensors = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

InputShapes::ShapeSlot *InputShapes::table() {
  ShapeSlot *T = Table.load(std::memory_order_acquire);
  if (__builtin_expect(T != nullptr, 1))
    return T;
  constexpr size_t Bytes = NumSlots * sizeof(ShapeSlot);
  auto *Mine = static_cast<ShapeSlot *>(sys::mapPrivate(Bytes));
  if (!Mine ||
      Table.compare_exchange_strong(T, Mine, std::memory_order_acq_rel))
    return Mine;
  sys::unmap(Mine, Bytes);
  return T;
}

/// Apart, because the text needs a kilobyte of stack.
__attribute__((noinline)) static uint32_t addText(ValueList Inputs,
                                                  const char *Name) {
  ShapeText Text;
  InputReader<ShapeText>(Inputs, Text).read(Name);
  return Text.add();
}

uint32_t InputShapes::textOf(ThreadState &T, const void *Function,
                             const char *Name) {
  ValueList Inputs = TorchLayout.inputs(Function);
  ShapeHash Of(T);
  InputReader<ShapeHash> Reader(Inputs, Of);
  Reader.read(Name);
  ShapeSlot *Slots = Reader.hasTensors() ? table() : nullptr;
  if (!Slots)
    return 0;
  ShapeSlot *S = slotOf(*Slots, Of.value() | 1);
  if (!S)
    return 0;
  uint32_t Text = S->Text.load(std::memory_order_acquire);
  if (__builtin_expect(Text != 0, 1) ||
      HasNoRoom.load(std::memory_order_relaxed))
    return Text;
  // Another thread may write the text at the same time: then there are two.
  Text = addText(Inputs, Name);
  if (Text)
    S->Text.store(Text, std::memory_order_release);
  else
    HasNoRoom.store(true, std::memory_order_relaxed);
  return Text;
}

/// The slot of a combination, taken if new; null: there are too many.
InputShapes::ShapeSlot *InputShapes::slotOf(ShapeSlot &Table, uint64_t Hash) {
  for (uint32_t I = uint32_t(Hash >> 40), N = 0; N != MaxSteps; ++I, ++N) {
    ShapeSlot &S = (&Table)[I % NumSlots];
    uint64_t Is = S.Hash.load(std::memory_order_acquire);
    if (Is == Hash)
      return &S;
    if (Is)
      continue;
    if (Count.load(std::memory_order_relaxed) >= MaxTexts)
      return nullptr;
    if (S.Hash.compare_exchange_strong(Is, Hash, std::memory_order_acq_rel)) {
      Count.fetch_add(1, std::memory_order_relaxed);
      return &S;
    }
    if (Is == Hash)
      return &S;
  }
  return nullptr;
}
