// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FlatBuffers to sections.

#ifndef MEMKIT_LIB_TRACE_DECODE_H
#define MEMKIT_LIB_TRACE_DECODE_H

#include "Frames.h"
#include "Planes.h"
#include "StackTree.h"
#include "memkit/Trace/EventTable.h"
#include "memkit/Trace/IdLimits.h"
#include "memkit/Trace/UnknownValues.h"
#include <string>

namespace memkit {

/// Decodes the bytes of sections. Every function returns a description of the
/// error, or an empty string. Decoded sections obey the limits of Sections.h.
///
/// Keeps the stack tree, so dictionaries must come in file order. Call
/// restart() before decoding the first dictionary again.
///
/// Many functions in one class: there is one for each table of the schema, and
/// all share the stack tree and the buffers.
class Decoder {
public:
  using Problem = std::string;

  /// Verifies Raw as a size-prefixed Section; sets Kind to the kind of its
  /// body.
  Problem open(Bytes Raw, SectionKind &Kind);

  /// In strict mode, a field or enumeration value unknown to this version is an
  /// error.
  void setStrict(bool S) { Strict = S; }
  /// Unknown enumeration values found so far in the section opened last.
  const UnknownValues &unknownValues() const { return Unknown; }
  void restart() { Tree = StackTree(); }
  /// Returns the parents of the stack tree and starts an empty tree.
  std::vector<uint32_t> takeParents() {
    std::vector<uint32_t> Out = Tree.takeParents();
    restart();
    return Out;
  }
  /// Makes room for a stack tree of Nodes nodes.
  void reserveTree(size_t Nodes) { Tree.reserve(Nodes); }

  // Each function decodes the section opened last, which must be of its kind.
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
  Problem decode(BlockCategories &Out);
  Problem decode(ScopeTimes &Out);
  Problem decode(DeviceSpans &Out);
  Problem decode(Index &Out);
  Problem decode(AnySection &Out);
  /// The outline of a dictionary; leaves the stack tree alone.
  Problem outline(DictionaryOutline &Out, bool WithStrings);
  /// Decodes all entries but frames, stacks and symbols, and counts all
  /// entries.
  Problem names(DictionaryOutline &Out);
  /// Decodes a summary without its rows of stacks and scope paths.
  Problem decodeTotals(Summary &Out);
  /// Decodes a snapshot without its blocks.
  Problem decodeHead(Snapshot &Out);
  /// Decodes Intervals without their rows.
  Problem decodeHeads(Intervals &Out);

  /// Computes the index entry of the section opened last, for a file without an
  /// index. Decodes only the needed parts; leaves the stack tree alone.
  Problem cover(SectionKind Kind, SectionInfo &Out);

private:
  template <class Table> Problem known(const Table *T, unsigned Last);
  /// Handles an entry with an unknown Value of an enumeration (`kind of mark`).
  Problem unknown(UnknownValues::Of Where, const char *Enumeration,
                  unsigned Value);
  /// Bounds the sum of all bytes copied out of a section, since a section may
  /// refer to one vector many times.
  Problem charge(size_t Bytes);
  Problem copyText(const flatbuffers::String *From, std::string &To);
  template <class V, class T> Problem copyVector(const V *From, T &To);
  template <class Table>
  Problem stackStatsRows(const Table *T, StackStatsRows &Out);
  // Rows of a summary by their fields(), in DecodeSummary.cpp.
  template <class V, class Row>
  Problem readRows(const V *Tables, std::vector<Row> &Out);
  /// Keep becomes false for a row to skip.
  template <class Table, class Row>
  Problem readRow(const Table *T, Row &Out, bool &Keep);
  template <class E> Problem readEnum(uint8_t Value, E &Out, bool &Keep);
  template <class V> Problem readList(const V &From, SpaceShares &Out);
  template <size_t I>
  Problem spanColumn(const fb::DeviceSpans *T, DeviceSpans &Out);
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
  /// The index, in the columns of an event section, of the value of each
  /// allocation and reference in order of time.
  std::vector<uint32_t> AllocAt, RefAt;
  EventTable Columns;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_DECODE_H
