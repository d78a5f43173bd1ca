// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shapes of operators' inputs, and the floating point operations of their
// calls.

#include "Shapes.h"

#include "Wire/TensorFlowDtypes.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;
using namespace memkit::capture::tf;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

namespace {
enum class FlopFormula : uint8_t {
  None,
  Multiply,      ///< of matrices, in batches
  Convolve,      ///< input, filter
  ConvolveDepth, ///< input, filter of each channel
  InputGradient, ///< sizes, filter, gradient
  FilterGradient ///< input, sizes, gradient
};
struct KnownOperator {
  const char *Name;
  FlopFormula Of = FlopFormula::None;
  const char *Result = "output"; ///< the name of the first
};
} // namespace

/// oneDNN's and fused operators have the same inputs first.
static constexpr KnownOperator Known[] = {
    {"MatMul", FlopFormula::Multiply, "product"},
    {"BatchMatMul", FlopFormula::Multiply},
    {"BatchMatMulV2", FlopFormula::Multiply},
    {"BatchMatMulV3", FlopFormula::Multiply},
    {"Conv2D", FlopFormula::Convolve},
    {"Conv3D", FlopFormula::Convolve},
    {"DepthwiseConv2dNative", FlopFormula::ConvolveDepth},
    {"Conv2DBackpropInput", FlopFormula::InputGradient},
    {"Conv3DBackpropInputV2", FlopFormula::InputGradient},
    {"Conv2DBackpropFilter", FlopFormula::FilterGradient},
    {"Conv2DBackpropFilterWithBias", FlopFormula::FilterGradient},
    {"Conv3DBackpropFilterV2", FlopFormula::FilterGradient},
    {"Add"},
    {"AddN"},
    {"AddV2"},
    {"AvgPool"},
    {"AvgPoolGrad"},
    {"BiasAdd"},
    {"BiasAddGrad"},
    {"Cast"},
    {"ConcatV2"},
    {"Einsum"},
    {"Elu"},
    {"Erf"},
    {"Exp"},
    {"ExpandDims"},
    {"FusedBatchNormGradV3"},
    {"FusedBatchNormV3"},
    {"GatherV2"},
    {"LeakyRelu"},
    {"Log"},
    {"LogSoftmax"},
    {"Max"},
    {"MaxPool"},
    {"MaxPoolGrad"},
    {"Maximum"},
    {"Mean"},
    {"Minimum"},
    {"Mul"},
    {"Neg"},
    {"OneHot"},
    {"Pack"},
    {"Pad"},
    {"Pow"},
    {"RealDiv"},
    {"Relu"},
    {"Relu6"},
    {"ReluGrad"},
    {"Reshape"},
    {"Rsqrt"},
    {"SelectV2"},
    {"Sigmoid"},
    {"SigmoidGrad"},
    {"Slice"},
    {"Softmax"},
    {"SparseSoftmaxCrossEntropyWithLogits"},
    {"Split"},
    {"SplitV"},
    {"Sqrt"},
    {"Square"},
    {"SquaredDifference"},
    {"StridedSlice"},
    {"Sub"},
    {"Sum"},
    {"Tanh"},
    {"TanhGrad"},
    {"Tile"},
    {"Transpose"},
    {"UnsortedSegmentSum"}};

static void drop(NameView &From, const char *Prefix) {
  size_t N = strlen(Prefix);
  if (From.Bytes <= N || memcmp(From.Text, Prefix, N) != 0)
    return;
  From.Text += N;
  From.Bytes -= N;
}

/// `MatMul` for `_MklNativeFusedMatMul`; null: not known.
static const KnownOperator *operatorOf(NameView Type) {
  auto Find = [&]() -> const KnownOperator * {
    for (const KnownOperator &O : Known)
      if (Type.Bytes == strlen(O.Name) &&
          !memcmp(Type.Text, O.Name, Type.Bytes))
        return &O;
    return nullptr;
  };
  const KnownOperator *Is = Find();
  for (const char *Prefix : {"_Mkl", "Native", "_", "Fused"})
    drop(Type, Prefix);
  return Is ? Is : Find();
}

static bool hasFunctions() {
  return Called.NumInputs && Called.Input && Called.Result && Called.Rank &&
         Called.Dimension;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static constexpr int MaxRank = 8;

namespace {
struct TensorShape {
  int Rank = -1; ///< -1: no tensor, or too many dimensions
  int64_t Sizes[MaxRank];

  bool has(int AtLeast) const { return Rank >= AtLeast; }
  int64_t last(int From = 1) const { return Sizes[Rank - From]; }
  uint64_t elements() const {
    uint64_t N = 1;
    for (int I = 0; I < Rank; ++I)
      N *= uint64_t(Sizes[I]);
    return N;
  }
};
} // namespace

/// A Tensor begins with its shape.
static TensorShape shapeOf(const void *Tensor) {
  TensorShape S;
  int Rank = Tensor ? Called.Rank(Tensor) : -1;
  if (Rank < 0 || Rank > MaxRank)
    return S;
  S.Rank = Rank;
  for (int I = 0; I != Rank; ++I)
    S.Sizes[I] = Called.Dimension(Tensor, I);
  return S;
}

/// Of a Tensor; a shape of 16 bytes has the number of the dtype in its 14th.
static const char *dtypeOf(const void *Tensor) {
  constexpr size_t At = 13;
  const char *Name =
      wire::tensorFlowDtype(static_cast<const uint8_t *>(Tensor)[At]);
  return *Name ? Name : "?";
}

namespace {
class InputText {
public:
  InputText(char *To, size_t Max) : To(To), Max(Max) {}
  void add(const char *S) {
    for (; *S; ++S)
      add(*S);
  }
  void add(char C) {
    if (Bytes < Max)
      To[Bytes++] = C;
  }
  void add(uint64_t Number) {
    char Digits[20];
    unsigned N = 0;
    do
      Digits[N++] = char('0' + Number % 10);
    while (Number /= 10);
    while (N)
      add(Digits[--N]);
  }
  bool isFull() const { return Bytes == Max; }
  size_t bytes() const { return Bytes; }

private:
  char *To;
  size_t Max, Bytes = 0;
};
} // namespace

size_t tf::inputsText(const void *Context, const NameView &Type, char *To,
                      size_t Max) {
  if (!hasFunctions() || !operatorOf(Type))
    return 0;
  constexpr int MaxTensors = 24;
  InputText Out(To, Max);
  int Count = Called.NumInputs(Context);
  for (int I = 0; I < Count && I != MaxTensors; ++I) {
    const void *Tensor = Called.Input(Context, I);
    TensorShape S = shapeOf(Tensor);
    if (S.Rank < 0)
      continue;
    if (Out.bytes())
      Out.add(' ');
    Out.add(dtypeOf(Tensor));
    Out.add('[');
    for (int D = 0; D != S.Rank; ++D) {
      if (D)
        Out.add(',');
      Out.add(uint64_t(S.Sizes[D]));
    }
    Out.add(']');
  }
  if (Count > MaxTensors)
    Out.add(" ...");
  return Out.isFull() ? 0 : Out.bytes();
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// Of the call's first result.
static TensorShape resultOf(const void *Context, const char *Name) {
  const void *Tensor = nullptr;
  uintptr_t Status = 0;
  Called.Result(&Status, Context, strlen(Name), Name, &Tensor);
  return shapeOf(Tensor);
}

static TensorShape inputOf(const void *Context, int Number) {
  return Number < Called.NumInputs(Context)
             ? shapeOf(Called.Input(Context, Number))
             : TensorShape();
}

/// Each element of the result sums as many products as the common size has;
/// the left matrix has its elements divided by the rows of the result.
static uint64_t multiply(const void *Context, const char *Result) {
  TensorShape A = inputOf(Context, 0), Out = resultOf(Context, Result);
  if (!A.has(2) || !Out.has(2) || !Out.last(2))
    return 0;
  uint64_t Common =
      uint64_t(A.last(1)) * uint64_t(A.last(2)) / uint64_t(Out.last(2));
  return 2 * Out.elements() * Common;
}

/// \p Out: a tensor with the places where the filter is applied.
static uint64_t convolve(const TensorShape &Out, const TensorShape &Filter) {
  return Out.has(1) && Filter.has(3) && Filter.last()
             ? 2 * Out.elements() *
                   (Filter.elements() / uint64_t(Filter.last()))
             : 0;
}

static uint64_t convolveDepth(const TensorShape &Out,
                              const TensorShape &Filter) {
  return Out.has(1) && Filter.has(4)
             ? 2 * Out.elements() * uint64_t(Filter.Sizes[0]) *
                   uint64_t(Filter.Sizes[1])
             : 0;
}

uint64_t tf::flopsOf(const void *Context, const NameView &Type) {
  const KnownOperator *O = hasFunctions() ? operatorOf(Type) : nullptr;
  if (!O)
    return 0;
  switch (O->Of) {
  case FlopFormula::None:
    return 0;
  case FlopFormula::Multiply:
    return multiply(Context, O->Result);
  case FlopFormula::Convolve:
    return convolve(resultOf(Context, O->Result), inputOf(Context, 1));
  case FlopFormula::ConvolveDepth:
    return convolveDepth(resultOf(Context, O->Result), inputOf(Context, 1));
  case FlopFormula::InputGradient:
    return convolve(inputOf(Context, 2), inputOf(Context, 1));
  case FlopFormula::FilterGradient:
    return convolve(inputOf(Context, 2), resultOf(Context, O->Result));
  }
  return 0;
}
