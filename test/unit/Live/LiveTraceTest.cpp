// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a recorder of another user may hand out in place of a moment.

#include "Live/LiveTrace.h"
#include "SampleTrace.h"
#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

namespace {
constexpr int Sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
enum Part { File, Totals, Rows, Sections, NumParts };

Descriptor memoryOf(StringRef Bytes, int Seals = Sealed, uint64_t Holes = 0) {
  Descriptor Fd(memfd_create("live", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ssize_t(Bytes.size()), write(Fd.get(), Bytes.data(), Bytes.size()));
  if (Holes) {
    EXPECT_EQ(0, ftruncate(Fd.get(), off_t(Holes)));
  }
  EXPECT_EQ(0, fcntl(Fd.get(), F_ADD_SEALS, Seals));
  return Fd;
}

std::string traceOf(bool HasSummary) {
  std::string Bytes;
  StringSink Sink(Bytes);
  auto W = cantFail(TraceWriter::create(Sink, Header()));
  if (HasSummary)
    cantFail(W->write(Summary()));
  return Bytes;
}

std::string rowsOf(size_t Count) {
  std::vector<MomentRow> Rows(Count);
  for (size_t I = 0; I != Count; ++I)
    Rows[I].Process = 1, Rows[I].Stats.Key = uint32_t(I);
  return std::string(reinterpret_cast<char *>(Rows.data()),
                     Count * sizeof(MomentRow));
}

/// What a recorder of memkit answers.
LiveMessage goodReply() {
  std::string Trace = traceOf(false);
  LiveMessage M;
  M.Text = "bytes " + std::to_string(Trace.size()) +
           "\nevents 7\nsince 0\ncells 0\n";
  M.Fds.push_back(memoryOf(Trace));
  M.Fds.push_back(memoryOf(traceOf(true)));
  M.Fds.push_back(memoryOf(rowsOf(3)));
  M.Fds.push_back(memoryOf(""));
  return M;
}

std::string errorOf(LiveMessage M) {
  LiveFollower F("live:1");
  auto Bytes = F.take(std::move(M), "live:1");
  return Bytes ? "" : toString(Bytes.takeError());
}

/// The good reply with one part replaced.
std::string errorWith(Part Of, Descriptor By) {
  LiveMessage M = goodReply();
  M.Fds[Of] = std::move(By);
  return errorOf(std::move(M));
}
} // namespace

TEST(LiveTrace, TakesARecorder) {
  LiveFollower F("live:1");
  auto Bytes = F.take(goodReply(), "live:1");
  ASSERT_TRUE(bool(Bytes)) << toString(Bytes.takeError());
  EXPECT_GT((*Bytes)->size(), traceOf(false).size());
}

TEST(LiveTrace, RefusesWhatIsNotSealed) {
  const char *Names[] = {"", "totals", "rows", "sections"};
  for (Part Of : {Totals, Rows, Sections})
    for (int Seals : {0, F_SEAL_SHRINK, Sealed & ~F_SEAL_SHRINK,
                      Sealed & ~F_SEAL_WRITE, Sealed & ~F_SEAL_GROW})
      EXPECT_EQ(std::string("live:1: the recorder's answer is refused: the ") +
                    Names[Of] + " are not in sealed memory",
                errorWith(Of, memoryOf("", Seals)));
}

TEST(LiveTrace, RefusesWhatIsNoMemory) {
  for (const char *Path : {"/dev/zero", "/", "/proc/self/exe", "/dev/null"})
    for (Part Of : {Totals, Rows, Sections})
      EXPECT_NE("", errorWith(Of, Descriptor(open(Path, O_RDONLY)))) << Path;
  int Ends[2];
  ASSERT_EQ(0, pipe(Ends)); // nobody ever writes
  for (Part Of : {File, Totals, Rows, Sections})
    EXPECT_NE("", errorWith(Of, Descriptor(dup(Ends[0]))));
  close(Ends[0]), close(Ends[1]);
}

/// Memory that costs the recorder nothing would cost its reader all of it.
TEST(LiveTrace, RefusesHoles) {
  for (uint64_t Bytes :
       {uint64_t(1) << 20, uint64_t(6) << 30, uint64_t(8) << 40})
    for (Part Of : {Totals, Rows, Sections})
      EXPECT_NE(std::string::npos,
                errorWith(Of, memoryOf("", Sealed, Bytes)).find("holes"));
}

TEST(LiveTrace, RefusesTooMuch) {
  std::string Much(LiveFollower::MaxTotalBytes + 1, '\0');
  EXPECT_EQ("live:1: the recorder's answer is refused: the totals have "
            "67108865 bytes, and may have 67108864",
            errorWith(Totals, memoryOf(Much)));
  // A list of sections only saves time.
  EXPECT_EQ("", errorWith(Sections, memoryOf(Much)));
  Much.resize(LiveFollower::MaxRowBytes + sizeof(MomentRow));
  EXPECT_NE(std::string::npos,
            errorWith(Rows, memoryOf(Much)).find("the rows have 268435"));
}

TEST(LiveTrace, RefusesWrongNumbers) {
  for (const char *Text :
       {"", "bytes 1\n", "bytes 99999999\nevents 7\nsince 0\ncells 0\n",
        "bytes 1\nevents 7\nsince 1\ncells 0\n",
        "bytes 1\nevents 7\nsince 0\ncells 18446744073709551615\n",
        "bytes -1\nevents 7\nsince 0\ncells 0\n"}) {
    LiveMessage M = goodReply();
    M.Text = Text;
    EXPECT_NE("", errorOf(std::move(M))) << Text;
  }
  LiveMessage M = goodReply();
  M.Fds.pop_back();
  EXPECT_NE("", errorOf(std::move(M)));
}

/// The rows of many answers are bounded together.
TEST(LiveTrace, BoundsWhatItKeeps) {
  LiveFollower F("live:1");
  size_t Half = LiveFollower::MaxRowBytes / sizeof(MomentRow) / 2 + 1;
  std::string Error;
  for (uint32_t Turn = 1; Turn != 4 && Error.empty(); ++Turn) {
    std::string Bytes = rowsOf(Half);
    for (size_t I = 0; I != Half; ++I)
      std::memcpy(Bytes.data() + I * sizeof(MomentRow), &Turn, sizeof(Turn));
    LiveMessage M = goodReply();
    M.Fds[Rows] = memoryOf(Bytes);
    StringRef Text = M.Text;
    M.Text = (Text.take_until([](char C) { return C == '\n'; }) +
              "\nevents 7\nsince " + (Turn == 1 ? "0" : "7") + "\ncells 0\n")
                 .str();
    auto Taken = F.take(std::move(M), "live:1");
    if (!Taken)
      Error = toString(Taken.takeError());
  }
  EXPECT_NE(std::string::npos, Error.find("the rows have")) << Error;
}

namespace {
/// A recorder that answers at random, near the truth.
class HostileRecorder {
public:
  explicit HostileRecorder(unsigned Seed) : Random(Seed) {}
  LiveMessage reply() {
    LiveMessage M;
    M.Text = "bytes " + number() + "\nevents " + number() + "\nsince " +
             number() + "\ncells " + number() + "\n";
    const std::string Parts[] = {traceOf(below(2)), traceOf(below(8)),
                                 rowsOf(below(40)), std::string(4096, '\0')};
    for (const std::string &Bytes : Parts)
      M.Fds.push_back(memoryOf(damaged(Bytes), below(20) ? Sealed : 0,
                               below(20) ? 0 : uint64_t(1) << below(44)));
    return M;
  }

private:
  uint64_t below(uint64_t Max) { return Random() % Max; }
  std::string number() {
    const uint64_t Some[] = {
        0, 1, 2, 7, traceOf(false).size(), 1u << 31, ~0ull, below(300)};
    return std::to_string(Some[below(std::size(Some))]);
  }
  std::string damaged(std::string Bytes) {
    if (below(4) == 0)
      Bytes.resize(below(Bytes.size() + 100), char(below(256)));
    for (uint64_t I = below(3) ? 0 : below(30); I && !Bytes.empty(); --I)
      Bytes[below(Bytes.size())] = char(below(256));
    return Bytes;
  }
  std::mt19937_64 Random;
};

/// Reads all that can be read.
void readAllOf(std::shared_ptr<const TraceBytes> Bytes) {
  auto R = TraceReader::create(std::move(Bytes));
  if (!R)
    return consumeError(R.takeError());
  for (const SectionInfo &B : (*R)->sections())
    consumeError((*R)->readAny(B).takeError());
}
} // namespace

TEST(LiveTrace, HoldsAgainstAHostileRecorder) {
  HostileRecorder Recorder(5);
  unsigned Taken = 0;
  for (unsigned Round = 0; Round != 1500; ++Round) {
    LiveFollower F("live:1");
    for (unsigned Turn = 0; Turn != 4; ++Turn) {
      auto Bytes = F.take(Recorder.reply(), "live:1");
      Taken += bool(Bytes);
      if (Bytes)
        readAllOf(std::move(*Bytes));
      else
        EXPECT_NE("", toString(Bytes.takeError()));
    }
  }
  EXPECT_GT(Taken, 50u);
  rusage Used;
  ASSERT_EQ(0, getrusage(RUSAGE_SELF, &Used));
  EXPECT_LT(Used.ru_maxrss, 2 << 20) << "KiB";
}
