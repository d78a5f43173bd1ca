// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's side of a process's shared memory.

#include "Shared/SharedProcess.h"
#include "Support/Failure.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

static constexpr uint64_t FrontBytes = 4096;
static constexpr ptrdiff_t LockDistance =
    ptrdiff_t(FrontBytes + offsetof(wire::Control, RecorderLock));

/// Sets the sizes of tables. The memory is sparse, so the tables are as large
/// as a program could ever use. A small limit of file sizes, which also applies
/// to a memfd, makes the tables smaller.
void SharedProcess::layOut(uint64_t FileLimit) {
  struct Sizes {
    uint32_t Rings, Nodes, Codes, Binaries, Functions, TextBytes;
  } S{1024, 1u << 25, 1u << 23, 8192, 1u << 22, 1u << 30};
  for (;;) {
    // The control region has a piece of its own.
    uint64_t At = wire::PieceBytes;
    auto Place = [&At](uint64_t Bytes) {
      uint64_t Begin = At;
      At += alignTo(Bytes, wire::PieceBytes);
      return Begin;
    };
    R.MaxRings = S.Rings;
    R.MaxNodes = S.Nodes;
    R.MaxCodes = S.Codes;
    R.MaxBinaries = S.Binaries;
    R.RingHeaders = Place(uint64_t(S.Rings) * sizeof(wire::RingHeader));
    R.Rings = Place(uint64_t(S.Rings) * wire::RingBytes);
    R.Nodes = Place(uint64_t(S.Nodes) * sizeof(wire::Node));
    R.Codes = Place(uint64_t(S.Codes) * sizeof(wire::Code));
    R.Binaries = Place(uint64_t(S.Binaries) * sizeof(wire::MappedBinary));
    R.MaxFunctions = S.Functions;
    R.Functions = Place(uint64_t(S.Functions) * sizeof(wire::PythonFunction));
    R.TextBytes = S.TextBytes;
    R.Texts = Place(S.TextBytes);
    R.Size = At;
    if (At <= FileLimit || S.Rings <= 4)
      return;
    S = {S.Rings / 2,     S.Nodes / 2,
         S.Codes / 2,     std::max(S.Binaries / 2, 256u),
         S.Functions / 2, S.TextBytes / 2};
  }
}

Error SharedProcess::makeFile(StringRef Tag) {
  Fd = memfd_create(Tag.str().c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (Fd < 0)
    return failErrno("memfd_create");
  rlimit Limit;
  uint64_t FileLimit = ~0ull;
  if (getrlimit(RLIMIT_FSIZE, &Limit) == 0 && Limit.rlim_cur != RLIM_INFINITY)
    FileLimit = Limit.rlim_cur;
  layOut(FileLimit);
  if (ftruncate(Fd, off_t(R.Size)) != 0)
    return failErrno("shared memory of " + Twine(R.Size >> 20) + " MiB");
  if (fcntl(Fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return failErrno("sealing shared memory");
  return Error::success();
}

Error SharedProcess::mapControl() {
  void *P = mmap(nullptr, FrontBytes + wire::ControlBytes,
                 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (P == MAP_FAILED)
    return failErrno("mmap");
  Front = static_cast<char *>(P);
  P = mmap(Front + FrontBytes, wire::ControlBytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, Fd, 0);
  if (P == MAP_FAILED)
    return failErrno("mmap");
  // The file is all zeros: to write zeros would touch pages that the process
  // never uses.
  Control = static_cast<wire::Control *>(P);
  HeadersBytes = uint64_t(R.MaxRings) * sizeof(wire::RingHeader);
  P = mmap(nullptr, HeadersBytes, PROT_READ | PROT_WRITE, MAP_SHARED, Fd,
           off_t(R.RingHeaders));
  if (P == MAP_FAILED)
    return failErrno("mmap");
  RingHeaders = static_cast<wire::RingHeader *>(P);
  Rings = {R.Rings, uint64_t(R.MaxRings) * wire::RingBytes, {}};
  Nodes = {R.Nodes, uint64_t(R.MaxNodes) * sizeof(wire::Node), {}};
  Codes = {R.Codes, uint64_t(R.MaxCodes) * sizeof(wire::Code), {}};
  Binaries = {
      R.Binaries, uint64_t(R.MaxBinaries) * sizeof(wire::MappedBinary), {}};
  Functions = {
      R.Functions, uint64_t(R.MaxFunctions) * sizeof(wire::PythonFunction), {}};
  Texts = {R.Texts, R.TextBytes, {}};
  return Error::success();
}

Expected<std::unique_ptr<SharedProcess>>
SharedProcess::create(uint32_t Id, const ProcessSettings &S, StringRef Tag) {
  std::unique_ptr<SharedProcess> I(new SharedProcess);
  if (Error E = I->makeFile(Tag))
    return E;
  if (Error E = I->mapControl())
    return E;
  static const bool HasRobust = startRobustLocks(LockDistance);
  if (HasRobust) {
    holdRobust(reinterpret_cast<RobustNode *>(I->Front));
    I->Held = true;
  }
  wire::Control &C = *I->Control;
  C.MagicValue = wire::Magic;
  C.VersionValue = wire::Version;
  C.Process = Id;
  C.Regions = I->R;
  C.Settings.Recording = S.Recording;
  C.Settings.OnFullMode =
      uint32_t(S.Wait ? wire::OnFull::Wait : wire::OnFull::Drop);
  C.Settings.WaitMs = S.WaitMs;
  C.Settings.MaxDepth = S.MaxDepth;
  C.Settings.Follow = S.Follow;
  C.Settings.Heaps = S.Heaps;
  C.Settings.MinSize = S.MinSize;
  C.Settings.SampleBytes = S.SampleBytes;
  C.Settings.SampleSeed = S.SampleSeed;
  C.Settings.Stacks = S.Stacks;
  C.Settings.PythonObjects = S.PythonObjects;
  C.Settings.Private = S.PrivateAllocators;
  C.Settings.Torch = S.Torch;
  C.HoldersWanted = S.Holders;
  C.EndWaitUs = S.EndWaitUs;
  C.AllocatorWanted = S.MallocInfo;
  C.Settings.Cuda = uint32_t(S.Cuda);
  C.Settings.DeviceIntervalMs = S.DeviceIntervalMs;
  if (S.PythonFolder.size() < sizeof(C.PythonFolder))
    S.PythonFolder.copy(C.PythonFolder, S.PythonFolder.size());
  C.NextNode = 1;
  C.NextCode = 1;
  C.NextBinary = 1;
  C.NextFunction = 1;
  return I;
}

SharedProcess::~SharedProcess() {
  if (Held)
    releaseRobust(reinterpret_cast<RobustNode *>(Front));
  for (Region *G : {&Rings, &Nodes, &Codes, &Binaries, &Functions, &Texts})
    for (void *P : G->Pieces)
      if (P)
        munmap(P, wire::PieceBytes);
  if (RingHeaders)
    munmap(RingHeaders, HeadersBytes);
  if (Front)
    munmap(Front, FrontBytes + wire::ControlBytes);
  closeFd();
}

void SharedProcess::closeFd() {
  // at() maps pieces through Fd, so Fd stays open while the process lives.
  if (Fd >= 0)
    close(std::exchange(Fd, -1));
}

uint32_t SharedProcess::ringsUsed() const {
  return std::min(Control->RingsUsed.load(std::memory_order_acquire),
                  R.MaxRings);
}

const char *SharedProcess::at(Region &G, uint64_t Offset) {
  size_t Piece = Offset / wire::PieceBytes;
  if (Offset >= G.Bytes)
    return nullptr;
  if (Piece >= G.Pieces.size())
    G.Pieces.resize(Piece + 1);
  if (!G.Pieces[Piece]) {
    void *P = mmap(nullptr, wire::PieceBytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED, Fd, off_t(G.Offset + Piece * wire::PieceBytes));
    if (P == MAP_FAILED)
      return nullptr;
    G.Pieces[Piece] = P;
  }
  return static_cast<char *>(G.Pieces[Piece]) + Offset % wire::PieceBytes;
}

const wire::Record *SharedProcess::ring(uint32_t I) {
  return reinterpret_cast<const wire::Record *>(at(Rings, I * wire::RingBytes));
}

bool SharedProcess::node(uint32_t Id, NodeInfo &Out) {
  auto *N = reinterpret_cast<const wire::Node *>(
      at(Nodes, uint64_t(Id) * sizeof(wire::Node)));
  if (!N || !Id)
    return false;
  Out.Code = N->Code.load(std::memory_order_acquire);
  Out.Parent = N->Parent.load(std::memory_order_relaxed);
  return Out.Code && Out.Parent < Id && (!Out.isPair() || Out.python() < Id);
}

bool SharedProcess::code(uint32_t Id, CodeInfo &Out) {
  auto *C = reinterpret_cast<const wire::Code *>(
      at(Codes, uint64_t(Id) * sizeof(wire::Code)));
  if (!C || !Id)
    return false;
  Out.Kind = wire::CodeKind(C->Kind.load(std::memory_order_acquire));
  Out.Address = C->Address.load(std::memory_order_relaxed);
  Out.Container = C->Container.load(std::memory_order_relaxed);
  return Out.Kind != wire::CodeKind::None &&
         uint32_t(Out.Kind) < wire::NumCodeKinds;
}

bool SharedProcess::binary(uint32_t Id, BinaryInfo &Out) {
  auto *M = reinterpret_cast<const wire::MappedBinary *>(
      at(Binaries, uint64_t(Id) * sizeof(wire::MappedBinary)));
  if (!M || !Id ||
      wire::BinaryState(M->State.load(std::memory_order_acquire)) ==
          wire::BinaryState::None)
    return false;
  Out.Start = M->Start;
  Out.End = M->End;
  Out.Bias = M->Bias;
  uint32_t IdSize = std::min<uint32_t>(M->BuildIdSize, sizeof(M->BuildId));
  Out.BuildId.assign(M->BuildId, M->BuildId + IdSize);
  char Path[sizeof(M->Path)];
  std::memcpy(Path, M->Path, sizeof(Path));
  Out.Path.assign(Path, strnlen(Path, sizeof(Path)));
  return Out.Start < Out.End && !Out.Path.empty();
}

bool SharedProcess::function(uint32_t Id, FunctionInfo &Out) {
  auto *F = reinterpret_cast<const wire::PythonFunction *>(
      at(Functions, uint64_t(Id) * sizeof(wire::PythonFunction)));
  if (!F || !Id || F->State.load(std::memory_order_acquire) != 1)
    return false;
  Out = {F->File, F->Name, F->FirstLine};
  return true;
}

bool SharedProcess::text(uint32_t Id, std::string &Out) {
  Out.clear();
  if (!Id)
    return true;
  uint64_t Offset = (uint64_t(Id) - 1) * wire::TextAlign;
  uint64_t Room = wire::PieceBytes - Offset % wire::PieceBytes;
  const char *P = at(Texts, Offset);
  if (!P)
    return false;
  // Copy once: the program may change the size meanwhile.
  uint32_t Size;
  std::memcpy(&Size, P, sizeof(Size));
  if (Size > wire::MaxTextBytes || sizeof(Size) + Size > Room)
    return false;
  Out.assign(P + sizeof(Size), Size);
  if (!json::isUTF8(Out))
    Out = json::fixUTF8(Out);
  return true;
}

bool SharedProcess::execPath(uint64_t Slot, std::string &Out) {
  if (Slot >= wire::NumExecSlots)
    return false;
  char Path[sizeof(wire::ExecSlot::Path)];
  std::memcpy(Path, Control->Execs[Slot].Path, sizeof(Path));
  Out.assign(Path, strnlen(Path, sizeof(Path)));
  return !Out.empty();
}

bool SharedProcess::answer(uint64_t Slot, uint32_t Ticket,
                           function_ref<void(wire::Reply &)> Write) {
  using wire::ReplyPhase;
  if (Slot >= wire::NumReplySlots)
    return false;
  wire::ReplySlot &S = Control->Replies[Slot];
  uint32_t Asked = replyState(Ticket, ReplyPhase::Asked);
  if (S.State.load(std::memory_order_acquire) == Asked) {
    Write(S.Answer);
    S.State.compare_exchange_strong(Asked,
                                    replyState(Ticket, ReplyPhase::Answered),
                                    std::memory_order_acq_rel);
  }
  // If the asking thread has given up, free the slot.
  uint32_t Abandoned = replyState(Ticket, ReplyPhase::Abandoned);
  S.State.compare_exchange_strong(Abandoned, 0, std::memory_order_acq_rel);
  syscall(SYS_futex, &S.State, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  return true;
}
