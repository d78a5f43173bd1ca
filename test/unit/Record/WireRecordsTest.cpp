// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed records and their order.

#include "RawRecord.h"
#include "Wire/RecordOrder.h"
#include "Wire/Records.h"
#include <gtest/gtest.h>
#include <random>

using namespace memkit;
using wire::Record;
using wire::RecordKind;
using wire::RingOrder;

namespace {

bool same(const Record &A, const Record &B) {
  return A.Address == B.Address && A.SizeKindFunction == B.SizeKindFunction &&
         A.Stack == B.Stack && A.Extra == B.Extra;
}

/// Whatever a program writes, decoding and encoding twice changes nothing more.
TEST(WireRecords, EveryKindKeepsItsMembers) {
  std::mt19937_64 Random(1);
  for (unsigned Kind = 1; Kind != wire::NumRecordKinds; ++Kind)
    for (int N = 0; N != 100; ++N) {
      Record Raw =
          rawRecord(0, RecordKind(Kind), Random(), Random() >> 16,
                    uint8_t(Random()), uint32_t(Random()), uint32_t(Random()));
      bool IsKnown = wire::visitRecord(Raw, [&](const auto &Typed) {
        using T = std::decay_t<decltype(Typed)>;
        EXPECT_EQ(RecordKind(Kind), T::Layout::Kind);
        Record Once = wire::encode(Typed);
        EXPECT_TRUE(Once.is(RecordKind(Kind)));
        Record Twice = wire::encode(wire::decode<T>(Once));
        EXPECT_TRUE(same(Once, Twice)) << "kind " << Kind;
      });
      EXPECT_TRUE(IsKnown);
    }
}

TEST(WireRecords, UnknownKinds) {
  for (unsigned Kind : {0u, unsigned(wire::NumRecordKinds), 255u})
    EXPECT_FALSE(wire::visitRecord(rawRecord(0, RecordKind(Kind), 1),
                                   [](const auto &) { FAIL(); }));
}

TEST(WireRecords, Slots) {
  Record R = wire::encode(wire::AllocateRecord{0x7f0000001000, ~uint64_t(0),
                                               wire::AllocFunction::New, 7});
  EXPECT_EQ(0x7f0000001000u, R.Address);
  EXPECT_EQ(Record::MaxSize, R.size()); // a larger size becomes the largest
  EXPECT_EQ(uint8_t(wire::AllocFunction::New), R.function());
  EXPECT_EQ(7u, R.Stack);

  auto Map = wire::decode<wire::MapRecord>(wire::encode(wire::MapRecord{
      0x1000, wire::MapClass::Stack, 8192, wire::AllocFunction::Mmap, 3}));
  EXPECT_EQ(0x1000u, Map.Page);
  EXPECT_EQ(wire::MapClass::Stack, Map.Class);

  // More than 48 bits.
  auto Oom = wire::decode<wire::TensorOomRecord>(
      wire::encode(wire::TensorOomRecord{5, ~uint64_t(0) - 9, 1, 2}));
  EXPECT_EQ(~uint64_t(0) - 9, Oom.Requested);

  auto Ask = wire::decode<wire::AskRecord>(
      wire::encode(wire::AskRecord{9, 255, 0x3fffffff}));
  EXPECT_EQ(255u, Ask.Slot);
  EXPECT_EQ(0x3fffffffu, Ask.Ticket);

  using Begin = wire::ScopeBeginRecord;
  auto Scope = wire::decode<Begin>(
      wire::encode(Begin{11, uint8_t(wire::SF_Range) | wire::SF_Python, 12,
                         Begin::inPython(13, 14)}));
  EXPECT_EQ(11u, Scope.Text);
  EXPECT_EQ(uint8_t(wire::SF_Range) | wire::SF_Python, Scope.Flags);
  EXPECT_EQ(13u, Scope.pythonNode());
  EXPECT_EQ(14u, Scope.optimizer());
}

TEST(RingOrder, ARemapHasABegin) {
  RingOrder Order;
  EXPECT_EQ(RingOrder::Verdict::Alone, Order.take(RecordKind::RemapEnd));
  EXPECT_EQ(RingOrder::Verdict::Fits, Order.take(RecordKind::RemapBegin));
  // A signal handler's.
  EXPECT_EQ(RingOrder::Verdict::Fits, Order.take(RecordKind::Allocate));
  EXPECT_EQ(RingOrder::Verdict::Fits, Order.take(RecordKind::RemapEnd));
  EXPECT_EQ(RingOrder::Verdict::Alone, Order.take(RecordKind::RemapEnd));
}

TEST(RingOrder, TheEndOfAReallocSaysEnough) {
  RingOrder Order;
  EXPECT_EQ(RingOrder::Verdict::Fits, Order.take(RecordKind::ReallocEnd));
  EXPECT_EQ(RingOrder::Verdict::Fits, Order.take(RecordKind::ReallocBegin));
  EXPECT_TRUE(Order.isOpen());
  EXPECT_EQ(RingOrder::Verdict::Forgotten,
            Order.take(RecordKind::ReallocBegin));
}

TEST(RingOrder, AThreadEndsWhatItHasOpen) {
  RingOrder Order;
  Order.take(RecordKind::RemapBegin);
  EXPECT_EQ(RingOrder::Verdict::Forgotten, Order.take(RecordKind::ThreadStart));
  EXPECT_FALSE(Order.isOpen());
  EXPECT_EQ(RingOrder::Verdict::Alone, Order.take(RecordKind::RemapEnd));
}

TEST(RingOrder, WhatMakesSenseOfARecord) {
  for (unsigned Kind = 1; Kind != wire::NumRecordKinds; ++Kind) {
    RingOrder Order;
    if (Order.take(RecordKind(Kind)) != RingOrder::Verdict::Alone)
      continue;
    RecordKind Begin = RingOrder::beginOf(RecordKind(Kind));
    ASSERT_NE(RecordKind::None, Begin);
    EXPECT_EQ(RingOrder::Verdict::Fits, Order.take(Begin));
    EXPECT_EQ(RingOrder::Verdict::Fits, Order.take(RecordKind(Kind)));
  }
}

} // namespace
