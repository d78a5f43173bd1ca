// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of nodes in TensorFlow's graphs.

#include "Scopes/GraphNodeNames.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace memkit;

/// `backward net, net/dense`
static std::string parsed(GraphNodeNames &Names, StringRef Name) {
  GraphNode N = Names.parse(Name);
  switch (N.In) {
  case GraphNode::Direction::Forward:
    return "forward " + join(N.Layers, ", ");
  case GraphNode::Direction::Backward:
    return "backward " + join(N.Layers, ", ");
  case GraphNode::Direction::Optimizer:
    return "optimizer " + N.Optimizer;
  }
  return "";
}

static std::string parsed(StringRef Name) {
  GraphNodeNames Names;
  return parsed(Names, Name);
}

TEST(GraphNodeNames, LayersOfTheForwardPass) {
  EXPECT_EQ(parsed("net_1/enc_1/Relu"), "forward net_1, net_1/enc_1");
  EXPECT_EQ(parsed("StatefulPartitionedCall/net_1/enc_1/fc_1/BiasAdd"),
            "forward net_1, net_1/enc_1, net_1/enc_1/fc_1");
  EXPECT_EQ(parsed("Relu"), "forward ");
  EXPECT_EQ(parsed("net/Dense/Relu"), "forward net, net/Dense");
}

TEST(GraphNodeNames, NameScopesOfOperatorsAreNoLayers) {
  EXPECT_EQ(parsed("net/head/MatMul/ReadVariableOp"), "forward net, net/head");
  EXPECT_EQ(parsed("net/head/Tensordot/MatMul"), "forward net, net/head");
  EXPECT_EQ(parsed("div_no_nan/ReadVariableOp"), "forward ");
  // A layer may have the name of an operation of arithmetic.
  EXPECT_EQ(parsed("net/add_1/add"), "forward net, net/add_1");
}

TEST(GraphNodeNames, LayersOfTheBackwardPass) {
  EXPECT_EQ(parsed("StatefulPartitionedCall/gradient_tape/net_1/head_1/"
                   "MatMul/MatMul_1"),
            "backward net_1, net_1/head_1");
  EXPECT_EQ(parsed("gradient_tape/net/enc/ReluGrad"), "backward net, net/enc");
  EXPECT_EQ(parsed("gradients/net/enc/MatMul_grad/MatMul"),
            "backward net, net/enc");
  EXPECT_EQ(parsed("gradient_tape/Mul"), "backward ");
}

TEST(GraphNodeNames, OperatorsThatRanForwardAreNoLayersBackward) {
  GraphNodeNames Names;
  EXPECT_EQ(parsed(Names, "gradient_tape/net/norm/scale/Sum"),
            "backward net, net/norm, net/norm/scale");
  EXPECT_EQ(parsed(Names, "net/norm/scale"), "forward net, net/norm");
  EXPECT_EQ(parsed(Names, "gradient_tape/net/norm/scale/Sum"),
            "backward net, net/norm");
  // An operation of arithmetic, also if another operator has replaced it.
  EXPECT_EQ(parsed("gradient_tape/net/add_1/add/Sum"),
            "backward net, net/add_1");
}

TEST(GraphNodeNames, Optimizers) {
  EXPECT_EQ(parsed("adam/Mul_3"), "optimizer adam");
  EXPECT_EQ(parsed("StatefulPartitionedCall/sgd_1/Sub"), "optimizer sgd");
  // A layer's own name comes first.
  EXPECT_EQ(parsed("net/adam/Mul"), "forward net, net/adam");
}

TEST(GraphNodeNames, LoopsAndConditionsAreNoLayers) {
  EXPECT_EQ(parsed("StatefulPartitionedCall/cond/then/_0/cond/adam/Mul"),
            "optimizer adam");
  EXPECT_EQ(parsed("while/body/_12/while/net/cell/MatMul"),
            "forward net, net/cell");
  EXPECT_EQ(parsed("StatefulPartitionedCall/cond/StatefulPartitionedCall/"
                   "gradient_tape/net/fc/Cast/Cast/Cast/_40"),
            "backward net, net/fc");
  EXPECT_EQ(parsed("Func/_recv_Placeholder_0/input/_2"), "forward ");
  EXPECT_EQ(parsed("net/norm/ArithmeticOptimizer/AddOpsRewrite_add_2"),
            "forward net, net/norm");
}

TEST(GraphNodeNames, AnyTextIsParsed) {
  EXPECT_EQ(parsed(""), "forward ");
  EXPECT_EQ(parsed("///"), "forward ");
  EXPECT_EQ(parsed("gradient_tape"), "forward ");
  EXPECT_EQ(parsed("gradient_tape/"), "forward ");
  EXPECT_EQ(parsed("_12"), "forward ");
  std::string Deep;
  for (unsigned I = 0; I != 1000; ++I)
    Deep += "a/";
  GraphNodeNames Names;
  EXPECT_EQ(Names.parse(Deep).Layers.size(), GraphNodeNames::MaxDepth);
}
