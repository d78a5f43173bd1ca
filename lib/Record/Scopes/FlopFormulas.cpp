// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating point operations of PyTorch's operators, from the shapes of their
// inputs.

#include "Scopes/FlopFormulas.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <initializer_list>

using namespace llvm;
using namespace memkit;

using InputSizes = SmallVector<uint64_t, 5>;

static uint64_t product(ArrayRef<uint64_t> Of) {
  uint64_t All = 1;
  for (uint64_t N : Of)
    All = SaturatingMultiply(All, N);
  return All;
}

static uint64_t product(std::initializer_list<uint64_t> Of) {
  return product(ArrayRef(Of.begin(), Of.size()));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {
/// The inputs that a text lists.
struct CallInputs {
  SmallVector<InputSizes, 6> Tensors;
  /// Of a convolution; empty: the usual ones.
  InputSizes Stride, Padding, Dilation, Mask;
  bool IsTransposed = false;
  bool HasIndices = false; ///< a tensor of int32: lengths of sequences

  bool parse(StringRef Text);
  bool has(size_t Tensor, size_t Dims) const {
    return Tensor < Tensors.size() && Tensors[Tensor].size() == Dims;
  }

private:
  bool parsePart(StringRef Part);
};
} // namespace

static bool parseNumbers(StringRef Text, InputSizes &To) {
  constexpr size_t Max = 64;
  while (!Text.empty()) {
    auto [First, Rest] = Text.split(',');
    uint64_t N;
    if (First.getAsInteger(10, N) || To.size() == Max)
      return false;
    To.push_back(N);
    Text = Rest;
  }
  return true;
}

bool CallInputs::parsePart(StringRef Part) {
  if (Part == "transposed")
    return IsTransposed = true;
  if (auto [Name, Numbers] = Part.split('='); !Numbers.empty()) {
    InputSizes *To = Name == "stride"     ? &Stride
                     : Name == "padding"  ? &Padding
                     : Name == "dilation" ? &Dilation
                     : Name == "mask"     ? &Mask
                                          : nullptr;
    // No formula needs output_padding.
    return !To || parseNumbers(Numbers, *To);
  }
  auto [Dtype, Shape] = Part.split('[');
  HasIndices |= Dtype == "int32";
  Tensors.emplace_back();
  return Shape.consume_back("]") && parseNumbers(Shape, Tensors.back());
}

/// False: a part is unknown (`[?]`), missing (`...`) or no part.
bool CallInputs::parse(StringRef Text) {
  while (!Text.empty()) {
    auto [Part, Rest] = Text.split(' ');
    if (!parsePart(Part))
      return false;
    Text = Rest;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

/// The product of the matrices in two tensors.
static uint64_t matrices(const CallInputs &In, size_t A, size_t B) {
  if (!In.has(A, 2) || !In.has(B, 2) || In.Tensors[A][1] != In.Tensors[B][0])
    return 0;
  return product({2, In.Tensors[A][0], In.Tensors[A][1], In.Tensors[B][1]});
}

/// As matrices(), for batches.
static uint64_t batches(const CallInputs &In, size_t A, size_t B) {
  if (!In.has(A, 3) || !In.has(B, 3) || In.Tensors[A][0] != In.Tensors[B][0] ||
      In.Tensors[A][2] != In.Tensors[B][1])
    return 0;
  return product({2, product(In.Tensors[A]), In.Tensors[B][2]});
}

static uint64_t mm(const CallInputs &In) { return matrices(In, 0, 1); }
static uint64_t addmm(const CallInputs &In) { return matrices(In, 1, 2); }
static uint64_t bmm(const CallInputs &In) { return batches(In, 0, 1); }
static uint64_t baddbmm(const CallInputs &In) { return batches(In, 1, 2); }

/// A list with one number has this number for each dimension.
static uint64_t numberAt(const InputSizes &Of, size_t I, uint64_t Usual) {
  if (Of.empty())
    return Usual;
  return Of.size() == 1 ? Of[0] : I < Of.size() ? Of[I] : 0;
}

/// The sizes of the result of a convolution, behind batch and channels; empty:
/// the numbers do not fit.
static InputSizes resultSizes(const CallInputs &In) {
  const InputSizes &X = In.Tensors[0], &Weight = In.Tensors[1];
  InputSizes Out;
  for (size_t I = 2; I != X.size(); ++I) {
    uint64_t Stride = numberAt(In.Stride, I - 2, 1);
    uint64_t Padding = numberAt(In.Padding, I - 2, 0);
    uint64_t Dilation = numberAt(In.Dilation, I - 2, 1);
    uint64_t Padded =
        SaturatingAdd(X[I], SaturatingMultiply<uint64_t>(2, Padding));
    if (!Stride || !Weight[I])
      return {};
    uint64_t Reach = SaturatingMultiply(Dilation, Weight[I] - 1);
    if (Reach >= Padded)
      return {};
    Out.push_back((Padded - Reach - 1) / Stride + 1);
  }
  return Out;
}

/// A multiplication of each weight with each place that the filter takes.
static uint64_t convolve(uint64_t Batch, const InputSizes &Weight,
                         ArrayRef<uint64_t> Places) {
  return product({2, Batch, product(Weight), product(Places)});
}

static bool isConvolution(const CallInputs &In, size_t X, size_t Weight) {
  return In.Tensors.size() > Weight && In.Tensors[X].size() > 2 &&
         In.Tensors[X].size() == In.Tensors[Weight].size();
}

static uint64_t convolution(const CallInputs &In) {
  if (!isConvolution(In, 0, 1))
    return 0;
  const InputSizes &X = In.Tensors[0];
  InputSizes Result;
  if (!In.IsTransposed && (Result = resultSizes(In)).empty())
    return 0;
  return convolve(X[0], In.Tensors[1],
                  In.IsTransposed ? ArrayRef(X).drop_front(2)
                                  : ArrayRef(Result));
}

/// Of the gradient of the result, the input and the weight: the gradients of
/// the input and of the weight, those that the mask wants.
static uint64_t convolutionBackward(const CallInputs &In) {
  if (!isConvolution(In, 0, 1) || !isConvolution(In, 1, 2) ||
      (!In.Mask.empty() && In.Mask.size() != 3))
    return 0;
  const InputSizes &Gradient = In.Tensors[0], &X = In.Tensors[1],
                   &Weight = In.Tensors[2];
  uint64_t Flops = 0;
  if (numberAt(In.Mask, 0, 1))
    Flops = convolve(Gradient[0], Weight,
                     ArrayRef(In.IsTransposed ? X : Gradient).drop_front(2));
  if (numberAt(In.Mask, 1, 1)) {
    // A convolution of the input with the gradient, channels and batch
    // exchanged; of a transposed one, of the gradient with the input.
    const InputSizes &Over = In.IsTransposed ? Gradient : X;
    const InputSizes &Filter = In.IsTransposed ? X : Gradient;
    Flops = SaturatingAdd(
        Flops, convolve(Over[1], Filter, ArrayRef(Weight).drop_front(2)));
  }
  return Flops;
}

namespace {
/// The sizes of attention.
struct AttentionSizes {
  uint64_t Heads; ///< of all batches
  uint64_t Queries, Keys, Width, ValueWidth;
};
} // namespace

/// Query: the first of the three tensors. False: they do not fit.
static bool readAttention(const CallInputs &In, size_t Query,
                          AttentionSizes &To) {
  for (size_t I = 0; I != 3; ++I)
    if (!In.has(Query + I, 4))
      return false;
  const InputSizes &Q = In.Tensors[Query], &K = In.Tensors[Query + 1],
                   &V = In.Tensors[Query + 2];
  // Groups of heads may share their keys and values.
  bool AreHeads = K[1] && Q[1] % K[1] == 0 && K[1] == V[1];
  if (!AreHeads || Q[0] != K[0] || Q[0] != V[0] || Q[3] != K[3] || K[2] != V[2])
    return false;
  To = {product({Q[0], Q[1]}), Q[2], K[2], Q[3], V[3]};
  return true;
}

/// Two products: queries with keys, scores with values.
static uint64_t attention(const CallInputs &In) {
  AttentionSizes S;
  if (In.HasIndices || !readAttention(In, 0, S))
    return 0;
  return product(
      {2, S.Heads, S.Queries, S.Keys, SaturatingAdd(S.Width, S.ValueWidth)});
}

/// Five products: the scores again, two for the gradients of scores and values,
/// two for those of queries and keys.
static uint64_t attentionBackward(const CallInputs &In) {
  AttentionSizes S;
  if (In.HasIndices || !readAttention(In, 1, S) || !In.has(0, 4))
    return 0;
  const InputSizes &Gradient = In.Tensors[0];
  if (Gradient[2] != S.Queries || Gradient[3] != S.ValueWidth)
    return 0;
  uint64_t Widths =
      SaturatingAdd(SaturatingMultiply<uint64_t>(3, S.Width),
                    SaturatingMultiply<uint64_t>(2, S.ValueWidth));
  return product({2, S.Heads, S.Queries, S.Keys, Widths});
}

uint64_t memkit::flopsOf(StringRef Operator, StringRef Inputs) {
  using Formula = uint64_t (*)(const CallInputs &);
  static constexpr std::pair<StringLiteral, Formula> Formulas[] = {
      {"mm", mm},
      {"addmm", addmm},
      {"bmm", bmm},
      {"baddbmm", baddbmm},
      {"_scaled_mm", mm},
      {"convolution", convolution},
      {"_convolution", convolution},
      {"convolution_overrideable", convolution},
      {"convolution_backward", convolutionBackward},
      {"_scaled_dot_product_efficient_attention", attention},
      {"_scaled_dot_product_flash_attention", attention},
      {"_scaled_dot_product_flash_attention_for_cpu", attention},
      {"_scaled_dot_product_cudnn_attention", attention},
      {"_flash_attention_forward", attention},
      {"_efficient_attention_forward", attention},
      {"_scaled_dot_product_efficient_attention_backward", attentionBackward},
      {"_scaled_dot_product_flash_attention_backward", attentionBackward},
      {"_scaled_dot_product_flash_attention_for_cpu_backward",
       attentionBackward},
      {"_scaled_dot_product_cudnn_attention_backward", attentionBackward},
      {"_flash_attention_backward", attentionBackward},
      {"_efficient_attention_backward", attentionBackward}};
  if (!Operator.consume_front("aten::"))
    return 0;
  for (const auto &[Name, Of] : Formulas)
    if (Name == Operator) {
      CallInputs In;
      return In.parse(Inputs) ? Of(In) : 0;
    }
  return 0;
}
