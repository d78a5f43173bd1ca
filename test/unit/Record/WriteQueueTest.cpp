// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queue of sections to write.

#include "Output/WriteQueue.h"
#include "gtest/gtest.h"

using namespace memkit;

namespace {

constexpr uint32_t NumEvents = 30000;

Dictionary someNames() {
  Dictionary D;
  D.Strings = {"one", "two"};
  return D;
}

void fill(EventLog &L) {
  L.start(0);
  uint32_t Lanes[] = {L.addThread(1), L.addThread(2)};
  for (uint32_t I = 0; I != NumEvents; ++I)
    L.allocate(Lanes[I % 2], I, I * 2654435761u % 5000, 1 + I % 97, 0, 1);
}

Marks someMarks() {
  Marks M;
  M.Rows.resize(3);
  return M;
}

std::unique_ptr<TraceWriter> begin(Sink &Out) {
  return llvm::cantFail(TraceWriter::create(Out, Header()));
}

/// Takes Room bytes, then fails.
struct FullSink : Sink {
  size_t Room;
  explicit FullSink(size_t Room) : Room(Room) {}
  llvm::Error write(llvm::StringRef Bytes) override {
    if (Bytes.size() > Room)
      return llvm::createStringError(std::errc::no_space_on_device, "full");
    Room -= Bytes.size();
    return llvm::Error::success();
  }
};

TEST(WriteQueue, StepsWriteWhatIsWrittenAtOnce) {
  EventLog L;
  std::string AtOnce, InSteps;
  {
    StringSink Out(AtOnce);
    auto W = begin(Out);
    fill(L);
    llvm::cantFail(W->write(someNames()));
    llvm::cantFail(W->write(L));
    llvm::cantFail(W->write(someMarks()));
    llvm::cantFail(W->finish());
  }
  StringSink Out(InSteps);
  auto W = begin(Out);
  WriteQueue Q(*W);
  fill(L);
  Q.add(someNames());
  Q.add(L);
  Q.add(someMarks());
  EXPECT_EQ(3u, Q.size());
  unsigned Steps = 0;
  for (; !Q.empty(); ++Steps) {
    EXPECT_EQ(L.empty(), !Q.hasEvents()) << "kept until it is written";
    llvm::cantFail(Q.step());
  }
  EXPECT_GT(Steps, 10u);
  EXPECT_TRUE(L.empty());
  llvm::cantFail(W->finish());
  EXPECT_TRUE(AtOnce == InSteps);
}

TEST(WriteQueue, AThreadWritesTheSame) {
  std::string Alone, ByThread;
  for (std::string *To : {&Alone, &ByThread}) {
    StringSink Out(*To);
    auto W = begin(Out);
    WriteQueue Q(*W);
    if (To == &ByThread)
      Q.useThread();
    EventLog L, M;
    for (unsigned Round = 0; Round != 20; ++Round) {
      fill(L);
      fill(M);
      Q.add(L);
      Q.add(someNames());
      Q.add(M);
      bool IsCalled = false;
      Q.addNote([&](const TraceWriter &Of) {
        IsCalled = true;
        EXPECT_EQ(Q.bytes(), Of.bytes());
      });
      Q.add(someMarks());
      uint64_t Before = Q.bytes();
      while (!Q.empty()) {
        // Some steps wait for the thread, the others come when there is work.
        while (Round % 2 && !Q.isReady() && !Q.empty())
          EXPECT_GE(Q.bytes(), Before);
        if (!Q.empty())
          llvm::cantFail(Q.step());
      }
      EXPECT_TRUE(IsCalled);
      EXPECT_TRUE(L.empty() && M.empty());
    }
    EXPECT_EQ(To == &ByThread, Q.threadNs() != 0);
    llvm::cantFail(W->finish());
  }
  EXPECT_TRUE(Alone == ByThread);
}

TEST(WriteQueue, AQueueEndsWhileItsThreadWrites) {
  std::string Bytes;
  StringSink Out(Bytes);
  auto W = begin(Out);
  EventLog L;
  fill(L);
  WriteQueue Q(*W);
  Q.useThread();
  Q.add(L);
  llvm::cantFail(Q.step());
}

class WriteQueueThatFails : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithThread, WriteQueueThatFails, testing::Bool());

TEST_P(WriteQueueThatFails, LeavesNothing) {
  FullSink Out(2000);
  auto W = begin(Out);
  WriteQueue Q(*W);
  if (GetParam())
    Q.useThread();
  EventLog L;
  fill(L);
  Q.add(L);
  Q.add(someMarks());
  llvm::Error E = llvm::Error::success();
  while (!E && !Q.empty())
    E = Q.step();
  EXPECT_EQ("full", llvm::toString(std::move(E)));
  Q.clear();
  EXPECT_TRUE(Q.empty());
  EXPECT_FALSE(Q.hasEvents());
  EXPECT_TRUE(L.empty());
}

} // namespace
