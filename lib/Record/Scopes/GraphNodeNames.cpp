// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of nodes in TensorFlow's graphs.

#include "Scopes/GraphNodeNames.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

using Parts = SmallVector<StringRef, 16>;

/// Without the number of a name that exists already: `dense_1`.
static StringRef withoutNumber(StringRef Part) {
  StringRef Base = Part.rtrim("0123456789");
  return Base.size() != Part.size() && Base.ends_with("_") && Base.size() > 1
             ? Base.drop_back()
             : Part;
}

/// `_12`
static bool isNumber(StringRef Part) {
  return Part.consume_front("_") && !Part.empty() && all_of(Part, isDigit);
}

/// Keras's optimizers, by the names that they have by default.
static bool isOptimizer(StringRef Part) {
  static const StringSet<> Names = {"adadelta", "adafactor",
                                    "adagrad",  "adam",
                                    "adamax",   "adamw",
                                    "ftrl",     "lamb",
                                    "lion",     "muon",
                                    "nadam",    "rmsprop",
                                    "sgd",      "loss_scale_optimizer",
                                    "Adadelta", "Adagrad",
                                    "Adam",     "Adamax",
                                    "AdamW",    "Ftrl",
                                    "Nadam",    "RMSprop",
                                    "SGD"};
  return Names.contains(withoutNumber(Part));
}

/// Name scopes that functions of TensorFlow open for one operator: the names of
/// operators that such functions call.
static bool isOperator(StringRef Part) {
  static const StringSet<> Names = {"Abs",
                                    "Add",
                                    "AddN",
                                    "AddV2",
                                    "All",
                                    "Any",
                                    "ArgMax",
                                    "ArgMin",
                                    "Assert",
                                    "AvgPool",
                                    "AvgPool2D",
                                    "AvgPool3D",
                                    "BatchMatMul",
                                    "BatchMatMulV2",
                                    "BiasAdd",
                                    "BiasAddGrad",
                                    "BroadcastTo",
                                    "Cast",
                                    "Ceil",
                                    "ClipByValue",
                                    "Concat",
                                    "Conv1D",
                                    "Conv2D",
                                    "Conv3D",
                                    "Cos",
                                    "Cumsum",
                                    "DepthwiseConv2dNative",
                                    "Div",
                                    "Einsum",
                                    "Elu",
                                    "Embedding",
                                    "Equal",
                                    "Erf",
                                    "Exp",
                                    "ExpandDims",
                                    "Fill",
                                    "Floor",
                                    "FloorDiv",
                                    "FloorMod",
                                    "FusedBatchNorm",
                                    "FusedBatchNormV3",
                                    "Gather",
                                    "GatherNd",
                                    "GatherV2",
                                    "Gelu",
                                    "Greater",
                                    "Identity",
                                    "L2Loss",
                                    "LeakyRelu",
                                    "Less",
                                    "Log",
                                    "Log1p",
                                    "LogSoftmax",
                                    "MatMul",
                                    "Max",
                                    "MaxPool",
                                    "MaxPool2D",
                                    "MaxPool3D",
                                    "Maximum",
                                    "Mean",
                                    "Min",
                                    "Minimum",
                                    "Mul",
                                    "Neg",
                                    "OneHot",
                                    "OnesLike",
                                    "Pack",
                                    "Pad",
                                    "PadV2",
                                    "Pow",
                                    "Prod",
                                    "Range",
                                    "ReadVariableOp",
                                    "RealDiv",
                                    "Reciprocal",
                                    "Relu",
                                    "Relu6",
                                    "Reshape",
                                    "ResourceGather",
                                    "Round",
                                    "Rsqrt",
                                    "Select",
                                    "SelectV2",
                                    "Selu",
                                    "Shape",
                                    "Sigmoid",
                                    "Sign",
                                    "Sin",
                                    "Size",
                                    "Slice",
                                    "Softmax",
                                    "SoftmaxCrossEntropyWithLogits",
                                    "Softplus",
                                    "Softsign",
                                    "SparseSoftmaxCrossEntropyWithLogits",
                                    "Split",
                                    "Sqrt",
                                    "Square",
                                    "SquaredDifference",
                                    "Squeeze",
                                    "Stack",
                                    "StridedSlice",
                                    "Sub",
                                    "Sum",
                                    "Tanh",
                                    "Tensordot",
                                    "Tile",
                                    "TopKV2",
                                    "Transpose",
                                    "Unpack",
                                    "Where",
                                    "ZerosLike"};
  return Names.contains(withoutNumber(Part));
}

/// Name scopes of operators that Python's arithmetic makes. A layer may have
/// such a name, too.
static bool isArithmetic(StringRef Part) {
  static const StringSet<> Names = {"add",      "sub",        "mul", "truediv",
                                    "floordiv", "div_no_nan", "pow", "mod",
                                    "neg",      "matmul"};
  return Names.contains(withoutNumber(Part));
}

/// Parts that TensorFlow adds: calls that it inlines, its optimizer's passes,
/// loops and conditions.
static bool isAdded(StringRef Part) {
  static const StringSet<> Names = {"StatefulPartitionedCall",
                                    "PartitionedCall",
                                    "Func",
                                    "ArithmeticOptimizer",
                                    "ConstantFolding",
                                    "ConstantFoldingCtrl",
                                    "LayoutOptimizer",
                                    "Remapper",
                                    "while",
                                    "cond",
                                    "switch_case"};
  return Names.contains(withoutNumber(Part)) || Part.starts_with("_recv_");
}

/// Whether the parts from \p I on are a branch: `body/_12` of a loop.
static bool isBranchAt(const Parts &P, size_t I) {
  return I + 1 < P.size() && isNumber(P[I + 1]) &&
         (P[I] == "body" || P[I] == "cond" || P[I] == "then" ||
          P[I] == "else" || P[I].starts_with("branch"));
}

static Parts withoutAdded(StringRef Name) {
  Parts All, Kept;
  Name.split(All, '/', -1, /*KeepEmpty=*/false);
  while (All.size() > 1 && isNumber(All.back()))
    All.pop_back();
  for (size_t I = 0; I < All.size(); ++I)
    if (I && isBranchAt(All, I))
      ++I;
    else if (!isAdded(All[I]) || I + 1 == All.size())
      Kept.push_back(All[I]);
  return Kept;
}

/// If the name is a gradient's, leaves the forward operator's scopes and the
/// gradient's operator. Both ways to compute gradients have a prefix;
/// `gradients/` adds `_grad` to the forward operator.
static bool takeGradient(Parts &P) {
  for (size_t I = 0; I + 1 < P.size(); ++I) {
    StringRef Base = withoutNumber(P[I]);
    if (Base == "gradient_tape") {
      P.erase(P.begin(), P.begin() + I + 1);
      return true;
    }
    if (Base != "gradients" || I)
      continue;
    P.erase(P.begin());
    for (size_t J = 0; J + 1 < P.size(); ++J)
      if (P[J].ends_with("_grad")) {
        P[J] = P[J].drop_back(strlen("_grad"));
        P.truncate(J + 1);
        break;
      }
    return true;
  }
  return false;
}

GraphNode GraphNodeNames::parse(StringRef Name) {
  GraphNode Out;
  Parts P = withoutAdded(Name);
  bool IsBackward = takeGradient(P);
  if (P.empty())
    return Out;
  if (IsBackward) {
    Out.In = GraphNode::Direction::Backward;
  } else if (P.size() > 1 && isOptimizer(P.front())) {
    Out.In = GraphNode::Direction::Optimizer;
    Out.Optimizer = withoutNumber(P.front()).str();
    return Out;
  } else if (Forwards.size() < MaxForwards) {
    Forwards.insert(join(P, "/"));
  }
  // The operator, and the name scopes of operators. A read of a variable, and a
  // gradient, lie in the name scope of the operator.
  bool IsRead = withoutNumber(P.pop_back_val()) == "ReadVariableOp";
  if ((IsRead || IsBackward) && !P.empty() && isArithmetic(P.back()))
    P.pop_back();
  while (!P.empty() &&
         (isOperator(P.back()) ||
          (IsBackward && P.size() > 1 && Forwards.contains(join(P, "/")))))
    P.pop_back();
  for (size_t I = 0; I != P.size() && I != MaxDepth; ++I)
    Out.Layers.push_back(join(ArrayRef(P).take_front(I + 1), "/"));
  return Out;
}
