// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranges of a PyTorch snapshot: scopes and steps.

#ifndef MEMKIT_LIB_IMPORT_TORCHSCOPES_H
#define MEMKIT_LIB_IMPORT_TORCHSCOPES_H

#include "Import/Build/TraceBuilder.h"
#include "TorchData.h"
#include "TorchRanges.h"

namespace memkit {

/// The open ranges of one device. Ranges of record_function nest, but those of
/// several threads may overlap: an end closes the innermost range of its name.
class TorchScopes {
public:
  TorchScopes(TraceBuilder &To, const TorchLabels &Labels,
              TorchRangeTable &Ranges)
      : To(To), Labels(Labels), Ranges(&Ranges) {}

  /// Of the marks: the process, and the heap of the device's tensors.
  uint32_t Process = 0, Heap = 0;

  void begin(llvm::StringRef Name, uint64_t TimeNs);
  /// Nothing if no range of the name is open.
  void end(llvm::StringRef Name, uint64_t TimeNs);
  void endAll(uint64_t TimeNs);
  /// The device's tensors changed by a tensor of Size bytes, and are Live bytes
  /// now. Call once with Size 0 after the start of a range, and when the
  /// reserved bytes change.
  void allocated(uint64_t Size, uint64_t Live, uint64_t Reserved);
  void freed(uint64_t Size);
  /// The number of the optimizer's step that is open; 0: none.
  uint32_t optimizerStep() const { return NumOptimizers ? NumSteps : 0; }
  /// The scope path of an event with this label.
  uint32_t path(uint32_t Label);

  static bool isOptimizer(llvm::StringRef Name) {
    return Name.starts_with("Optimizer.step#");
  }

private:
  struct OpenTorchRange {
    std::string Name;
    TorchRangeStats *Stats;
    uint64_t BeginNs;
    uint64_t Number;              ///< of the marks
    std::optional<uint32_t> Path; ///< once an event needs it
  };
  void close(const OpenTorchRange &R, uint64_t TimeNs);
  void mark(MarkKind Kind, const OpenTorchRange &R, uint64_t TimeNs);
  uint32_t openPath();

  /// Ranges beyond these, one in another, are left out.
  static constexpr size_t MaxOpen = 64;
  TraceBuilder &To;
  const TorchLabels &Labels;
  TorchRangeTable *Ranges;
  std::vector<OpenTorchRange> Open;
  size_t NumOptimizers = 0; ///< open ones
  uint32_t NumSteps = 0;    ///< of optimizers, so far
  /// The scope path inside all open ranges, by label.
  llvm::DenseMap<uint32_t, uint32_t> PathOfLabel;
};

/// Numbers the steps of a run. A ProfilerStep#N begins step N; without these,
/// the first optimizer's steps end the steps, as in a recording of memrec.
class TorchSteps {
public:
  TorchSteps(TraceBuilder &To, uint32_t Process, const TorchSnapshotData &In);

  void take(const TorchAnnotation &A, uint64_t TimeNs);

private:
  TraceBuilder &To;
  uint32_t Process;
  const TorchLabels &Labels;
  bool HasProfiler = false;
  uint32_t Optimizer = 0; ///< the name of the one whose steps count
  uint64_t Last = 0;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_TORCHSCOPES_H
