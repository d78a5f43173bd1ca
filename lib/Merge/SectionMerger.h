// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies the sections of traces, with the ids of a merged trace.

#ifndef MEMKIT_LIB_MERGE_SECTIONMERGER_H
#define MEMKIT_LIB_MERGE_SECTIONMERGER_H

#include "NameMerger.h"

namespace memkit {

/// Which sections are copied.
enum MergedSections : unsigned {
  MS_Events = 1, ///< events and categories of blocks
  MS_Marks = 2,
  MS_Intervals = 4, ///< and lifetimes
};

/// Events of all traces are of one epoch: they overlap in time. Snapshots and
/// clocks are left out. Memory: one section. Belongs to one thread.
class SectionMerger {
public:
  /// Kinds: of MergedSections.
  SectionMerger(TraceWriter &Out, NameMerger &Names, unsigned Kinds)
      : Out(Out), Names(Names), Kinds(Kinds) {}

  /// After Names.start(T, ShiftNs). ShiftNs: a multiple of TimeUnitNs. Errors:
  /// TraceError; of writing; more heaps than events can name.
  llvm::Error add(const Trace &T, uint64_t ShiftNs);

private:
  template <class Section>
  llvm::Error copy(const Trace &T, const SectionInfo &B);
  llvm::Error rename(Events &E);
  llvm::Error rename(Marks &M);
  llvm::Error renameAlert(std::vector<uint64_t> &Values);
  llvm::Error rename(Intervals &S);
  llvm::Error rename(Lifetimes &L);
  llvm::Error rename(BlockCategories &C);
  llvm::Error rename(ScopeTimes &S);
  llvm::Error rename(DeviceSpans &S);
  bool isWanted(SectionKind Kind) const;

  TraceWriter &Out;
  NameMerger &Names;
  unsigned Kinds;
  uint64_t ShiftNs = 0;
  const IdLimits *Limits = nullptr; ///< of the trace
};

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_SECTIONMERGER_H
