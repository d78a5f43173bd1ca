// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the memory that a hostile program shares with the recorder.
//
// A recorded program may write anything into the shared memory. The input
// describes the writes: pokes into the memory, records, and passes of the
// recorder between them. For any input the trace must be readable and
// consistent.

#include "Sources/ProcessState.h"
#include "memkit/Model/Check.h"
#include "memkit/Trace/TraceReader.h"
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

namespace {

/// The bytes of the input, and zeros after the end.
class Input {
public:
  Input(const uint8_t *Data, size_t Size) : At(Data), End(Data + Size) {}
  bool empty() const { return At == End; }
  template <class T> T take() {
    T Out{};
    size_t Count = std::min<size_t>(sizeof(T), End - At);
    memcpy(&Out, At, Count);
    At += Count;
    return Out;
  }
  /// A number: mostly small, or near 2^32.
  uint32_t id() {
    uint8_t B = take<uint8_t>();
    return B < 250 ? B : B < 253 ? take<uint32_t>() : ~uint32_t(B & 3);
  }

private:
  const uint8_t *At, *End;
};

/// One process and its shared memory, as the process sees it.
struct Victim {
  std::string Bytes;
  StringSink Out{Bytes};
  std::unique_ptr<Recording> R;
  std::unique_ptr<SharedSources> Shared;
  std::unique_ptr<ProcessState> I;
  char *Memory = nullptr;
  uint64_t Size = 0;
  std::vector<MergedRecord> Waiting;
  wire::RingOrder Orders[4]; ///< by ring
  uint64_t Tsc = 1000;

  Victim() {
    R = cantFail(
        Recording::create(Out, Header(), TscClock({0, 0, 0}, 1000000000)));
    R->names().addProcess(ProcessRecord());
    R->stats().beginProcess(1, 0);
    auto Own = cantFail(SharedProcess::create(1, ProcessSettings(), "fuzz"));
    Size = Own->size();
    void *P = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE, Own->fd(), 0);
    if (P == MAP_FAILED)
      abort();
    Memory = static_cast<char *>(P);
    Shared = std::make_unique<SharedSources>(*R);
    I = std::make_unique<ProcessState>(1, getpid(), false, std::move(Own),
                                       *Shared);
    R->addProcess(I->log());
    Shared->Pass = 1;
    for (uint32_t Ring = 0; Ring != 4; ++Ring)
      I->ring(Ring);
  }
  ~Victim() { munmap(Memory, Size); }

  template <class T> void poke(uint64_t Region, uint32_t Id, Input &In) {
    uint64_t At = Region + uint64_t(Id) * sizeof(T);
    auto Value = In.take<std::array<char, sizeof(T)>>();
    if (At <= Size - sizeof(T))
      memcpy(Memory + At, &Value, sizeof(T));
  }
  void record(Input &In) {
    MergedRecord M;
    M.Source = In.take<uint8_t>() % 4;
    uint8_t Kind = In.take<uint8_t>() % (wire::NumRecordKinds + 2);
    uint8_t Function = In.take<uint8_t>();
    // Few addresses, so that records hit the same blocks.
    uint64_t Address = uint64_t(In.id()) * 0x1000;
    uint8_t Low = In.take<uint8_t>();
    Address += Low < 200 ? 0 : Low;
    uint64_t Bytes = In.id();
    Tsc += In.take<uint8_t>();
    M.R = {Tsc, Address,
           Bytes | uint64_t(Kind) << 48 | uint64_t(Function) << 56, In.id(),
           In.id()};
    beginFor(M, Low & 1);
    Waiting.push_back(M);
  }
  /// Half of the records that make no sense without a preceding record get one.
  void beginFor(const MergedRecord &M, bool StaysAlone) {
    using wire::RecordKind;
    auto Kind = RecordKind(M.R.kind());
    wire::RingOrder &Order = Orders[M.Source];
    RecordKind Before = wire::RingOrder::beginOf(Kind);
    if (Order.take(Kind) != wire::RingOrder::Verdict::Alone || StaysAlone ||
        Before == RecordKind::None)
      return;
    MergedRecord Begin = M;
    Begin.R.SizeKindFunction = M.R.size() | uint64_t(Before) << 48;
    Waiting.push_back(Begin);
  }
  void pass() {
    RingOfProcess Of[4];
    for (uint32_t Ring = 0; Ring != 4; ++Ring)
      Of[Ring] = {I.get(), Ring, I->id()};
    ArrayRef<MergedRecord> Left = Waiting;
    while (!Left.empty()) {
      size_t Taken = I->takeFast(Left, Of);
      uint8_t Kind = Left[0].R.kind();
      bool IsExec = Kind >= uint8_t(wire::RecordKind::Exec) &&
                    Kind <= uint8_t(wire::RecordKind::Spawned);
      // The session handles exec and spawn records.
      if (!Taken && !IsExec)
        I->process(Left[0].R, Left[0].Source);
      Left = Left.drop_front(Taken ? Taken : 1);
    }
    Waiting.clear();
    I->settleHeld();
    I->countLosses();
    ++Shared->Pass;
  }
  void step(Input &In) {
    const wire::Regions &G = I->shared().control().Regions;
    // The program may change its copy of the regions.
    static const wire::Regions Given = G;
    switch (In.take<uint8_t>() % 12) {
    case 0:
      return poke<wire::Node>(Given.Nodes, In.id(), In);
    case 1:
      return poke<wire::Code>(Given.Codes, In.id(), In);
    case 2:
      return poke<std::array<char, 64>>(
          Given.Binaries, In.id() * (sizeof(wire::MappedBinary) / 64), In);
    case 3:
      return poke<wire::PythonFunction>(Given.Functions, In.id(), In);
    case 4:
      return poke<std::array<char, 24>>(Given.Texts, In.id(), In);
    case 5: // the program's part of the control page
      return poke<uint32_t>(offsetof(wire::Control, Pid),
                            In.take<uint16_t>() % 4096, In);
    case 6:
      pass();
      return;
    case 7:
      pass();
      return R->flush();
    case 8:
      if (!I->snapshots().active())
        I->snapshots().start();
      return I->snapshots().finish();
    case 9:
      I->releaseRing(In.take<uint8_t>() % 4);
      return;
    default:
      return record(In);
    }
  }
};

} // namespace

/// The recorder does not wait for the thread that queries NVML, since NVML may
/// hang. After a failed dlopen() libc frees 24 bytes of such a thread last,
/// when the leak checker no longer knows the thread.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions() {
  return "leak:_dlerror_run\n";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Input In(Data, Size);
  Victim V;
  while (!In.empty())
    V.step(In);
  V.pass();
  V.I->settleHeld(true);
  V.I->endScopes(V.R->lastNs());
  V.R->finish();
  // For inspection of a finding.
  if (const char *File = getenv("MEMKIT_FUZZ_TRACE")) {
    std::error_code E;
    raw_fd_ostream(File, E) << V.Bytes;
  }
  auto T = cantFail(
      TraceReader::create(MemoryBuffer::getMemBuffer(V.Bytes, "t", false)));
  Expected<CheckResult> Checked = checkTrace(*T);
  if (!Checked || !Checked->Differences.empty()) {
    errs() << (Checked ? Checked->Differences.front()
                       : toString(Checked.takeError()))
           << '\n';
    abort();
  }
  return 0;
}
