// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of PyTorch and arrays of NumPy in a program that runs.
//
// PyTorch (c10/core/TensorImpl.h of 2.13): the number of dimensions, five sizes
// and five strides in place or a pointer to more, the offset in the storage,
// the number of elements, the dtype's number. The offset of these members is
// found by the program's own tensors: the sizes and strides of a contiguous
// tensor agree with its number of elements.
//
// NumPy (numpy/ndarraytypes.h): behind the object's header the data, the number
// of dimensions, pointers to sizes and strides, the base, the dtype's object,
// whose number lies behind its header, its class and four characters.

#include "Census/Arrays.h"
#include "Census/Words.h"
#include "Wire/Dtypes.h"
#include "llvm/ADT/StringExtras.h"
#include <array>
#include <map>
#include <optional>

using namespace llvm;
using namespace memkit;

static constexpr uint64_t MaxDimensions = 64;

static std::string shapeText(StringRef Dtype, ArrayRef<uint64_t> Sizes) {
  constexpr size_t MaxShown = 8;
  SmallVector<std::string> Texts;
  for (uint64_t Size : Sizes.take_front(MaxShown))
    Texts.push_back(std::to_string(Size));
  if (Sizes.size() > MaxShown)
    Texts.push_back("...");
  return (Dtype + "[" + join(Texts, ", ") + "]").str();
}

/// Sizes of arrays that a machine can have.
static bool areSizes(ArrayRef<uint64_t> Sizes) {
  uint64_t All = 1;
  for (uint64_t Size : Sizes) {
    if (Size >> 48 || (Size && All > (uint64_t(1) << 48) / Size))
      return false;
    All *= std::max<uint64_t>(Size, 1);
  }
  return true;
}

static std::optional<SmallVector<uint64_t>>
readSizes(const TargetMemory &Memory, uint64_t At, uint64_t Count) {
  if (Count > MaxDimensions)
    return std::nullopt;
  SmallVector<uint64_t> Sizes(Count);
  if ((Count && !Memory.read(At, Sizes.data(), Count * sizeof(uint64_t))) ||
      !areSizes(Sizes))
    return std::nullopt;
  return Sizes;
}

//===----------------------------------------------------------------------===//
// PyTorch
//===----------------------------------------------------------------------===//

namespace {

/// Reads c10::TensorImpl.
class TensorReader {
public:
  TensorReader(const TargetMemory &Memory) : Memory(Memory) {}
  /// Votes on where the number of dimensions lies.
  void vote(const BlockGraph::GraphBlock &B);
  void decide();
  std::string shapeOf(const BlockGraph::GraphBlock &B) const;

private:
  static constexpr uint64_t InPlace = 5, First = 32, Last = 120;
  /// From the number of dimensions on.
  static constexpr uint64_t Sizes = 8, Strides = Sizes + InPlace * 8,
                            Elements = Strides + InPlace * 8 + 8,
                            Dtype = Elements + 8, Bytes = Dtype + 2;
  std::vector<uint8_t> read(const BlockGraph::GraphBlock &B) const {
    return Memory.readUpTo(B.Address,
                           size_t(std::min<uint64_t>(B.Bytes, Last + Bytes)));
  }
  static bool isContiguous(ArrayRef<uint8_t> Of, uint64_t At);

  const TargetMemory &Memory;
  std::map<uint64_t, uint64_t> Votes; ///< by offset
  uint64_t At = 0;                    ///< 0: not known
};

} // namespace

bool TensorReader::isContiguous(ArrayRef<uint8_t> Of, uint64_t At) {
  uint64_t Count = wordAt(Of, At), All = 1;
  if (!Count || Count > InPlace)
    return false;
  for (uint64_t I = Count; I-- > 0;) {
    uint64_t Size = wordAt(Of, At + Sizes + I * 8);
    if (!Size || Size >> 40 || All >> 48 ||
        wordAt(Of, At + Strides + I * 8) != All)
      return false;
    All *= Size;
  }
  return All > 1 && wordAt(Of, At + Elements) == All;
}

void TensorReader::vote(const BlockGraph::GraphBlock &B) {
  std::vector<uint8_t> Of = read(B);
  for (uint64_t At = First; At <= Last && At + Bytes <= Of.size(); At += 8)
    Votes[At] += isContiguous(Of, At);
}

void TensorReader::decide() {
  uint64_t Most = 0;
  for (auto [Offset, Count] : Votes)
    if (Count > Most) {
      Most = Count;
      At = Offset;
    }
}

std::string TensorReader::shapeOf(const BlockGraph::GraphBlock &B) const {
  std::vector<uint8_t> Of = read(B);
  if (!At || At + Bytes > Of.size())
    return "";
  uint64_t Count = wordAt(Of, At);
  uint64_t Where =
      Count > InPlace ? wordAt(Of, At + Sizes) : B.Address + At + Sizes;
  const char *Name =
      wire::dtypeName(uint32_t(Of[At + Dtype] | Of[At + Dtype + 1] << 8));
  auto Found = readSizes(Memory, Where, Count);
  return Name && Found ? shapeText(Name, *Found) : "";
}

//===----------------------------------------------------------------------===//
// NumPy
//===----------------------------------------------------------------------===//

/// The name of a dtype by its number (NPY_TYPES); empty: a class of the
/// program's, or an unknown one.
static StringRef numpyName(uint32_t Number) {
  static constexpr StringLiteral Names[] = {
      "bool",       "int8",       "uint8",       "int16",    "uint16",
      "int32",      "uint32",     "int64",       "uint64",   "int64",
      "uint64",     "float32",    "float64",     "float128", "complex64",
      "complex128", "complex256", "object",      "bytes",    "str",
      "void",       "datetime64", "timedelta64", "float16"};
  return Number < std::size(Names) ? StringRef(Names[Number]) : StringRef();
}

static std::string numpyShape(const TargetMemory &Memory,
                              const BlockGraph::GraphBlock &B) {
  // Data, number of dimensions, sizes, strides, base, dtype.
  std::array<uint64_t, 6> Of;
  uint32_t Number = 0;
  constexpr uint64_t Header = 16, NumberAt = Header + 8 + 4;
  if (!Memory.read(B.Address + B.Is.Offset + Header, Of.data(), sizeof(Of)) ||
      !Memory.read(Of[5] + NumberAt, Number))
    return "";
  auto Sizes = readSizes(Memory, Of[2], uint32_t(Of[1]));
  StringRef Name = numpyName(Number);
  return Name.empty() || !Sizes ? "" : shapeText(Name, *Sizes);
}

//===----------------------------------------------------------------------===//

DenseSet<uint32_t> memkit::nameArrays(const TargetMemory &Memory,
                                      BlockKinds &Kinds, BlockGraph &Graph) {
  constexpr StringLiteral Tensor = "c10::TensorImpl",
                          Storage = "c10::StorageImpl";
  TensorReader Tensors(Memory);
  for (const BlockGraph::GraphBlock &B : Graph.blocks())
    if (B.Is.Of == BlockKinds::Cxx && Kinds.name(B.Is.Name) == Tensor)
      Tensors.vote(B);
  Tensors.decide();
  DenseSet<uint32_t> Names;
  Graph.changeKinds([&](const BlockGraph::GraphBlock &B) {
    BlockKinds::BlockKind Is = B.Is;
    StringRef Name = Kinds.name(Is.Name);
    std::string Shape;
    if (Is.Of == BlockKinds::Cxx && Name == Storage)
      Is.Of = BlockKinds::Unknown; // memory of its tensor
    else if (Is.Of == BlockKinds::Cxx && Name == Tensor)
      Shape = Tensors.shapeOf(B);
    else if (Is.Of == BlockKinds::Python && Name == "numpy.ndarray")
      Shape = numpyShape(Memory, B);
    if (!Shape.empty()) {
      Is.Name = Kinds.numberOf(Shape);
      Names.insert(Is.Name);
    }
    return Is;
  });
  return Names;
}
