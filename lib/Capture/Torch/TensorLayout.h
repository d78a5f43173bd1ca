// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where PyTorch keeps the sizes and dtype of a tensor, and the inputs of an
// operator.
//
// The places are searched once, in tensors and values that the library makes
// itself through the C functions of AOTInductor (from PyTorch 2.9 on), with
// sizes, dtypes and contents of its own choice. A place counts only if it is
// unique and agrees in all of them. In a PyTorch that differs no place is
// known, and nothing is read.
//
// The functions below run no operator and allocate a few small objects.

#ifndef MEMKIT_CAPTURE_TORCH_TENSORLAYOUT_H
#define MEMKIT_CAPTURE_TORCH_TENSORLAYOUT_H

#include <cstddef>
#include <cstdint>

namespace memkit::capture {

/// A tensor, read by TensorLayout. Valid while the tensor lives.
struct TensorView {
  const int64_t *Sizes;
  uint32_t Dims;
  uint16_t Dtype;  ///< as wire::dtypeName() takes it
  uint64_t Memory; ///< where it begins; 0: none, or not known
  /// The sizes are the tensor's own: neither nested, sparse nor batched.
  bool IsPlain;
};

/// An IValue: a value with a tag.
struct TaggedValue {
  uint64_t Payload;
  uint32_t Tag;
};
static_assert(sizeof(TaggedValue) == 16);

/// Values that follow each other in memory.
struct ValueList {
  const TaggedValue *First = nullptr;
  size_t Count = 0;
};

/// Plain memory, which children of fork keep: PyTorch stays where it is.
class TensorLayout {
public:
  /// Searches the places in a tensor and in values. By one thread, once. False:
  /// a symbol is missing, or the places differ.
  bool findTensors();
  /// Searches the place of the inputs in a RecordFunction of the library's own
  /// without inputs, which is changed for a moment. \p Sequence: the word of
  /// its sequence number; \p Words: its size.
  bool findInputs(uint64_t *Function, uint32_t Sequence, uint32_t Words);
  bool isKnown() const { return InputWord && PlainTable; }

  // The functions below need isKnown(), and take objects that live. Any thread.

  /// The inputs of a RecordFunction, during its start callback.
  ValueList inputs(const void *Function) const {
    auto *W = static_cast<const uint64_t *>(Function) + InputWord;
    return {reinterpret_cast<const TaggedValue *>(W[0]), W[1]};
  }
  bool isTensor(const TaggedValue &V) const { return V.Tag == TensorTag; }
  bool isNumber(const TaggedValue &V) const { return V.Tag == NumberTag; }
  bool isList(const TaggedValue &V) const { return V.Tag == ListTag; }
  /// The tensor of a value with isTensor().
  TensorView tensor(const TaggedValue &V) const;
  /// The values of a value with isList().
  ValueList items(const TaggedValue &V) const {
    auto *W = reinterpret_cast<const uint64_t *>(V.Payload) + ItemWord;
    return {reinterpret_cast<const TaggedValue *>(W[0]),
            (W[1] - W[0]) / sizeof(TaggedValue)};
  }

private:
  struct MadeTensors;
  struct ShimFunctions;
  bool findSizes(const MadeTensors &Of);
  bool findDtype(const MadeTensors &Of);
  void findMemory(const MadeTensors &Of);
  bool findValues(const ShimFunctions &Shim, const MadeTensors &Of);

  uint32_t InputWord = 0;   ///< of a RecordFunction; 0: not known
  uintptr_t PlainTable = 0; ///< the virtual functions of plain tensors
  uint32_t SizesWord = 0;   ///< of a tensor: sizes, or their address
  /// Of a tensor: its storage; of a storage: the memory. 0: not known.
  uint32_t StorageWord = 0, MemoryWord = 0;
  uint32_t DtypeOffset = 0; ///< of a tensor, in bytes
  uint32_t TensorTag = 0, NumberTag = 0, ListTag = 0;
  uint32_t ItemWord = 0; ///< of a list: the first item's address, and the end
};

/// Of this process and its children.
extern TensorLayout TorchLayout;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_TORCH_TENSORLAYOUT_H
