// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes events in advance.

#include "EventsAhead.h"
#include <algorithm>

using namespace memkit;
using llvm::Error;

namespace {
/// Maximum number of waiting sections. A thread is not started for fewer
/// sections in total.
constexpr size_t MaxReady = 2;
} // namespace

EventsAhead::EventsAhead(TraceReader &R,
                         std::vector<const SectionInfo *> Blocks, Check C)
    : R(R), Reader(R), Checked(std::move(C)), Jobs(Blocks.size()) {
  for (size_t At = 0; At != Blocks.size(); ++At)
    Jobs[At].Block = Blocks[At];
  pthread_t Started;
  // Not std::thread, which reports a failure by an exception.
  if (Jobs.size() > MaxReady &&
      pthread_create(&Started, nullptr, runThread, this) == 0)
    Thread = Started;
}

EventsAhead::~EventsAhead() {
  {
    std::lock_guard<std::mutex> Hold(Lock);
    Ends = true;
  }
  Changed.notify_all();
  if (Thread)
    pthread_join(*Thread, nullptr);
  for (DecodeJob &J : Jobs)
    if (J.Failed)
      llvm::consumeError(std::move(*J.Failed));
}

void *EventsAhead::runThread(void *This) {
  static_cast<EventsAhead *>(This)->run();
  return nullptr;
}

/// Lock must be held.
std::unique_ptr<EventTable> EventsAhead::spare() {
  if (Spare.empty())
    return std::make_unique<EventTable>();
  std::unique_ptr<EventTable> Out = std::move(Spare.back());
  Spare.pop_back();
  return Out;
}

/// Without the lock. Table: reused, if there is one.
void EventsAhead::decode(DecodeJob &J, std::unique_ptr<EventTable> &Table) {
  try {
    if (!Table)
      Table = std::make_unique<EventTable>();
    J.Failed.emplace(Reader.read(*J.Block, *Table));
    if (!*J.Failed)
      *J.Failed = Checked(*J.Block, *Table);
  } catch (...) {
    J.Thrown = std::current_exception();
  }
}

void EventsAhead::run() {
  std::unique_lock<std::mutex> Hold(Lock);
  for (; Next != Jobs.size(); ++Next) {
    Changed.wait(Hold, [&] { return Ends || Ready < MaxReady; });
    if (Ends)
      return;
    DecodeJob &J = Jobs[Next];
    if (J.Now != JobState::Waiting)
      continue;
    J.Now = JobState::Running;
    std::unique_ptr<EventTable> Table;
    if (!Spare.empty()) {
      Table = std::move(Spare.back());
      Spare.pop_back();
    }
    Hold.unlock();
    decode(J, Table);
    Hold.lock();
    J.Table = std::move(Table);
    J.Now = JobState::Ready;
    ++Ready;
    Changed.notify_all();
  }
}

/// The job of a section, or null.
EventsAhead::DecodeJob *EventsAhead::jobOf(const SectionInfo &B) {
  auto At = std::lower_bound(Jobs.begin(), Jobs.end(), B.Offset,
                             [](const DecodeJob &J, uint64_t Offset) {
                               return J.Block->Offset < Offset;
                             });
  return At != Jobs.end() && At->Block == &B ? &*At : nullptr;
}

Error EventsAhead::take(const SectionInfo &B,
                        std::unique_ptr<EventTable> &Out) {
  std::unique_lock<std::mutex> Hold(Lock);
  DecodeJob *J = jobOf(B);
  if (J && Thread)
    Changed.wait(Hold, [&] {
      // Wait only for a section that is next: for a later section the thread
      // may itself be waiting until others are taken.
      bool Soon = J->Now == JobState::Waiting &&
                  size_t(J - Jobs.data()) == Next && Ready < MaxReady;
      return J->Now != JobState::Running && !Soon;
    });
  if (J && J->Now == JobState::Ready) {
    J->Now = JobState::Taken;
    --Ready;
    Changed.notify_all();
    if (J->Thrown)
      std::rethrow_exception(J->Thrown);
    Error E = std::move(*J->Failed);
    J->Failed.reset();
    Out = std::move(J->Table);
    return E;
  }
  if (J)
    J->Now = JobState::Taken;
  Out = spare();
  Hold.unlock();
  if (Error E = R.read(B, *Out))
    return E;
  return Checked(B, *Out);
}

void EventsAhead::giveBack(std::unique_ptr<EventTable> Table) {
  std::lock_guard<std::mutex> Hold(Lock);
  Spare.push_back(std::move(Table));
}
