// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sections that wait to be written.

#include "Output/WriteQueue.h"

using namespace memkit;
using llvm::Error;

Error WriteQueue::begin(const Section &B) {
  BytesBefore = W.bytes();
  EventBytesBefore = W.eventBytes();
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

Error WriteQueue::step() {
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
  for (Section &B : Sections)
    if (EventLog **L = std::get_if<EventLog *>(&B))
      (*L)->start(0);
  Sections.clear();
  NumLogs = 0;
  HasTurn = false;
}
