// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines to sections.
//
// Takes lines one by one and fills the section to which they belong. Reports
// the end of a section; the assembler then writes the section.

#ifndef MEMKIT_LIB_TRACETEXT_SECTIONPARSER_H
#define MEMKIT_LIB_TRACETEXT_SECTIONPARSER_H

#include "LineParser.h"
#include "memkit/Trace/TraceReader.h"
#include <array>
#include <optional>

namespace memkit::tracetext {

/// A member for each kind of section, hence many members.
class SectionParser {
public:
  SectionParser(TextError &E, bool Unchecked) : E(E), Unchecked(Unchecked) {}

  /// The kind of section that the line begins; None for a record.
  static SectionKind startedSection(const Line &L);

  /// Begins the section of the line L.
  bool begin(SectionKind Kind, Line &L);
  /// Adds the record L to the section.
  bool record(Line &L);
  /// Checks the section as a whole. Afterwards section() and Defs.Pending are
  /// ready to be taken and written.
  bool end();
  /// Marks that no section is open.
  void close() { Kind = SectionKind::None; }

  SectionKind kind() const { return Kind; }
  /// The place of the section's own line, for errors about the whole section.
  const char *loc() const { return Loc; }

  Definitions Defs;
  memkit::Header Header;
  memkit::Events Events;
  memkit::Marks Marks;
  memkit::Intervals Intervals;
  memkit::Lifetimes Lifetimes;
  memkit::Snapshot Snapshot;
  memkit::Summary Summary;
  memkit::Partial Partial;
  memkit::BlockCategories BlockCategories;
  memkit::ScopeTimes ScopeTimes;
  memkit::DeviceSpans DeviceSpans;

private:
  LineParser parser(Line &L, unsigned Next) {
    return LineParser(L, Next, Defs, E,
                      Kind == SectionKind::Dictionary ? &Late : nullptr,
                      Unchecked);
  }
  bool tooMany(const Line &L, size_t Rows, llvm::StringRef What,
               size_t Max = MaxSectionRows);
  bool unknown(const Line &L, llvm::StringRef Section);

  // Dictionary, in DictionaryParser.cpp.
  bool dictionaryRecord(Line &L);
  bool stackRecord(LineParser &P);
  bool scopePathRecord(LineParser &P);
  bool pathFrame(LineParser &P, const Value &V, uint32_t &Frame);
  bool pathScopePath(LineParser &P, const Value &V, memkit::ScopePath &C);
  template <class T, class F>
  bool define(LineParser &P, llvm::StringRef What, Ref Kind, F Map);

  // Events, in EventParser.cpp.
  bool beginEvents(LineParser &P);
  bool zeroColumns(LineParser &P, const Value &V);
  bool eventRecord(Line &L);
  bool checkEvent(LineParser &P, const EventRow &R);
  bool checkFirst(LineParser &P, uint64_t TimeNs);
  void endEvents();

  bool markRecord(Line &L);
  bool intervalRecord(Line &L);
  bool lifetimeRecord(Line &L);
  bool beginSnapshot(LineParser &P);
  bool liveRecord(Line &L);
  bool summaryRecord(Line &L);
  bool partialRecord(Line &L);
  bool blockCategoryRecord(Line &L);
  bool scopeTimesRecord(Line &L);
  bool deviceSpanRecord(Line &L);
  bool finishRow(LineParser &P, llvm::StringRef What, size_t Count);
  /// Adds the row of the line to List.
  template <class Row>
  bool addRow(LineParser &P, llvm::StringRef What, std::vector<Row> &List);
  bool stackStats(LineParser &P);
  bool shareRecord(LineParser &P);

  TextError &E;
  bool Unchecked;
  SectionKind Kind = SectionKind::None;
  const char *Loc = nullptr;
  std::vector<LateRef> Late;
  size_t Rows = 0;       ///< of the section, where rows come in groups
  ScopeTimesAdder Adder; ///< of the last thread of ScopeTimes

  // The state from which the next Events section of a process continues.
  struct EventsState {
    uint64_t NextAllocationId = 0;
    uint64_t LastNs = 0;
  };
  /// By 64 bits: a DenseMap reserves the highest keys, and texts hold any id.
  llvm::DenseMap<uint64_t, EventsState> Processes;
  uint64_t NextAllocationId = 0;
  std::optional<uint32_t> Epoch;          ///< of the last section of events
  uint64_t EpochEndNs = 0;                ///< of the sections of this epoch
  uint64_t EarlierEndNs = 0;              ///< of all epochs before this epoch
  llvm::SmallVector<uint32_t, 8> Threads; ///< of the section
  // The optional columns, in the order of zeroColumns().
  static constexpr unsigned NumColumns = 6;
  std::vector<std::array<uint64_t, NumColumns>> Rest;
  bool HasColumn[NumColumns] = {};
  bool ScopeStats = false; ///< rows belong to ScopePaths
  /// Of the last process, step or layer row; share lines that follow belong to
  /// the row.
  SpaceShares *Shares = nullptr;
  size_t NumShares = 0;
};

} // namespace memkit::tracetext

#endif // MEMKIT_LIB_TRACETEXT_SECTIONPARSER_H
