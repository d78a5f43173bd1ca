// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recorder for tests.
//
// wiredrain [options] -- program args..: runs a program with the capture
// library as its recorder, checks the records against a map of live blocks, and
// prints the records. Options make the recorder fail in chosen ways, to test
// the library alone.

#include "Wire/Layout.h"
#include "Wire/RecordOrder.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>
#include <x86intrin.h>

using namespace memkit;
using wire::RecordKind;

namespace {

struct Options {
  const char *Library = nullptr;
  bool Dump = false, Stacks = false, Drop = false, Follow = true;
  uint32_t WaitMs = 10000, MaxDepth = 1024, Rings = 1024, Nodes = 1 << 22;
  uint32_t NapUs = 1000;
  uint32_t Heaps = wire::HB_Malloc;
  uint32_t StackBits = wire::SB_Native;
  bool Objects = false;
  uint64_t StallAfter = ~0ull, DetachAfter = ~0ull, DieAfter = ~0ull;
  uint64_t DeafAfter = ~0ull; ///< greets no further process
  bool Refuse = false;
  bool Discard = false; ///< only count: to time the program
} Opt;

const char *Functions[] = {"none",
                           "malloc",
                           "calloc",
                           "realloc",
                           "reallocarray",
                           "posix_memalign",
                           "aligned_alloc",
                           "memalign",
                           "valloc",
                           "pvalloc",
                           "new",
                           "new[]",
                           "new-aligned",
                           "new[]-aligned",
                           "mmap",
                           "mremap",
                           "mprotect",
                           "brk",
                           "sbrk",
                           "pthread_create",
                           "mallocx",
                           "rallocx",
                           "pymem-malloc",
                           "pymem-calloc",
                           "pymem-realloc",
                           "pyobject-malloc",
                           "pyobject-calloc",
                           "pyobject-realloc"};

struct DrainedProcess {
  uint32_t Id, Pid, Parent;
  int Fd;
  char *Base;
  wire::Control *C;
  std::vector<wire::Record> Later; ///< newer than the time of the pass
  std::vector<uint32_t> LaterRing;
  std::unordered_map<uint64_t, uint64_t> Live;
  struct Waiting {
    wire::Record R;
    uint32_t Ring;
  };
  std::map<uint32_t, wire::RingOrder> Orders; ///< by ring
  /// By address: records that contradict the live blocks, and wait.
  std::unordered_map<uint64_t, std::vector<Waiting>> Held;
  /// Blocks in a realloc: ring -> address, size.
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> Pending;
  uint64_t Allocs = 0, Frees = 0, Reallocs = 0, Unknown = 0, Twice = 0;
  uint64_t Pairs = 0; ///< records with Python frames
  /// Pairs whose Python entries and evaluator frames differ in number.
  uint64_t Uneven = 0;
  uint64_t Threads = 0, Ended = 0, Bytes = 0, Late = 0, MaxStackDepth = 0;
  std::vector<std::string> Execs;

  wire::RingHeader *header(uint32_t I) {
    return reinterpret_cast<wire::RingHeader *>(Base + C->Regions.RingHeaders) +
           I;
  }
  wire::Record *ring(uint32_t I) {
    return reinterpret_cast<wire::Record *>(Base + C->Regions.Rings) +
           uint64_t(I) * wire::RingRecords;
  }
  wire::Node *node(uint32_t I) {
    return reinterpret_cast<wire::Node *>(Base + C->Regions.Nodes) + I;
  }
  wire::Code *code(uint32_t I) {
    return reinterpret_cast<wire::Code *>(Base + C->Regions.Codes) + I;
  }
  wire::PythonFunction *function(uint32_t I) {
    return reinterpret_cast<wire::PythonFunction *>(Base +
                                                    C->Regions.Functions) +
           I;
  }
  wire::MappedBinary *binary(uint32_t I) {
    return reinterpret_cast<wire::MappedBinary *>(Base + C->Regions.Binaries) +
           I;
  }
};

std::vector<std::unique_ptr<DrainedProcess>> Processes;
uint64_t Total;

[[noreturn]] void die(const char *What) {
  fprintf(stderr, "wiredrain: error: %s: %s\n", What, strerror(errno));
  exit(125);
}

void holdLock(wire::Control *C) {
  auto *M = reinterpret_cast<pthread_mutex_t *>(C->RecorderLock);
  pthread_mutexattr_t A;
  pthread_mutexattr_init(&A);
  pthread_mutexattr_setpshared(&A, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&A, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(M, &A);
  pthread_mutex_lock(M);
}

std::unique_ptr<DrainedProcess> makeProcess(uint32_t Id) {
  auto I = std::make_unique<DrainedProcess>();
  I->Id = Id;
  I->Fd = memfd_create("wiredrain", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  uint64_t At = wire::PieceBytes;
  auto Place = [&](uint64_t Bytes) {
    uint64_t Old = At;
    At += (Bytes + wire::PieceBytes - 1) / wire::PieceBytes * wire::PieceBytes;
    return Old;
  };
  wire::Regions R = {};
  R.MaxRings = Opt.Rings;
  R.MaxNodes = Opt.Nodes;
  R.MaxCodes = 1 << 20;
  R.MaxBinaries = 4096;
  R.MaxFunctions = 1 << 20;
  R.TextBytes = 64 << 20;
  R.RingHeaders = Place(R.MaxRings * sizeof(wire::RingHeader));
  R.Rings = Place(R.MaxRings * wire::RingBytes);
  R.Nodes = Place(uint64_t(R.MaxNodes) * sizeof(wire::Node));
  R.Codes = Place(uint64_t(R.MaxCodes) * sizeof(wire::Code));
  R.Binaries = Place(uint64_t(R.MaxBinaries) * sizeof(wire::MappedBinary));
  R.Functions = Place(uint64_t(R.MaxFunctions) * sizeof(wire::PythonFunction));
  R.Texts = Place(R.TextBytes);
  R.Size = At;
  if (I->Fd < 0 || ftruncate(I->Fd, off_t(At)))
    die("memfd");
  fcntl(I->Fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  void *P = mmap(nullptr, At, PROT_READ | PROT_WRITE, MAP_SHARED, I->Fd, 0);
  if (P == MAP_FAILED)
    die("mmap");
  I->Base = static_cast<char *>(P);
  I->C = new (P) wire::Control();
  I->C->MagicValue = wire::Magic;
  I->C->VersionValue = wire::Version;
  I->C->Process = Id;
  I->C->Regions = R;
  I->C->Settings.Recording = 1;
  I->C->Settings.OnFullMode =
      uint32_t(Opt.Drop ? wire::OnFull::Drop : wire::OnFull::Wait);
  I->C->Settings.WaitMs = Opt.WaitMs;
  I->C->Settings.MaxDepth = Opt.MaxDepth;
  I->C->Settings.Follow = Opt.Follow;
  I->C->Settings.Heaps = Opt.Heaps;
  I->C->Settings.Stacks = Opt.StackBits;
  I->C->Settings.PythonObjects = Opt.Objects;
  holdLock(I->C);
  return I;
}

void greet(int Socket) {
  int Fd = accept4(Socket, nullptr, nullptr, SOCK_CLOEXEC);
  if (Fd < 0)
    return;
  wire::Hello H;
  if (recv(Fd, &H, sizeof(H), 0) == ssize_t(sizeof(H)) &&
      H.MagicValue == wire::Magic) {
    auto I = makeProcess(uint32_t(Processes.size()) + 1);
    I->Pid = H.Pid;
    I->Parent = H.ParentProcess;
    wire::Welcome W;
    W.Process = Opt.Refuse ? 0 : I->Id;
    W.Size = I->C->Regions.Size;
    alignas(cmsghdr) char Room[CMSG_SPACE(sizeof(int))] = {};
    iovec Data = {&W, sizeof(W)};
    msghdr M = {};
    M.msg_iov = &Data;
    M.msg_iovlen = 1;
    M.msg_control = Room;
    M.msg_controllen = sizeof(Room);
    cmsghdr *C = CMSG_FIRSTHDR(&M);
    C->cmsg_level = SOL_SOCKET;
    C->cmsg_type = SCM_RIGHTS;
    C->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(C), &I->Fd, sizeof(int));
    sendmsg(Fd, &M, MSG_NOSIGNAL);
    close(I->Fd);
    Processes.push_back(std::move(I));
  }
  close(Fd);
}

void printText(DrainedProcess &I, uint32_t Number) {
  const char *T = I.Base + I.C->Regions.Texts + (Number - 1) * wire::TextAlign;
  uint32_t Bytes = 0;
  if (Number)
    memcpy(&Bytes, T, 4);
  printf("%.*s", int(Bytes), T + 4);
}

/// Prints one frame a line, innermost first: "name (file:line)", "*" before an
/// entry.
void printPython(DrainedProcess &I, uint32_t Node) {
  for (; Node; Node = I.node(Node)->Parent) {
    wire::Code *C = I.code(I.node(Node)->Code);
    uint32_t Kind = C->Kind;
    if (Kind == uint32_t(wire::CodeKind::Gap)) {
      printf("  python (gap)\n");
      continue;
    }
    wire::PythonFunction *F = I.function(C->Container);
    printf("  python %s",
           Kind == uint32_t(wire::CodeKind::PythonEntry) ? "*" : "");
    printText(I, F->Name);
    printf(" (");
    printText(I, F->File);
    printf(":%lu)%s\n", C->Address.load(), F->State == 1 ? "" : " BAD");
  }
}

/// The number of frames of \p Kind in a path; 0 if frames are left out.
uint32_t countKind(DrainedProcess &I, uint32_t Node, wire::CodeKind Kind) {
  uint32_t N = 0;
  for (; Node; Node = I.node(Node)->Parent) {
    uint32_t Is = I.code(I.node(Node)->Code)->Kind;
    if (Is == uint32_t(wire::CodeKind::Gap))
      return 0;
    N += Is == uint32_t(Kind);
  }
  return N;
}

void printStack(DrainedProcess &I, uint32_t Node) {
  uint64_t Depth = 0;
  uint32_t Python = 0;
  if (Node && (I.node(Node)->Code & wire::PairBit)) {
    Python = I.node(Node)->Code & ~wire::PairBit;
    Node = I.node(Node)->Parent;
    ++I.Pairs;
    if (countKind(I, Python, wire::CodeKind::PythonEntry) !=
        countKind(I, Node, wire::CodeKind::Evaluator)) {
      ++I.Uneven;
      if (Opt.Stacks)
        printf("uneven ");
    }
  }
  for (uint32_t N = Node; N; ++Depth) {
    wire::Code *C = I.code(I.node(N)->Code);
    if (I.node(N)->Parent >= N)
      printf(" BAD-PARENT");
    if (Opt.Stacks) {
      uint32_t M = C->Container;
      const char *Path = M ? I.binary(M)->Path : "?";
      const char *Slash = strrchr(Path, '/');
      if (C->Kind == uint32_t(wire::CodeKind::Gap))
        printf(" (gap)");
      else if (C->Kind == uint32_t(wire::CodeKind::Evaluator))
        printf(" (evaluator)");
      else
        printf(" %s+0x%lx", Slash ? Slash + 1 : Path,
               C->Address - (M ? I.binary(M)->Bias : 0));
    }
    N = I.node(N)->Parent;
  }
  I.MaxStackDepth = std::max(I.MaxStackDepth, Depth);
  if (Opt.Dump)
    printf(" depth %lu\n", Depth);
  if (Opt.Stacks)
    printPython(I, Python);
}

bool isPut(const wire::Record &R) {
  return R.kind() == uint8_t(RecordKind::Allocate) ||
         R.kind() == uint8_t(RecordKind::ReallocEnd);
}

void addBlock(DrainedProcess &I, uint64_t Address, uint64_t Size) {
  if (!I.Live.emplace(Address, Size).second)
    ++I.Twice;
}

bool takeBlock(DrainedProcess &I, uint64_t Address, uint64_t &Size) {
  auto It = I.Live.find(Address);
  if (It == I.Live.end()) {
    ++I.Unknown;
    return false;
  }
  Size = It->second;
  I.Live.erase(It);
  return true;
}

/// Applies a record to its block.
void applyToBlock(DrainedProcess &I, const DrainedProcess::Waiting &W) {
  uint64_t Size = 0;
  if (isPut(W.R))
    addBlock(I, W.R.Address, W.R.size());
  else if (takeBlock(I, W.R.Address, Size) &&
           W.R.kind() == uint8_t(RecordKind::ReallocBegin))
    I.Pending[W.Ring] = {W.R.Address, Size};
}

/// When two threads hand over a block, either may read its clock a little too
/// early. A record that frees an unknown block, or allocates a live one, waits
/// for the record that resolves the contradiction. Records of one ring keep
/// their order.
void blockRecord(DrainedProcess &I, const wire::Record &R, uint32_t Ring) {
  auto Can = [&](const wire::Record &R) {
    return I.Live.count(R.Address) != size_t(isPut(R));
  };
  auto It = I.Held.find(R.Address);
  if (It == I.Held.end() && Can(R))
    return applyToBlock(I, {R, Ring});
  std::vector<DrainedProcess::Waiting> &Q = I.Held[R.Address];
  Q.push_back({R, Ring});
  for (size_t N = 0; N < Q.size();) {
    bool First = std::none_of(Q.begin(), Q.begin() + long(N),
                              [&](auto &W) { return W.Ring == Q[N].Ring; });
    if (!First || !Can(Q[N].R)) {
      ++N;
      continue;
    }
    applyToBlock(I, Q[N]);
    Q.erase(Q.begin() + long(N));
    N = 0;
  }
  if (Q.empty())
    I.Held.erase(R.Address);
}

/// Applies the waiting records: no later record can resolve their
/// contradictions.
void settleHeld(DrainedProcess &I) {
  for (auto &[Address, Q] : I.Held)
    for (DrainedProcess::Waiting &W : Q)
      applyToBlock(I, W);
  I.Held.clear();
}

void noteExec(DrainedProcess &I, const char *What, uint64_t Slot) {
  I.Execs.push_back(
      std::string(What) + " " +
      (Slot < wire::NumExecSlots ? I.C->Execs[Slot].Path : "BAD"));
}

/// Prints a record that must not follow the earlier records of its ring.
void checkOrder(DrainedProcess &I, const wire::Record &R, uint32_t Ring) {
  using Verdict = wire::RingOrder::Verdict;
  Verdict V = I.Orders[Ring].take(RecordKind(R.kind()));
  if (V != Verdict::Fits)
    printf("process %u: ring %u: record kind %u %s\n", I.Id, Ring, R.kind(),
           V == Verdict::Alone ? "has no begin" : "leaves another open");
}

void apply(DrainedProcess &I, const wire::Record &R, uint32_t Ring) {
  checkOrder(I, R, Ring);
  if (Opt.Dump) {
    static const char *Kinds[] = {"none",
                                  "alloc",
                                  "free",
                                  "realloc-begin",
                                  "realloc-end",
                                  "thread-start",
                                  "thread-end",
                                  "exec",
                                  "exec-failed",
                                  "spawned",
                                  "map",
                                  "unmap",
                                  "protect",
                                  "remap-begin",
                                  "remap-end",
                                  "break",
                                  "scope-begin",
                                  "scope-end",
                                  "mark",
                                  "ask",
                                  "object-alloc",
                                  "object-free",
                                  "object-realloc-begin",
                                  "object-realloc-end"};
    char Other[16];
    snprintf(Other, sizeof(Other), "kind-%u", unsigned(R.kind()));
    printf("%u/%u %s %s size %lu%s", I.Id, Ring,
           R.kind() < std::size(Kinds) ? Kinds[R.kind()] : Other,
           R.function() < wire::NumAllocFunctions ? Functions[R.function()]
                                                  : "BAD",
           R.size(), R.Address ? "" : " null");
    if (!R.Stack)
      printf("\n");
  }
  if (R.Stack)
    printStack(I, R.Stack);
  switch (RecordKind(R.kind())) {
  case RecordKind::HostOom:
    printf("oom %s size %lu\n",
           R.function() < wire::NumAllocFunctions ? Functions[R.function()]
                                                  : "BAD",
           R.size());
    break;
  case RecordKind::Allocate:
    ++I.Allocs;
    I.Bytes += R.size();
    blockRecord(I, R, Ring);
    break;
  case RecordKind::Free:
    ++I.Frees;
    blockRecord(I, R, Ring);
    break;
  case RecordKind::ReallocBegin:
    blockRecord(I, R, Ring);
    break;
  case RecordKind::ReallocEnd:
    if (R.Address) {
      ++I.Reallocs;
      I.Bytes += R.size();
      blockRecord(I, R, Ring);
    } else if (I.Pending.count(Ring)) {
      addBlock(I, I.Pending[Ring].first, I.Pending[Ring].second);
    }
    I.Pending.erase(Ring);
    break;
  case RecordKind::ThreadStart:
    ++I.Threads;
    break;
  case RecordKind::ThreadEnd:
    ++I.Ended;
    break;
  case RecordKind::Exec:
    noteExec(I, "exec", wire::decode<wire::ExecRecord>(R).Slot);
    break;
  case RecordKind::ExecFailed:
    noteExec(I, "exec-failed", wire::decode<wire::ExecFailedRecord>(R).Slot);
    break;
  case RecordKind::Spawned:
    noteExec(I, "spawned", wire::decode<wire::SpawnedRecord>(R).Slot);
    break;
  case RecordKind::Map:
  case RecordKind::Unmap:
  case RecordKind::Protect:
  case RecordKind::RemapBegin:
  case RecordKind::RemapEnd:
  case RecordKind::Break:
    break;
  default:
    printf("process %u: bad record kind %u\n", I.Id, R.kind());
  }
}

uint64_t drain(DrainedProcess &I, bool Last) {
  uint64_t W = Last ? ~0ull : __rdtsc();
  struct Item {
    wire::Record R;
    uint32_t Ring;
    uint64_t Order;
  };
  static std::vector<Item> Items;
  Items.clear();
  for (size_t K = 0; K < I.Later.size(); ++K)
    Items.push_back({I.Later[K], I.LaterRing[K], Items.size()});
  I.Later.clear();
  I.LaterRing.clear();
  uint64_t Got = 0;
  uint32_t Used = std::min<uint32_t>(I.C->RingsUsed, I.C->Regions.MaxRings);
  for (uint32_t N = 0; N < Used; ++N) {
    wire::RingHeader *H = I.header(N);
    uint32_t State = H->State.load(std::memory_order_acquire);
    uint64_t Head = H->Head.load(std::memory_order_acquire);
    uint64_t Tail = H->Tail.load(std::memory_order_relaxed);
    if (Head - Tail > wire::RingRecords)
      printf("process %u: ring %u overrun\n", I.Id, N);
    if (Opt.Discard) {
      Got += Head - Tail;
      Tail = Head;
    }
    for (; Tail < Head; ++Tail, ++Got)
      Items.push_back({I.ring(N)[Tail % wire::RingRecords], N, Items.size()});
    H->Tail.store(Tail, std::memory_order_release);
    if (State == uint32_t(wire::RingState::Released))
      H->State.store(uint32_t(wire::RingState::Free),
                     std::memory_order_release);
  }
  std::sort(Items.begin(), Items.end(), [](const Item &A, const Item &B) {
    return A.R.Tsc != B.R.Tsc ? A.R.Tsc < B.R.Tsc : A.Order < B.Order;
  });
  for (Item &It : Items) {
    if (It.R.Tsc > W) {
      I.Later.push_back(It.R);
      I.LaterRing.push_back(It.Ring);
    } else {
      apply(I, It.R, It.Ring);
    }
  }
  I.C->Heartbeat.fetch_add(1);
  Total += Got;
  return Got;
}

void summary(DrainedProcess &I) {
  uint64_t Live = 0, Lost = 0;
  for (auto &B : I.Live)
    Live += B.second;
  for (uint32_t N = 0; N < I.C->RingsUsed && N < I.C->Regions.MaxRings; ++N)
    Lost += I.header(N)->Lost;
  printf("process %u parent %u: allocations %lu reallocations %lu frees %lu "
         "bytes %lu\n",
         I.Id, I.Parent, I.Allocs, I.Reallocs, I.Frees, I.Bytes);
  printf(
      "process %u live %zu blocks %lu bytes unknown %lu twice %lu lost %lu\n",
      I.Id, I.Live.size(), Live, I.Unknown, I.Twice, Lost);
  printf(
      "process %u threads %lu ended %lu rings %u nodes %u codes %u binaries %u "
      "depth %lu\n",
      I.Id, I.Threads, I.Ended, I.C->RingsUsed.load(), I.C->NextNode.load() - 1,
      I.C->NextCode.load() - 1, I.C->NextBinary.load() - 1, I.MaxStackDepth);
  printf(
      "process %u table-full %lu no-ring %lu reentrant %lu unmapped %u exit ",
      I.Id, I.C->LostTableFull.load(), I.C->LostNoRing.load(),
      I.C->LostReentrant.load(), I.C->BinariesChanged.load());
  if (I.C->HasExitStatus)
    printf("%d\n", I.C->ExitStatus.load());
  else
    printf("unknown\n");
  if (Opt.StackBits & wire::SB_Python)
    printf("process %u python %u version %x pairs %lu uneven %lu functions %u "
           "texts %u\n",
           I.Id, I.C->Findings[wire::FS_Python].Code.load(),
           I.C->Findings[wire::FS_Python].Argument.load(), I.Pairs, I.Uneven,
           I.C->NextFunction.load() - 1,
           I.C->NextText.load() * uint32_t(wire::TextAlign));
  for (std::string &E : I.Execs)
    printf("process %u %s\n", I.Id, E.c_str());
}

uint64_t number(const char *Arg) { return strtoull(Arg, nullptr, 0); }

int parse(int Argc, char **Argv) {
  int A = 1;
  for (; A < Argc && strcmp(Argv[A], "--") != 0; ++A) {
    std::string O = Argv[A];
    const char *V = A + 1 < Argc ? Argv[A + 1] : "";
    if (O == "--dump")
      Opt.Dump = true;
    else if (O == "--stacks")
      Opt.Dump = Opt.Stacks = true;
    else if (O == "--drop")
      Opt.Drop = true;
    else if (O == "--no-follow")
      Opt.Follow = false;
    else if (O == "--discard")
      Opt.Discard = true;
    else if (O == "--objects")
      Opt.Objects = true;
    else if (O == "--refuse")
      Opt.Refuse = true;
    else if (++A, O == "--library")
      Opt.Library = V;
    else if (O == "--wait")
      Opt.WaitMs = uint32_t(number(V));
    else if (O == "--max-depth")
      Opt.MaxDepth = uint32_t(number(V));
    else if (O == "--rings")
      Opt.Rings = uint32_t(number(V));
    else if (O == "--nodes")
      Opt.Nodes = uint32_t(number(V));
    else if (O == "--heaps")
      Opt.Heaps = uint32_t(number(V));
    else if (O == "--frames") // wire::StackBits
      Opt.StackBits = uint32_t(number(V));
    else if (O == "--nap")
      Opt.NapUs = uint32_t(number(V));
    else if (O == "--stall-after")
      Opt.StallAfter = number(V);
    else if (O == "--detach-after")
      Opt.DetachAfter = number(V);
    else if (O == "--deaf-after")
      Opt.DeafAfter = number(V);
    else if (O == "--die-after")
      Opt.DieAfter = number(V);
    else
      die(O.c_str());
  }
  if (A + 1 >= Argc || !Opt.Library)
    die("usage: wiredrain --library LIB [options] -- program args..");
  return A + 1;
}

} // namespace

int main(int Argc, char **Argv) {
  int First = parse(Argc, Argv);
  char Folder[] = "/tmp/wiredrain.XXXXXX";
  if (!mkdtemp(Folder))
    die("mkdtemp");
  std::string Path = std::string(Folder) + "/socket";
  int Socket =
      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un A = {};
  A.sun_family = AF_UNIX;
  strncpy(A.sun_path, Path.c_str(), sizeof(A.sun_path) - 1);
  if (bind(Socket, reinterpret_cast<sockaddr *>(&A), sizeof(A)) ||
      listen(Socket, 128))
    die("bind");
  // LD_PRELOAD separates paths at blanks, and the library's folder may contain
  // blanks.
  const char *Name = strrchr(Opt.Library, '/');
  std::string Link = Folder + std::string(Name ? Name : "/library.so");
  if (symlink(Opt.Library, Link.c_str()))
    die("symlink");
  pid_t Child = fork();
  if (Child == 0) {
    setenv("LD_PRELOAD", Link.c_str(), 1);
    setenv(wire::SocketVar, Path.c_str(), 1);
    setenv(wire::PreloadVar, Link.c_str(), 1);
    execvp(Argv[First], Argv + First);
    _exit(127);
  }
  int Status = 0, St;
  bool ChildGone = false;
  while (true) {
    pollfd P = {Socket, POLLIN, 0};
    timespec Nap = {0, long(Opt.NapUs) * 1000};
    bool Deaf = Total >= Opt.DeafAfter;
    if (ppoll(&P, Deaf ? 0 : 1, &Nap, nullptr) > 0)
      greet(Socket);
    if (Total < Opt.StallAfter)
      for (auto &I : Processes)
        drain(*I, false);
    if (Total >= Opt.DetachAfter)
      for (auto &I : Processes)
        I->C->Detached = 1;
    if (Total >= Opt.DieAfter)
      raise(SIGKILL);
    if (!ChildGone && waitpid(Child, &St, WNOHANG) == Child) {
      ChildGone = true;
      Status = WIFEXITED(St) ? WEXITSTATUS(St) : 128 + WTERMSIG(St);
    }
    if (!ChildGone)
      continue;
    bool Others = false;
    for (auto &I : Processes)
      Others |= kill(pid_t(I->Pid), 0) == 0;
    if (!Others)
      break;
  }
  for (auto &I : Processes) {
    drain(*I, true);
    drain(*I, true);
    settleHeld(*I);
    summary(*I);
  }
  unlink(Path.c_str());
  unlink(Link.c_str());
  rmdir(Folder);
  printf("status %d\n", Status);
  return 0;
}
