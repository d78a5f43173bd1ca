// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes traces in memory for tests.

#include "TraceMaker.h"
#include "memkit/Model/Complete.h"

using namespace memkit;
using namespace memkit::test;

std::string MadeTrace::bytes(bool Complete) const {
  std::string Out;
  StringSink To(Out);
  std::unique_ptr<TraceWriter> W =
      llvm::cantFail(TraceWriter::create(To, Header()));
  for (const AnySection &Any : Blocks)
    std::visit(
        [&](const auto &B) {
          using T = std::decay_t<decltype(B)>;
          if constexpr (!std::is_same_v<T, std::monostate> &&
                        !std::is_same_v<T, Header> && !std::is_same_v<T, Index>)
            llvm::cantFail(W->write(B));
        },
        Any);
  if (Complete)
    llvm::cantFail(W->finish());
  W.reset();
  return Out;
}

std::unique_ptr<TraceReader> MadeTrace::open(bool Complete) const {
  return llvm::cantFail(TraceReader::create(
      llvm::MemoryBuffer::getMemBufferCopy(bytes(Complete), "made.fb")));
}

Dictionary memkit::test::someDictionary(uint32_t Processes) {
  Dictionary D;
  D.Strings = {"f", "host.malloc", "host.mmap", "python", "reserved"};
  D.Functions = {{1, 0, 0}};
  D.Frames = {{FrameKind::Named, 1, 0}};
  for (uint32_t S = 0; S < 20; ++S) {
    D.Stacks.push_back({S, 1});
    D.NodeFrames.push_back(1);
  }
  D.Scopes = {{ScopeKind::User, 1, 0}};
  D.ScopePaths = {{0, 1, 0}, {1, 1, 0}};
  for (uint32_t H = 2; H <= 5; ++H) {
    Heap To;
    To.Name = H;
    To.Flags = H == 5 ? HF_OutsideTotals : HF_None;
    D.Heaps.push_back(To);
  }
  for (uint32_t I = 1; I <= Processes; ++I) {
    D.Processes.emplace_back();
    for (uint32_t T = 0; T < 2; ++T) {
      D.Threads.emplace_back();
      D.Threads.back().Process = I;
    }
  }
  return D;
}

namespace {
/// A process during the generation of its events.
struct Making {
  Events Open;
  struct Live {
    uint64_t AllocationId, Size, Enclosing;
  };
  std::vector<Live> Blocks;
  uint64_t Next = 0;
  bool Ended = false;
};

class Maker {
public:
  Maker(unsigned Seed, uint32_t Count, bool Places)
      : Rng(Seed), Processes(Count), Places(Places) {
    Out.Blocks.push_back(someDictionary(Count));
    for (uint32_t I = 0; I < Count; ++I)
      Processes[I].Open.Process = I + 1;
  }

  MadeTrace make(unsigned Events) {
    for (unsigned N = 0; N < Events; ++N) {
      Time += pick(4) * TimeUnitNs;
      uint32_t At = pick(Processes.size());
      if (Processes[At].Ended)
        continue;
      // Rows with equal times are ordered by process.
      if (At < LastProcess)
        Time += TimeUnitNs;
      LastProcess = At;
      event(Processes[At]);
      if (pick(200) == 0)
        mark(MarkKind::Step, At);
      if (At != 0 && pick(2000) == 0) {
        mark(MarkKind::ProcessEnd, At);
        Processes[At].Ended = true;
      }
      if (Processes[At].Open.Rows.size() == 3000)
        closeEpoch();
    }
    closeEpoch();
    return std::move(Out);
  }

private:
  uint64_t pick(uint64_t Below) { return Rng() % Below; }

  void event(Making &I) {
    Event E;
    E.TimeNs = Time;
    E.Thread = I.Open.Process * 2 - pick(2);
    if (I.Open.Rows.empty())
      I.Open.FirstAllocationId = I.Next;
    uint64_t Enclosing = 0, Address = 0;
    unsigned Dice = pick(100);
    size_t At =
        I.Blocks.empty() ? 0 : I.Blocks.size() - 1 - pick(I.Blocks.size());
    if (Dice < 47 || I.Blocks.empty()) {
      E.Size = pick(1000);
      E.Stack = 1 + pick(20);
      E.Heap = 1 + pick(4);
      E.ScopePath = pick(3);
      E.Block = I.Next++;
      if (pick(4) == 0 && !I.Blocks.empty() && I.Blocks[At].Size)
        Enclosing = I.Blocks[At].AllocationId + 1;
      Address = E.Block * 4096;
      I.Blocks.push_back({E.Block, E.Size, Enclosing});
    } else if (Dice < 94) {
      E.Kind = EventKind::Free;
      E.Block = I.Blocks[At].AllocationId;
      I.Blocks[At] = I.Blocks.back();
      I.Blocks.pop_back();
    } else if (Dice < 97) {
      E.Kind = EventKind::Resize;
      E.Block = I.Blocks[At].AllocationId;
      E.Size = I.Blocks[At].Size = pick(1000);
    } else {
      E.Kind = EventKind::Split;
      E.Block = I.Blocks[At].AllocationId;
      E.Size = pick(I.Blocks[At].Size + 1);
      I.Blocks.push_back({I.Next++, I.Blocks[At].Size - E.Size, 0});
      I.Blocks[At].Size = E.Size;
    }
    I.Open.Rows.push_back(E);
    if (!Places)
      return;
    I.Open.Columns.Enclosing.push_back(Enclosing);
    I.Open.Columns.Address.push_back(Address);
  }

  void mark(MarkKind Kind, uint32_t At) {
    Time += TimeUnitNs;
    LastProcess = 0;
    Mark M;
    M.Kind = Kind;
    M.Process = At + 1;
    M.TimeNs = Time;
    if (Kind == MarkKind::Step)
      M.Id = ++Step;
    else
      M.Values = {130, 2};
    Notes.Rows.push_back(M);
  }

  void closeEpoch() {
    for (Making &I : Processes) {
      if (I.Open.Rows.empty())
        continue;
      I.Open.Epoch = Epoch;
      Out.Blocks.push_back(I.Open);
      I.Open.Rows.clear();
      I.Open.Columns.clear();
    }
    if (!Notes.Rows.empty())
      Out.Blocks.push_back(Notes);
    Notes.Rows.clear();
    Epoch += 1;
    Time += TimeUnitNs;
  }

  std::mt19937_64 Rng;
  MadeTrace Out;
  std::vector<Making> Processes;
  bool Places;
  uint64_t Time = 0, Step = 0;
  uint32_t LastProcess = 0, Epoch = 0;
  Marks Notes;
};
} // namespace

MadeTrace memkit::test::makeEvents(unsigned Seed, unsigned Events,
                                   uint32_t Processes, bool Places) {
  return Maker(Seed, Processes, Places).make(Events);
}

MadeTrace memkit::test::readAll(TraceReader &R) {
  MadeTrace Out;
  for (const SectionInfo &B : R.sections())
    if (B.Kind != SectionKind::Header)
      Out.Blocks.push_back(llvm::cantFail(R.readAny(B)));
  return Out;
}

MadeTrace memkit::test::completed(const MadeTrace &T) {
  std::unique_ptr<TraceReader> In = T.open();
  std::string Bytes;
  StringSink To(Bytes);
  std::unique_ptr<TraceWriter> W =
      llvm::cantFail(TraceWriter::create(To, In->header()));
  llvm::cantFail(completeTrace(*In, *W));
  llvm::cantFail(W->finish());
  W.reset();
  std::unique_ptr<TraceReader> Done = llvm::cantFail(TraceReader::create(
      llvm::MemoryBuffer::getMemBufferCopy(Bytes, "made.fb")));
  return readAll(*Done);
}
