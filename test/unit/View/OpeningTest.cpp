// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces that are opened while the page waits.

#include "View/Opening.h"
#include "TraceText/Assembler.h"
#include "memkit/Support/RequestError.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <future>

using namespace memkit;
using namespace llvm;

static constexpr StringLiteral Text = R"(header command=["run"]
dictionary
  process 1 pid=1
  thread 1 process=1 tid=1
  heap 1 name="host.malloc"
events process=1
  100 th1 alloc #0 size=10 heap=1
complete
)";

namespace {
/// A trace in a file of its own.
struct FileOfTrace {
  SmallString<64> Path;
  FileOfTrace() {
    int Fd = -1;
    EXPECT_FALSE(sys::fs::createTemporaryFile("opening", "fb", Fd, Path));
    raw_fd_ostream Out(Fd, /*shouldClose=*/true);
    std::string Bytes;
    StringSink Sink(Bytes);
    cantFail(assemble(MemoryBufferRef(Text, "text"), Sink).takeError());
    Out << Bytes;
  }
  ~FileOfTrace() { sys::fs::remove(Path); }
  Expected<std::unique_ptr<Router>> open(ProgressCallback Tell) const {
    return Router::open(
        {Path.str().str()}, 1, SelectionSpec(), std::move(Tell),
        [](const std::string &) {
          return [](const AskedValues &) { return std::string(); };
        },
        [](Metric) { return std::string(); });
  }
};
} // namespace

TEST(Opening, AnswersAreProgressUntilTheTracesAreOpen) {
  FileOfTrace File;
  std::promise<void> Told, MayOpen;
  Opening V(
      [&](ProgressCallback Tell) {
        Tell("replaying a trace", 1, 4);
        Told.set_value();
        MayOpen.get_future().wait();
        return File.open(Tell);
      },
      [] { FAIL() << "there was no error"; });
  Told.get_future().wait();
  EXPECT_FALSE(V.waitFor(1));
  EXPECT_EQ(cantFail(V.answer(Question("start"))),
            R"({"progress":0.25,"what":"replaying a trace"})");
  EXPECT_TRUE(V.isWaiting());
  EXPECT_TRUE(V.isWorking());
  MayOpen.set_value();
  while (!V.waitFor(100))
    ;
  EXPECT_NE(cantFail(V.answer(Question("start"))).find(R"("program":"run")"),
            std::string::npos);
  EXPECT_FALSE(V.isWaiting());
  EXPECT_FALSE(V.isWorking());
  EXPECT_FALSE(errorToBool(V.takeError()));
}

/// An error keeps its kind for the caller and its text for the page. The server
/// is told later, unless the caller leaves.
TEST(Opening, AnErrorIsToldToPageAndCaller) {
  std::promise<void> Stopped;
  auto Fail = [](ProgressCallback) -> Expected<std::unique_ptr<Router>> {
    return makeRequestError("there is no such trace");
  };
  {
    Opening V(
        Fail, [&] { Stopped.set_value(); }, std::chrono::milliseconds(10));
    while (!V.waitFor(100))
      ;
    Expected<std::string> Answer = V.answer(Question("start"));
    EXPECT_EQ(toString(Answer.takeError()), "there is no such trace");
    Stopped.get_future().wait();
    Error E = V.takeError();
    EXPECT_TRUE(E.isA<RequestError>());
    consumeError(std::move(E));
  }
  auto Begin = std::chrono::steady_clock::now();
  {
    Opening V(
        Fail, [] { FAIL() << "the caller has left"; }, std::chrono::minutes(1));
    while (!V.waitFor(100))
      ;
    EXPECT_TRUE(errorToBool(V.takeError()));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - Begin, std::chrono::seconds(30));
}
