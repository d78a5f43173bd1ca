// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scopes, steps and marks that a process reports.

#ifndef MEMKIT_LIB_RECORD_PROCESSSCOPES_H
#define MEMKIT_LIB_RECORD_PROCESSSCOPES_H

#include "Scopes/LaunchScopes.h"
#include "Scopes/NvtxRanges.h"
#include "Scopes/ProgramScopes.h"
#include "Scopes/PyTorchScopes.h"
#include "Scopes/TensorFlowScopes.h"
#include <tuple>

namespace memkit {

template <class Part, class T>
concept takesScope =
    requires(Part &Of, const T &Rec, ScopeOrigin From) { Of.take(Rec, From); };

/// Turns a process's records of scopes, steps and marks into scope paths, stats
/// and marks of the trace. Each record goes to the class that has a take() for
/// the record's type; the start of a scope goes to the class that owns its
/// flags.
///
/// Belongs to the recorder's thread.
class ProcessScopes {
  /// All that take records; the first that owns its flags takes the start of a
  /// scope. A new framework adds a member, and its name here and in parts().
  using ScopeParts =
      std::tuple<TensorFlowScopes &, NvtxRanges &, PyTorchScopes &,
                 ProgramScopes &, LayerScopes &>;
  template <class T, class... Parts>
  static constexpr bool isTaken(std::tuple<Parts...> *) {
    return (takesScope<Parts, T> || ...);
  }

public:
  ProcessScopes(SharedProcess &Shared, Recording &R, uint32_t Process,
                uint64_t BeginNs);

  /// Takes a record, and returns the ring whose scope path may have changed;
  /// nothing: the record is invalid.
  std::optional<uint32_t> take(const wire::ScopeBeginRecord &Rec,
                               ScopeOrigin From);
  std::optional<uint32_t> take(const wire::ScopeEndRecord &Rec,
                               ScopeOrigin From);
  template <class T>
    requires(isTaken<T>((ScopeParts *)nullptr))
  std::optional<uint32_t> take(const T &Rec, ScopeOrigin From) {
    bool IsValid = false;
    auto TakeIn = [&](auto &Part) {
      if constexpr (takesScope<decltype(Part), T>)
        IsValid = Part.take(Rec, From);
    };
    std::apply([&](auto &...Part) { (TakeIn(Part), ...); }, parts());
    return ringIf(IsValid, From);
  }
  /// Takes a record that changes only the ring's scope path, and no stats but
  /// those of operators: an operator starts, or ends as the innermost scope.
  /// False: another record, which is not taken.
  bool takeOperator(const wire::Record &Rec, uint32_t Ring);

  /// The trace's id of the innermost scope's scope path; 0: no scope is open.
  uint32_t scopePath(uint32_t Ring) const {
    return Threads.context(Ring).ScopePath;
  }
  /// The thread's place in the training.
  TrainingPlace place(uint32_t Ring) const {
    return Threads.context(Ring).Place;
  }
  /// The heap's allocator reserves Reserved bytes from now on, Active of them
  /// in use.
  void noteReserved(uint32_t Heap, uint64_t Reserved, uint64_t Active) {
    Threads.measured().noteReserved(Heap, Reserved, Active);
  }
  /// Whether the program has set a mark since the last call.
  bool takeMarked() { return Program.takeMarked(); }
  /// The calls, times and tensors of operators.
  OperatorTable &operators() { return Threads.operators().table(); }
  LayerScopes &layers() { return Layers; }
  CompiledLayers &compiled() { return Compiled; }
  /// The training of the process.
  TensorCategories &categories() { return Training.categories(); }
  PyTorchScopes &torch() { return Torch; }
  /// Whose device work is.
  LaunchScopes &launches() { return Launches; }
  TensorFlowScopes &tensorFlow() { return TensorFlow; }

  /// Ends the open scopes of the ring.
  void endRing(uint32_t Ring, uint64_t TimeNs) {
    Threads.endRing(Ring, TimeNs);
  }
  /// Ends all open scopes, and adds the stats of all scopes to the recording.
  void finish(uint64_t TimeNs) { Threads.finish(TimeNs); }
  /// Adds stats to Out: of scopes and layers that have ended, and of open
  /// scopes up to TimeNs. OnlyChanged: those that have changed since the last
  /// such call.
  void addStats(uint64_t TimeNs, bool OnlyChanged,
                std::vector<LayerStats> &Out) {
    Threads.addStats(TimeNs, OnlyChanged, Out);
  }

private:
  /// Whether the record can begin an open scope of the ring.
  bool canBegin(const wire::ScopeBeginRecord &Rec, uint32_t Ring) {
    return Rec.Number &&
           Threads.ring(Ring).Opens.size() != ScopeThreads::MaxOfRing;
  }
  ScopeParts parts() { return {TensorFlow, Nvtx, Torch, Program, Layers}; }
  static std::optional<uint32_t> ringIf(bool IsValid, RecordOrigin From) {
    return IsValid ? std::optional(From.Ring) : std::nullopt;
  }

  ScopeThreads Threads;
  LayerScopes Layers{Threads};
  LaunchScopes Launches{Threads, Layers};
  CompiledLayers Compiled{Threads, Layers};
  TrainingThreads Training;
  PyTorchScopes Torch{Threads, Layers, Compiled, Training};
  TensorFlowScopes TensorFlow{Threads, Layers};
  NvtxRanges Nvtx{Threads, Layers, Training};
  ProgramScopes Program{Threads};
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_PROCESSSCOPES_H
