// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of nodes in TensorFlow's graphs.
//
// The name of a node is a path of name scopes: `net/encoder/dense/MatMul`.
// Keras opens a name scope for each layer. The path of a gradient has the
// forward path in it, the path of an optimizer's operator starts with the
// optimizer's name. TensorFlow's optimizer of graphs and inlined functions add
// parts.

#ifndef MEMKIT_LIB_RECORD_GRAPHNODENAMES_H
#define MEMKIT_LIB_RECORD_GRAPHNODENAMES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace memkit {

struct GraphNode {
  enum class Direction : uint8_t { Forward, Backward, Optimizer };
  Direction In = Direction::Forward;
  /// The paths of the layers, outermost first: `net`, `net/encoder`. Of an
  /// optimizer's operator: none.
  llvm::SmallVector<std::string, 4> Layers;
  std::string Optimizer; ///< `adam`
};

/// Of one process. Belongs to the recorder's thread.
class GraphNodeNames {
public:
  /// Also remembers a node of the forward pass: the gradient of such an
  /// operator has the operator's name among its name scopes.
  GraphNode parse(llvm::StringRef Name);

  static constexpr size_t MaxForwards = 1 << 15;
  /// A deeper path keeps its outer layers.
  static constexpr size_t MaxDepth = 32;

private:
  llvm::StringSet<> Forwards; ///< paths of operators
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_GRAPHNODENAMES_H
