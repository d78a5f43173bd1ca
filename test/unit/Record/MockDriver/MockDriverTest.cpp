// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device driver with an invented library: only this folder knows it.

#include "Devices/DeviceUses.h"
#include "Output/MemorySink.h"
#include "Output/Recording.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace memkit;

namespace {

constexpr uint64_t MockMiB = 1 << 20;

/// The memory of process 4711, which a thread of the library's reads.
using MockMemory = std::shared_ptr<std::atomic<uint64_t>>;

/// Another process has 500 MiB.
class MockLibrary : public DeviceLibrary {
public:
  MockLibrary(MockMemory Own, std::string Wrong)
      : Own(std::move(Own)), Wrong(std::move(Wrong)) {}

  std::string open() override { return Wrong; }
  std::string read(llvm::ArrayRef<uint8_t> Uuid, bool, Reading &Out) override {
    if (Uuid.size() != 16 || Uuid[0] != 7)
      return "mock: no such device";
    Out.Used = 500 * MockMiB + *Own;
    Out.Total = 4096 * MockMiB;
    Out.Processes = {{4711, *Own}, {99, 500 * MockMiB}};
    return "";
  }

private:
  MockMemory Own;
  std::string Wrong;
};

struct MockDriver : testing::Test, RecordingListener {
  std::string Bytes;
  StringSink Out{Bytes};
  std::unique_ptr<Recording> R = llvm::cantFail(
      Recording::create(Out, Header(), TscClock({0, 0, 0}, 1000000000)));
  std::vector<Mark> Marks;
  uint16_t Device = 0;
  MockMemory Own = std::make_shared<std::atomic<uint64_t>>(0);

  void SetUp() override {
    R->names().addProcess(ProcessRecord());
    R->stats().beginProcess(1, 0);
    R->addListener(*this);
    memkit::Device D;
    D.Uuid.assign(16, 7);
    Device = R->heaps().cudaDevice(0, D, /*SharesMemory=*/false);
  }
  void addingMark(const Mark &M) override { Marks.push_back(M); }

  /// Waits until a thread of the process may go on. True: the device was read.
  bool ask(DeviceUses &Uses, wire::DeviceTimePoint At, uint32_t Context) {
    DeviceUses::DeviceWait W;
    W.L.Device = Device;
    W.L.Of = {1, Context};
    W.At = At;
    Uses.wait(W);
    for (unsigned Try = 0; Try != 10000; ++Try) {
      DeviceUses::News News = Uses.pass(R->nowNs(), {{1, 4711}});
      Missed.insert(Missed.end(), News.Missed.begin(), News.Missed.end());
      if (!News.Replies.empty())
        return News.Replies.front().IsKnown;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "no reply";
    return false;
  }
  std::vector<std::string> Missed;
};

TEST_F(MockDriver, MeasuresTheMemoryOfAContext) {
  DeviceUses Uses(*R, std::make_unique<MockLibrary>(Own, ""), 100000000);
  EXPECT_TRUE(ask(Uses, wire::DeviceTimePoint::ContextBegins, 0));
  Uses.seen({1, 1}, Device);
  *Own = 100 * MockMiB;
  EXPECT_TRUE(ask(Uses, wire::DeviceTimePoint::ContextMade, 1));
  EXPECT_TRUE(Missed.empty());
  Mark Last;
  for (const Mark &M : Marks)
    if (M.Kind == MarkKind::DeviceUsed)
      Last = M;
  ASSERT_LE(7u, Last.Values.size());
  EXPECT_EQ(4096 * MockMiB, Last.Values[1]);
  EXPECT_EQ(100 * MockMiB, Last.Values[3]); // of contexts
  EXPECT_EQ(500 * MockMiB, Last.Values[5]); // of other processes
}

TEST_F(MockDriver, TellsWhyALibraryDoesNotOpen) {
  DeviceUses Uses(*R, std::make_unique<MockLibrary>(Own, "mock: no driver"),
                  100000000);
  EXPECT_FALSE(ask(Uses, wire::DeviceTimePoint::ContextBegins, 0));
  ASSERT_EQ(1u, Missed.size());
  EXPECT_NE(std::string::npos, Missed[0].find("mock: no driver"));
}

} // namespace
