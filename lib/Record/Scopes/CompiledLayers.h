// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of compiled graphs.
//
// No frame of Python shows the modules inside of a compiled graph. Each line of
// the generated code computes certain layers, which the program reports: see
// wire::GeneratedLineRecord. A tensor that the line makes is in these layers,
// inside of all running scopes.

#ifndef MEMKIT_LIB_RECORD_COMPILEDLAYERS_H
#define MEMKIT_LIB_RECORD_COMPILEDLAYERS_H

#include "Scopes/LayerScopes.h"

namespace memkit {

/// Belongs to the recorder's thread.
class CompiledLayers {
public:
  CompiledLayers(ScopeThreads &Threads, LayerScopes &Layers)
      : Threads(Threads), Layers(Layers) {}

  /// The place of a tensor that a compiled graph makes. Layer: as
  /// LayerScopes::layer().
  struct CompiledPlace {
    uint32_t ScopePath, Layer;
  };
  /// Rows: a text of StackMap::layersAt(), not 0.
  CompiledPlace place(uint32_t Ring, uint32_t Rows);
  /// The text of the layer \p Text inside of the layer Chain.
  uint32_t innerLayer(uint32_t Chain, uint32_t Text);

private:
  llvm::SmallVector<uint32_t, 8> layersInside(uint32_t Chain,
                                              llvm::StringRef Rows);

  ScopeThreads &Threads;
  LayerScopes &Layers;
  llvm::DenseMap<uint64_t, uint32_t> InnerLayers; ///< by chain and text
  /// By the ring's scope path and chain, and the text of layers.
  llvm::DenseMap<std::pair<uint64_t, uint32_t>, CompiledPlace> Places;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_COMPILEDLAYERS_H
