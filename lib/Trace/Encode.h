// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections to FlatBuffers.

#ifndef MEMKIT_LIB_TRACE_ENCODE_H
#define MEMKIT_LIB_TRACE_ENCODE_H

#include "Frames.h"
#include "IndexLog.h"
#include "Planes.h"
#include "StackTree.h"
#include "memkit/Trace/Sections.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>

namespace memkit {

class EventLog;

/// Encodes sections as size-prefixed FlatBuffers. Keeps the stack tree, so
/// dictionaries must come in file order. The returned bytes and cuts stay valid
/// until the next encode().
class Encoder {
public:
  Encoder();
  ~Encoder();
  Bytes encode(const Header &H);
  Bytes encode(const Dictionary &D);
  Bytes encode(const Events &E);
  Bytes encode(const EventLog &L) {
    planEvents(L);
    gatherEvents(L);
    return finishEvents(L);
  }
  Bytes encode(const Marks &M);
  Bytes encode(const Intervals &S);
  Bytes encode(const Snapshot &K);
  Bytes encode(const Summary &S);
  Bytes encode(const Lifetimes &L);
  Bytes encode(const Partial &P);
  Bytes encode(const BlockCategories &C);
  Bytes encode(const ScopeTimes &S);
  Bytes encode(const DeviceSpans &S);
  Bytes encode(const Index &I);
  Bytes encode(const IndexLog &I);

  // encode(EventLog) in three steps. Each step takes the same, unchanged log.
  void planEvents(const EventLog &L);
  void gatherEvents(const EventLog &L);
  Bytes finishEvents(const EventLog &L);

  /// Offsets at which columns of the last section begin and end, for
  /// FrameCompressor.
  llvm::ArrayRef<size_t> cuts() const { return Cuts; }

private:
  template <class T> using Off = flatbuffers::Offset<T>;
  template <class T> using OffVector = Off<flatbuffers::Vector<T>>;

  void begin();
  Bytes finish(fb::Body Kind, Off<void> Body);

  OffVector<uint8_t> bytes(llvm::ArrayRef<uint8_t> V);
  template <class T> Off<fb::Planes> planes(llvm::ArrayRef<T> V) {
    return encodePlanes(B, V, Vectors);
  }
  /// A column with the values of Get for each row.
  template <class R, class F>
  Off<fb::Planes> column(const std::vector<R> &Rows, F Get) {
    Wide.clear();
    Wide.reserve(Rows.size());
    for (const R &Row : Rows)
      Wide.push_back(Get(Row));
    return planes(llvm::ArrayRef<uint64_t>(Wide));
  }
  /// As column(), of zigzag differences between neighbouring rows.
  template <class R, class F>
  Off<fb::Planes> differences(const std::vector<R> &Rows, F Get) {
    uint64_t Last = 0;
    return column(Rows, [&](const R &Row) {
      uint64_t V = Get(Row), D = zigzag(int64_t(V - Last));
      Last = V;
      return D;
    });
  }
  OffVector<Off<flatbuffers::String>>
  strings(const std::vector<std::string> &V);

  template <class T> OffVector<T> some(const std::vector<T> &V);
  template <class T> auto stored(const T &Value);
  /// A table for each row, by its fields().
  template <class Table, class Row>
  std::vector<Off<Table>> rows(const std::vector<Row> &V);
  Off<fb::Strings> encodeStrings(const std::vector<std::string> &V);
  Off<fb::StackTree> encodeStacks(const Dictionary &D);
  Off<fb::Symbols> encodeSymbols(const std::vector<FrameSymbols> &V);
  template <class Table> Off<Table> stackStatsRows(const StackStatsRows &R);

  // Events, in EncodeEvents.cpp.
  struct EventPlan;
  struct Optional {
    uint8_t Shift = 0;
    Off<fb::Planes> Columns[6];
  };
  void orderAllocations(const EventLog &L, EventPlan &P);
  void optionalColumns(const EventLog &L, EventPlan &P, Optional &Out);
  std::unique_ptr<EventPlan> Plan;

  flatbuffers::FlatBufferBuilder B{1 << 20};
  ByteVectors Vectors;
  std::vector<size_t> Cuts;
  std::vector<uint64_t> Wide;
  StackTreeWriter Tree;
  StackRows NewRows;
};

} // namespace memkit

#endif // MEMKIT_LIB_TRACE_ENCODE_H
