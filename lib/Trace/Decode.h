// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatBuffers to sections.

#ifndef MEMKIT_LIB_TRACE_DECODE_H
#define MEMKIT_LIB_TRACE_DECODE_H

#include "Frames.h"
#include "Planes.h"
#include "StackTree.h"
#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/TraceReader.h"
#include <string>

namespace memkit {

/// Decodes the bytes of sections. Every function gives what is wrong, or an
/// empty string; what it hands out obeys the limits of Sections.h.
///
/// Keeps the stack tree, so that dictionaries must come in file order;
/// restart() before the first again.
class Decoder {
public:
  using Problem = std::string;

  /// Verifies Raw as a size-prefixed Section; gives its body's kind.
  Problem open(Bytes Raw, SectionKind &Kind);

  /// When set, a field or a value of an enumeration that this version does not
  /// know is a problem.
  void setStrict(bool S) { Strict = S; }
  /// The values of enumerations in the section opened last that this version
  /// does not know, as far as it was decoded.
  const UnknownValues &unknownValues() const { return Unknown; }
  void restart() { Tree = StackTree(); }
  /// The stack tree so far, and begins anew.
  std::vector<uint32_t> takeParents() {
    std::vector<uint32_t> Out = Tree.takeParents();
    restart();
    return Out;
  }
  /// Makes room for a stack tree of so many nodes.
  void reserveTree(size_t Nodes) { Tree.reserve(Nodes); }

  // Each takes the section opened last, which is of that kind.
  Problem decode(Header &Out);
  Problem decode(Dictionary &Out);
  Problem decode(Events &Out);
  Problem decode(EventTable &Out);
  Problem decode(Marks &Out);
  Problem decode(Intervals &Out);
  Problem decode(Snapshot &Out);
  Problem decode(Summary &Out);
  Problem decode(Lifetimes &Out);
  Problem decode(Partial &Out);
  Problem decode(Index &Out);
  Problem decode(AnySection &Out);
  /// A dictionary in short; leaves the stack tree alone.
  Problem outline(DictionaryOutline &Out, bool WithStrings);
  /// All but frames, stacks and symbols, and how many there are of all.
  Problem names(DictionaryOutline &Out);
  /// A summary without its rows of stacks and scope paths.
  Problem decodeTotals(Summary &Out);
  /// A snapshot without its blocks.
  Problem decodeHead(Snapshot &Out);
  /// Of Intervals, all but the rows.
  Problem decodeHeads(Intervals &Out);

  /// What the index tells of the section opened last, for a file without one.
  /// Decodes what it must; leaves the stack tree alone.
  Problem cover(SectionKind Kind, SectionInfo &Out);

private:
  template <class Table> Problem known(const Table *T, unsigned Last);
  /// An entry has an unknown Value of an enumeration (`kind of mark`).
  Problem unknown(UnknownValues::Of Where, const char *Enumeration,
                  unsigned Value);
  /// A section may name one vector many times over: what is copied out of it is
  /// bounded in sum.
  Problem charge(size_t Bytes);
  Problem copyText(const flatbuffers::String *From, std::string &To);
  template <class V, class T> Problem copyVector(const V *From, T &To);
  template <class Table>
  Problem stackStatsRows(const Table *T, StackStatsRows &Out);
  // Rows of a summary by their fields(), in DecodeSummary.cpp.
  template <class V, class Row>
  Problem readRows(const V *Tables, std::vector<Row> &Out);
  /// Keep becomes false for a row that is to be left out.
  template <class Table, class Row>
  Problem readRow(const Table *T, Row &Out, bool &Keep);
  template <class E> Problem readEnum(uint8_t Value, E &Out, bool &Keep);
  template <class V> Problem readList(const V &From, SpaceShares &Out);
  template <class V>
  Problem readList(const V &From, std::vector<uint64_t> &Out);
  Problem decodeStrings(const fb::Strings *T, std::vector<std::string> &Out);
  Problem decodeStacks(const fb::StackTree *T, Dictionary &Out);
  Problem decodeSymbols(const fb::Symbols *T, std::vector<FrameSymbols> &Out);
  Problem countIds(const fb::Dictionary *T, IdLimits &C);
  Problem decodeDictionary(Dictionary &Out, bool WithStacks);
  Problem decodeTables(const fb::Dictionary *T, Dictionary &Out);
  Problem decodeFew(const fb::Dictionary *T, Dictionary &Out);
  struct EventInput;
  Problem openEvents(const fb::Events *T, EventInput &In);
  template <bool Threaded>
  void orderRows(const EventInput &In, EventTable &Out);
  static void countCreated(const EventInput &In, EventTable &Out);
  template <class S, class T>
  bool decodeOrdered(const fb::Planes *P, const EventInput &In,
                     std::vector<S> &Scratch, std::vector<T> &Out);
  template <class S, class T>
  void order(const EventInput &In, const std::vector<S> &Values,
             std::vector<T> &Out);
  template <class S>
  void splitSizes(const EventInput &In, std::vector<S> &Sizes, EventTable &Out);
  template <class S>
  bool decodeSizes(const fb::Planes *P, const EventInput &In,
                   std::vector<S> &Scratch, EventTable &Out);
  template <class S>
  Problem decodeTimes(const fb::Events *T, std::vector<S> &Steps,
                      EventTable &Out);
  Problem decodeHeaps(const fb::Events *T, const EventInput &In,
                      EventTable &Out);
  Problem decodeReferences(const fb::Events *T, const EventInput &In,
                           EventTable &Out);
  Problem decodeRows(const fb::Events *T, EventInput &In, EventTable &Out);
  Problem decodeColumns(const fb::Events *T, const EventInput &In,
                        EventTable &Out);

  Problem decodeCohorts(const fb::Lifetimes *T, Lifetimes &Out);
  Problem decodeFrees(const fb::Lifetimes *T, Lifetimes &Out);

  const fb::Section *Root = nullptr;
  SectionKind Opened = SectionKind::None;
  bool Strict = false;
  size_t Charged = 0;
  UnknownValues Unknown;
  StackTree Tree;
  // Scratch.
  std::vector<uint32_t> Narrow[4];
  std::vector<uint64_t> Wide[6];
  /// Where the values of allocations and references, in the order of time,
  /// stand in the columns of an event section.
  std::vector<uint32_t> AllocAt, RefAt;
  EventTable Columns;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_DECODE_H
