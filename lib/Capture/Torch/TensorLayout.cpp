// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where PyTorch keeps the sizes and dtype of a tensor, and the inputs of an
// operator.

#include "TensorLayout.h"

#include "Runtime/ReadMemory.h"
#include "Runtime/Symbols.h"
#include "Wire/Dtypes.h"

#include <cstring>
#include <initializer_list>
#include <type_traits>

using namespace memkit;
using namespace memkit::capture;

constinit TensorLayout capture::TorchLayout;

/// A tensor has its sizes and strides in place up to this number of dimensions;
/// of a tensor with more, the first word is an address.
static constexpr uint32_t InPlace = 5;
/// The sizes and strides in place, in words.
static constexpr uint32_t InPlaceWords = 2 * InPlace;
/// The words of a tensor that are read. A tensor of PyTorch 2.13 has 24.
static constexpr uint32_t TensorWords = 22;
/// The words of a list that are read. A list of PyTorch 2.13 has 7.
static constexpr uint32_t ListWords = 6;

//===----------------------------------------------------------------------===//
// Objects of the library's own
//===----------------------------------------------------------------------===//

/// C functions of AOTInductor. All return 0 for success, and catch exceptions.
struct TensorLayout::ShimFunctions {
  int32_t (*Cpu)();
  int32_t (*Float32)();
  int32_t (*Int64)();
  int32_t (*Bfloat16)();
  int32_t (*MakeTensor)(void *, int64_t, const int64_t *, const int64_t *,
                        int64_t, int32_t, int32_t, int32_t, void **);
  int32_t (*DeleteTensor)(void *);
  int32_t (*FromTensor)(void *, void **);
  int32_t (*FromNumber)(int64_t, void **);
  int32_t (*FromTexts)(const char **, int64_t, void **);
  int32_t (*DeleteValue)(void *);

  bool find() {
    auto Find = [](const char *Name, auto *&To) {
      To = reinterpret_cast<std::remove_reference_t<decltype(To)>>(
          symbolOfLoaded("libtorch_cpu.so", Name));
      return To != nullptr;
    };
    return Find("aoti_torch_device_type_cpu", Cpu) &&
           Find("aoti_torch_dtype_float32", Float32) &&
           Find("aoti_torch_dtype_int64", Int64) &&
           Find("aoti_torch_dtype_bfloat16", Bfloat16) &&
           Find("aoti_torch_create_tensor_from_blob", MakeTensor) &&
           Find("aoti_torch_delete_tensor_object", DeleteTensor) &&
           Find("aoti_torch_tensor_to_ivalue", FromTensor) &&
           Find("aoti_torch_int64_to_ivalue", FromNumber) &&
           Find("aoti_torch_strlist_to_ivalue", FromTexts) &&
           Find("aoti_torch_delete_c10_value_object", DeleteValue);
  }
};

namespace {
/// A tensor over memory that nobody reads.
struct MadeTensor {
  void *Handle = nullptr; ///< at::Tensor *: the address of Words
  const uint64_t *Words = nullptr;

  uint16_t at(uint32_t Offset) const {
    uint16_t V;
    memcpy(&V, reinterpret_cast<const char *>(Words) + Offset, sizeof(V));
    return V;
  }
};
} // namespace

static constexpr int64_t FewSizes[] = {3, 5, 7}, OneSize[] = {11},
                         ManySizes[] = {2, 3, 5, 7, 11, 13, 17};
static constexpr uint32_t Few = 3, One = 1, Many = 7;

alignas(64) static char TensorMemory[64];

struct TensorLayout::MadeTensors {
  const ShimFunctions &Shim;
  /// Of FewSizes, OneSize and ManySizes, with three dtypes.
  MadeTensor A, B, C;

  explicit MadeTensors(const ShimFunctions &Shim) : Shim(Shim) {}
  ~MadeTensors() {
    for (MadeTensor *T : {&A, &B, &C})
      if (T->Handle)
        Shim.DeleteTensor(T->Handle);
  }
  bool make() {
    return make(A, FewSizes, Few, wire::Float32Dtype) &&
           make(B, OneSize, One, wire::Bfloat16Dtype) &&
           make(C, ManySizes, Many, wire::Int64Dtype);
  }

private:
  bool make(MadeTensor &T, const int64_t *Sizes, uint32_t Dims,
            uint32_t Dtype) const {
    int64_t Strides[Many];
    for (uint32_t I = Dims, Stride = 1; I-- != 0; Stride *= uint32_t(Sizes[I]))
      Strides[I] = Stride;
    if (Shim.MakeTensor(TensorMemory, Dims, Sizes, Strides, 0, int32_t(Dtype),
                        Shim.Cpu(), 0, &T.Handle))
      T.Handle = nullptr;
    if (T.Handle)
      T.Words = *static_cast<const uint64_t *const *>(T.Handle);
    return T.Words;
  }
};

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static bool areSizes(const uint64_t *Words, const int64_t *Sizes,
                     uint32_t Dims) {
  return !memcmp(Words, Sizes, Dims * sizeof(int64_t));
}

/// The number of dimensions precedes the sizes.
bool TensorLayout::findSizes(const MadeTensors &Of) {
  uint32_t Found = 0, At = 0;
  for (uint32_t I = 2; I + InPlaceWords <= TensorWords; ++I)
    if (areSizes(Of.A.Words + I, FewSizes, Few)) {
      At = I;
      ++Found;
    }
  if (Found != 1 || Of.A.Words[At - 1] != Few || Of.B.Words[At - 1] != One ||
      Of.C.Words[At - 1] != Many || !areSizes(Of.B.Words + At, OneSize, One))
    return false;
  // A number that is no address would be one of the small sizes.
  uint64_t Sizes = Of.C.Words[At];
  if (Sizes < 4096 || Sizes % alignof(int64_t) ||
      !areSizes(reinterpret_cast<const uint64_t *>(Sizes), ManySizes, Many))
    return false;
  SizesWord = At;
  return true;
}

/// The dtype follows the sizes and strides.
bool TensorLayout::findDtype(const MadeTensors &Of) {
  uint32_t Found = 0;
  for (uint32_t O = (SizesWord + InPlaceWords) * uint32_t(sizeof(uint64_t));
       O + sizeof(uint16_t) <= TensorWords * sizeof(uint64_t);
       O += sizeof(uint16_t))
    if (Of.A.at(O) == wire::Float32Dtype && Of.B.at(O) == wire::Bfloat16Dtype &&
        Of.C.at(O) == wire::Int64Dtype) {
      DtypeOffset = O;
      ++Found;
    }
  return Found == 1;
}

/// A word before the sizes leads to the storage, and one of its words to the
/// memory. Any word may be no address.
void TensorLayout::findMemory(const MadeTensors &Of) {
  constexpr unsigned StorageWords = 8;
  uint32_t Found = 0, Storage = 0, Memory = 0;
  for (uint32_t I = 1; I + 1 < SizesWord; ++I) {
    uintptr_t Words[StorageWords];
    unsigned Read = readWords(Of.A.Words[I], Words, StorageWords);
    for (unsigned J = 1; J < Read; ++J)
      if (Words[J] == uintptr_t(TensorMemory)) {
        Storage = I;
        Memory = J;
        ++Found;
      }
  }
  if (Found != 1)
    return;
  for (const MadeTensor *T : {&Of.B, &Of.C}) {
    uintptr_t Words[StorageWords];
    if (readWords(T->Words[Storage], Words, StorageWords) <= Memory ||
        Words[Memory] != uintptr_t(TensorMemory))
      return;
  }
  StorageWord = Storage;
  MemoryWord = Memory;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A value of a tensor, of a number and of a list of three texts.
bool TensorLayout::findValues(const ShimFunctions &Shim,
                              const MadeTensors &Of) {
  constexpr int64_t Number = 0x6d656d6b69740002;
  const char *Texts[] = {"a", "b", "c"};
  void *Values[3] = {};
  bool AreMade = !Shim.FromTensor(Of.A.Handle, &Values[0]) &&
                 !Shim.FromNumber(Number, &Values[1]) &&
                 !Shim.FromTexts(Texts, 3, &Values[2]) && Values[0] &&
                 Values[1] && Values[2];
  uint32_t Found = 0;
  if (AreMade) {
    TaggedValue V[3];
    for (unsigned I = 0; I != 3; ++I)
      memcpy(&V[I], Values[I], sizeof(V[I]));
    TensorTag = V[0].Tag;
    NumberTag = V[1].Tag;
    ListTag = V[2].Tag;
    bool AreWords = V[0].Payload == uintptr_t(Of.A.Words) &&
                    V[1].Payload == uint64_t(Number) && V[2].Payload > 4096 &&
                    V[2].Payload % sizeof(uint64_t) == 0 &&
                    TensorTag != NumberTag && TensorTag != ListTag &&
                    NumberTag != ListTag;
    auto *List = reinterpret_cast<const uint64_t *>(V[2].Payload);
    for (uint32_t I = 1; AreWords && I + 2 < ListWords; ++I)
      if (List[I] > 4096 && List[I + 1] - List[I] == sizeof(V) &&
          List[I + 2] >= List[I + 1]) {
        ItemWord = I;
        ++Found;
      }
  }
  for (void *Value : Values)
    if (Value)
      Shim.DeleteValue(Value);
  return Found == 1;
}

bool TensorLayout::findTensors() {
  ShimFunctions Shim;
  if (!Shim.find() || Shim.Float32() != int32_t(wire::Float32Dtype) ||
      Shim.Bfloat16() != int32_t(wire::Bfloat16Dtype) ||
      Shim.Int64() != int32_t(wire::Int64Dtype))
    return false;
  MadeTensors Of(Shim);
  if (!Of.make() || Of.A.Words[0] != Of.B.Words[0] ||
      Of.A.Words[0] != Of.C.Words[0])
    return false;
  if (!findSizes(Of) || !findDtype(Of) || !findValues(Shim, Of))
    return false;
  findMemory(Of);
  PlainTable = Of.A.Words[0];
  return true;
}

TensorView TensorLayout::tensor(const TaggedValue &V) const {
  auto *W = reinterpret_cast<const uint64_t *>(V.Payload);
  uint16_t Dtype;
  memcpy(&Dtype, reinterpret_cast<const char *>(W) + DtypeOffset,
         sizeof(Dtype));
  uint64_t Dims = W[SizesWord - 1];
  auto *Sizes = reinterpret_cast<const int64_t *>(W + SizesWord);
  if (Dims > InPlace)
    Sizes = reinterpret_cast<const int64_t *>(W[SizesWord]);
  constexpr uint64_t MaxDims = 64; // of PyTorch
  bool IsPlain = W[0] == PlainTable && Dims <= MaxDims;
  // A tensor that is not plain need have no storage.
  uint64_t Storage = IsPlain && StorageWord ? W[StorageWord] : 0;
  uint64_t Memory =
      Storage ? reinterpret_cast<const uint64_t *>(Storage)[MemoryWord] : 0;
  return {Sizes, IsPlain ? uint32_t(Dims) : 0, Dtype, Memory, IsPlain};
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// The inputs, an address and a count, follow the sequence number. PyTorch's
/// own function says whether it takes the count from there.
bool TensorLayout::findInputs(uint64_t *Function, uint32_t Sequence,
                              uint32_t Words) {
  auto Count = reinterpret_cast<size_t (*)(const void *)>(symbolOfLoaded(
      "libtorch_cpu.so", "_ZNK2at14RecordFunction10num_inputsEv"));
  uint32_t Word = Sequence + 1;
  if (!Count || Word + 1 >= Words || Function[Word] || Function[Word + 1] ||
      Count(Function))
    return false;
  bool Is = true;
  for (uint64_t N : {5, 1000}) {
    Function[Word + 1] = N;
    Is &= Count(Function) == N;
  }
  Function[Word + 1] = 0;
  if (Is)
    InputWord = Word;
  return Is;
}
