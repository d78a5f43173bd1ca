// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stats of all calls of each scope, range and layer of a process.

#ifndef MEMKIT_LIB_RECORD_SCOPETOTALS_H
#define MEMKIT_LIB_RECORD_SCOPETOTALS_H

#include "Scopes/ScopeStatsTable.h"
#include "memkit/Trace/Summary.h"
#include "llvm/ADT/MapVector.h"

namespace memkit {

class RecordedHeaps;

/// Belongs to the recorder's thread.
class ScopeTotals {
public:
  ScopeTotals(const RecordedHeaps &Heaps, uint32_t Process)
      : Heaps(Heaps), Process(Process) {}

  /// What a run of a layer did itself, or with the layers inside.
  struct LayerWork {
    uint64_t SelfNs = 0, Flops = 0;
  };
  /// Adds a scope or range that has ended. Name: string.
  void addScope(const ScopeResult &S, ScopeKind Kind, uint32_t Name);
  /// Adds a run of a layer that has ended, but no call of the layer. Measured:
  /// the run's table. Adds only tensors: Python objects are not the purpose of
  /// a layer.
  LayerStats &addLayer(const LayerRange &S, uint32_t Name, bool Backward,
                       LayerWork Work, const ScopeStatsTable &Measured);

  /// The time of device work that was launched inside; SelfNs: of layers.
  struct LaunchedTime {
    uint64_t Ns = 0, SelfNs = 0;
  };
  /// Adds to all scopes of the kind and name. Backward: of layers.
  void addDevice(ScopeKind Kind, uint32_t Name, bool Backward,
                 LaunchedTime Work);

  /// The stats of open scopes, together with the ended calls of their names.
  using OpenTotals = llvm::MapVector<uint64_t, LayerStats>;
  void addOpen(const ScopeResult &S, ScopeKind Kind, uint32_t Name,
               OpenTotals &To) const;
  /// Adds all stats to Out, with those in Opens. OnlyChanged: of ended scopes
  /// only those that have changed since the last such call.
  void addTo(const OpenTotals &Opens, bool OnlyChanged,
             std::vector<LayerStats> &Out);
  /// Adds all stats to Out, and forgets them.
  void moveTo(std::vector<LayerStats> &Out);

private:
  struct ScopeTotal {
    LayerStats Stats;
    bool HasChanged = false; ///< since the last addTo() of changes
  };
  LayerStats &totalOf(uint64_t Key) {
    ScopeTotal &T = Totals[Key];
    T.HasChanged = true;
    return T.Stats;
  }
  void addCall(LayerStats &T, const ScopeResult &S, ScopeKind Kind,
               uint32_t Name) const;
  static void addSpaces(LayerStats &T, const ScopeResult &S);
  void addTensors(LayerStats &T, const ScopeResult &S) const;
  void raisePeaks(LayerStats &T, const ScopeStatsTable &Measured) const;

  const RecordedHeaps &Heaps;
  uint32_t Process;
  /// Key: string of the name; above it direction and kind.
  llvm::MapVector<uint64_t, ScopeTotal> Totals;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SCOPETOTALS_H
