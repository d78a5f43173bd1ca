// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that wait to be written.

#include "Output/WriteQueue.h"

using namespace memkit;
using llvm::Error;

WriteQueue::~WriteQueue() {
  if (!HasJob)
    return;
  waitForJob();
  consumeError(std::move(*Result));
}

Error WriteQueue::begin(const Section &B) {
  return std::visit(
      [this](const auto &Which) -> Error {
        using T = std::decay_t<decltype(Which)>;
        if constexpr (std::is_same_v<T, EventTail *> ||
                      std::is_same_v<T, WrittenFunction>)
          return Error::success(); // no section: step() does it
        else if constexpr (std::is_pointer_v<T>)
          return W.begin(*Which);
        else
          return W.begin(Which);
      },
      B);
}

Error WriteQueue::turn(EventTail &Tail) {
  llvm::Expected<std::map<uint32_t, uint64_t>> Gone = Tail.turn();
  if (!Gone)
    return Gone.takeError();
  for (auto [Process, Events] : *Gone)
    Dropped[Process] += Events;
  HasTurn = false;
  Sections.pop_front();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

/// Whether the section takes longer than to wake a thread.
bool WriteQueue::isLarge(const Section &B) {
  constexpr size_t Rows = 4096;
  if (EventLog *const *L = std::get_if<EventLog *>(&B))
    return (*L)->size() >= Rows;
  if (const auto *D = std::get_if<Dictionary>(&B))
    return D->NodeFrames.size() >= Rows || D->Symbols.size() >= Rows / 4;
  if (const auto *K = std::get_if<Snapshot>(&B))
    return K->Blocks.size() >= Rows;
  if (const auto *C = std::get_if<BlockCategories>(&B))
    return C->Rows.size() >= Rows;
  if (const auto *M = std::get_if<Marks>(&B))
    return M->Rows.size() >= Rows;
  if (const auto *S = std::get_if<Intervals>(&B)) {
    size_t Sum = 0;
    for (const Interval &Of : S->Rows)
      Sum += Of.Rows.size();
    return Sum >= Rows;
  }
  return false;
}

void WriteQueue::startJob() {
  HasJob = IsAway = true;
  // Additions at the end leave the section in its place.
  Thread.start([this, &B = Sections.front()] {
    Error E = begin(B);
    while (!E && W.busy())
      E = W.step();
    Result.emplace(std::move(E));
  });
}

void WriteQueue::waitForJob() {
  if (IsAway)
    ThreadNs += Thread.wait();
  IsAway = false;
}

Error WriteQueue::endJob() {
  waitForJob();
  HasJob = false;
  Error E = std::move(*Result);
  Result.reset();
  if (E)
    return E;
  pop();
  return Error::success();
}

bool WriteQueue::isReady() {
  if (IsAway)
    if (std::optional<uint64_t> Ns = Thread.takeDone()) {
      ThreadNs += *Ns;
      IsAway = false;
    }
  return !Sections.empty() && !IsAway;
}

//===----------------------------------------------------------------------===//
// The queue
//===----------------------------------------------------------------------===//

Error WriteQueue::step() {
  if (HasJob)
    return endJob();
  if (!W.busy()) {
    BytesBefore = W.bytes();
    EventBytesBefore = W.eventBytes();
    if (HasThread && isLarge(Sections.front())) {
      startJob();
      return Error::success();
    }
  }
  if (!W.busy())
    if (EventTail **Tail = std::get_if<EventTail *>(&Sections.front()))
      return turn(**Tail);
  if (!W.busy())
    if (auto *Do = std::get_if<WrittenFunction>(&Sections.front()))
      (*Do)(W);
  if (Error E = W.busy() ? W.step() : begin(Sections.front()))
    return E;
  if (!W.busy())
    pop();
  return Error::success();
}

/// Removes the first section, which is written.
void WriteQueue::pop() {
  Section &B = Sections.front();
  if (EventLog **L = std::get_if<EventLog *>(&B)) {
    (*L)->start(0);
    --NumLogs;
  } else if (const Snapshot *K = std::get_if<Snapshot>(&B)) {
    SnapshotBytes += W.eventBytes() - EventBytesBefore;
    SnapshotBlocks += K->Blocks.size();
  } else if (std::holds_alternative<Partial>(B)) {
    PartialBytes += W.bytes() - BytesBefore;
  } else if (Dictionary *D = std::get_if<Dictionary>(&B)) {
    // Keep the memory for stacks, which come in thousands: the kernel would
    // clear each new page.
    auto Keep = [](auto &To, auto &From) {
      From.clear();
      if (From.capacity() > To.capacity())
        To = std::move(From);
    };
    Keep(Spare.Stacks, D->Stacks);
    Keep(Spare.NodeFrames, D->NodeFrames);
  }
  Sections.pop_front();
}

void WriteQueue::clear() {
  if (HasJob) {
    waitForJob();
    HasJob = false;
    consumeError(std::move(*Result));
    Result.reset();
  }
  for (Section &B : Sections)
    if (EventLog **L = std::get_if<EventLog *>(&B))
      (*L)->start(0);
  Sections.clear();
  NumLogs = 0;
  HasTurn = false;
}
