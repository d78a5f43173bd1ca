// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests to NVML, and the use of their answers, in one order.
//
// A thread that makes a context waits for its answer. A look of the driver
// waits for the memory of other processes. Each device is also read
// periodically.

#include "Devices/DeviceUses.h"
#include "Output/Recording.h"

using namespace llvm;
using namespace memkit;
using wire::DeviceTimePoint;

/// Maximum time that a thread that makes a context waits for NVML.
static constexpr uint64_t MaxWaitNs = 500000000;
/// After FirstQuestionHalving marks of a device the periodic looks become half
/// as frequent, and again after each further NextQuestionHalving.
static constexpr uint64_t FirstQuestionHalving = 4096,
                          NextQuestionHalving = 2048;
static constexpr size_t MaxAsked = 256;
static constexpr char NotKnown[] =
    "CUDA: memory of contexts and other processes is unknown: ";

bool DeviceUses::ask(PendingRead P) {
  uint16_t Device = P.W.L.Device;
  if (IsGivenUp || IsSilent || Devices[Device].IsUnknown ||
      Asked.size() >= MaxAsked)
    return false;
  P.SinceNs = R.nowNs();
  Thread.ask({R.heaps().cudaInfo(Device).Uuid, R.heaps().sharesMemory(Device)});
  Asked.push_back(std::move(P));
  return true;
}

void DeviceUses::wait(DeviceWait W) {
  bool IsFailure = W.At == DeviceTimePoint::ContextFailed;
  if (IsFailure)
    Begins.erase({W.L.Of.Process, W.Ring});
  W.L.Accounted = R.heaps().cudaAccounted(W.L.Device);
  if (IsFailure || !ask({PendingRead::Context, W, valuesOf(W.L)}))
    Out.Replies.push_back({W.L.Of.Process, W.Slot, W.Ticket, IsFailure});
}

/// Interprets NVML's answer. NVML must list every recorded process with a
/// context on the device; else the driver may use pids of another namespace.
DeviceUses::DeviceReading DeviceUses::know(uint16_t Device,
                                           const DeviceLibrary::Reading &Is,
                                           const Pids &Of) const {
  DeviceReading K;
  K.Used = Is.Used;
  K.Total = Is.Total;
  K.Available = Is.Available;
  for (const DeviceLibrary::DeviceProcess &P : Is.Processes)
    for (const auto &[Process, Pid] : Of)
      if (uint32_t(Pid) == P.Pid) {
        K.OwnOf[Process] += P.Bytes.value_or(0);
        K.IsReported &= P.Bytes.has_value();
      }
  for (const auto &[C, O] : Contexts)
    K.IsReported &= O.Device != Device || K.OwnOf.count(C.Process);
  if (K.IsReported) {
    K.Own = 0;
    for (const auto &[Process, Bytes] : K.OwnOf)
      *K.Own += Bytes;
    K.Others = less(K.Used, *K.Own);
  } else if (auto It = Devices.find(Device); It != Devices.end()) {
    K.Others = It->second.Before;
  }
  return K;
}

bool DeviceUses::hasContext(uint16_t Device) const {
  return any_of(Contexts,
                [&](const auto &C) { return C.second.Device == Device; });
}

/// Measures the device before and after the creation of a context.
void DeviceUses::measure(const DeviceWait &W, const DeviceReading &K) {
  std::pair Key(W.L.Of.Process, W.Ring);
  auto Own = K.OwnOf.find(W.L.Of.Process);
  bool HasOwn = Own != K.OwnOf.end();
  if (W.At == DeviceTimePoint::ContextBegins) {
    // A process without a context uses no memory of the device, listed or not.
    bool IsFirst = none_of(Contexts, [&](const auto &C) {
      return C.first.Process == W.L.Of.Process && C.second.Device == W.L.Device;
    });
    Begins[Key] = {K.Used, W.L.Accounted, HasOwn ? Own->second : 0,
                   HasOwn || IsFirst};
    if (!hasContext(W.L.Device))
      Devices[W.L.Device].Before = K.Used;
    return;
  }
  auto Begun = Begins.find(Key);
  auto C = Contexts.find(W.L.Of);
  if (Begun != Begins.end() && C != Contexts.end() && !C->second.Bytes) {
    const Begin &B = Begun->second;
    uint64_t More = HasOwn && K.IsReported && B.HasOwn
                        ? less(Own->second, B.Own)
                        : less(K.Used, B.Used);
    C->second.Bytes = less(More, less(W.L.Accounted, B.Accounted));
  }
  Begins.erase(Key);
}

void DeviceUses::lookNow(PendingRead &P, DeviceState &S) {
  uint64_t Now = R.nowNs();
  P.W.L.Accounted = R.heaps().cudaAccounted(P.W.L.Device);
  P.W.L.Used = S.Last->Used;
  P.W.L.Total = S.Last->Total;
  P.W.L.TimeNs = std::max(Now, R.lastNs());
  MarkValues V = valuesOf(P.W.L);
  // While a context is being made, no device counts as quiet.
  bool IsQuiet = less(P.SinceNs, S.ChangedNs) > OftenNs && Begins.empty();
  bool IsSame = S.NumMarks && S.Marked[0] - S.Marked[2] == V[0] - V[2] &&
                S.Marked[5] == S.Last->Others.value_or(UnknownBytes);
  uint64_t Halvings =
      S.NumMarks < FirstQuestionHalving
          ? 0
          : 1 + (S.NumMarks - FirstQuestionHalving) / NextQuestionHalving;
  S.EveryNs =
      IsSame ? std::min(std::max(S.EveryNs, OftenNs) * 2, SeldomNs) : OftenNs;
  S.NextNs = Now + (S.EveryNs << std::min<uint64_t>(Halvings, 20));
  if (IsQuiet && !IsSame)
    mark(P.W.L, V);
}

/// False: NVML has listed all processes before, but not now. A process is
/// ending, and its end will be known soon.
bool DeviceUses::takeKnown(const DeviceReading &K, const PendingRead &P,
                           DeviceState &S) {
  bool Has = hasContext(P.W.L.Device);
  S.WasReported |= Has && K.IsReported;
  if (!K.IsReported && S.WasReported)
    return false;
  S.Last = K;
  // A process that waits for its context has not ended.
  if (K.IsReported || P.Why != PendingRead::Context)
    return true;
  missed("CUDA: NVML does not list the recorded processes (their pids may be "
         "of another namespace): the memory of other processes is assumed to "
         "be what was used before the first context");
  return true;
}

void DeviceUses::answered(PendingRead &P, const DeviceThread::DeviceAnswer &A,
                          const Pids &Of) {
  if (P.Why == PendingRead::Dropped)
    return;
  DeviceWait &W = P.W;
  DeviceState &S = Devices[W.L.Device];
  bool IsKnown = A.Wrong.empty(), IsNews = false;
  S.IsAsked &= P.Why != PendingRead::Time;
  if (!IsKnown) {
    S.IsUnknown = true;
    missed(NotKnown + A.Wrong);
  } else {
    DeviceReading K = know(W.L.Device, A.Is, Of);
    if (P.Why == PendingRead::Context) {
      W.L.Used = K.Used;
      W.L.Total = K.Total;
      measure(W, K);
      // measure() has set the context's bytes, or the bytes before the first
      // context.
      P.V = valuesOf(W.L);
      K = know(W.L.Device, A.Is, Of);
    }
    IsNews = takeKnown(K, P, S);
  }
  if (P.Why == PendingRead::Context)
    Out.Replies.push_back({W.L.Of.Process, W.Slot, W.Ticket, IsKnown});
  if (P.Why == PendingRead::Driver && R.heaps().sharesMemory(W.L.Device)) {
    if (IsNews) {
      P.V[0] = S.Last->Used;
      P.V[1] = S.Last->Total;
      mark(W.L, P.V);
    }
  } else if (P.Why == PendingRead::Driver ||
             (IsKnown && P.Why == PendingRead::Context))
    mark(W.L, P.V);
  else if (IsNews)
    lookNow(P, S);
}

/// Marks what the driver said, if its figure says something without NVML.
void DeviceUses::markUnanswered(const PendingRead &P) {
  if (!R.heaps().sharesMemory(P.W.L.Device))
    mark(P.W.L, P.V);
}

/// Lets all waiting requests go on without an answer.
void DeviceUses::drop() {
  for (PendingRead &P : Asked) {
    Look &L = P.W.L;
    if (P.Why == PendingRead::Context)
      Out.Replies.push_back({L.Of.Process, P.W.Slot, P.W.Ticket, false});
    else if (P.Why == PendingRead::Driver)
      markUnanswered(P);
    Devices[L.Device].IsAsked &= P.Why != PendingRead::Time;
    P.Why = PendingRead::Dropped;
  }
}

/// Makes no more requests to NVML.
void DeviceUses::giveUp(const std::string &Why) {
  IsGivenUp = true;
  missed(NotKnown + Why);
  drop();
  Asked.clear();
  for (auto &[Device, S] : Devices)
    S.Last.reset();
}

void DeviceUses::missed(const std::string &What) {
  constexpr size_t Max = 16;
  if (Stored.size() < Max && Stored.insert(What).second)
    Out.Missed.push_back(What);
}

//===----------------------------------------------------------------------===//
// Each pass
//===----------------------------------------------------------------------===//

DeviceUses::News DeviceUses::pass(uint64_t Now, const Pids &Of) {
  while (!Asked.empty()) {
    std::optional<DeviceThread::DeviceAnswer> A = Thread.take();
    if (A && !A->IsOpen) {
      giveUp(A->Wrong);
      break;
    }
    if (!A) {
      if (!IsSilent && less(Now, Asked.front().SinceNs) > MaxWaitNs) {
        // Until all answers have come.
        IsSilent = true;
        missed(std::string(NotKnown) + "NVML does not answer in time");
        drop();
      }
      break;
    }
    PendingRead P = std::move(Asked.front());
    Asked.pop_front();
    answered(P, *A, Of);
    IsSilent &= !Asked.empty();
  }
  for (auto &[Device, S] : Devices) {
    if (!OftenNs || S.IsAsked || Now < S.NextNs || Of.empty())
      continue;
    PendingRead P;
    P.W.L.Device = Device;
    S.IsAsked = ask(std::move(P));
    S.NextNs = Now + SeldomNs;
  }
  return std::exchange(Out, News());
}

void DeviceUses::finish() {
  drop();
  IsGivenUp = true;
}
