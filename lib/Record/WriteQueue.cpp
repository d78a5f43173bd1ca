//===- WriteQueue.cpp - Blocks that wait to be written -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WriteQueue.h"

using namespace memkit;
using llvm::Error;

Error WriteQueue::begin(const Block &B) {
  BytesBefore = W.bytes();
  return std::visit(
      [this](const auto &Which) {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(Which)>>)
          return W.begin(*Which);
        else
          return W.begin(Which);
      },
      B);
}

Error WriteQueue::step() {
  if (Error E = W.busy() ? W.step() : begin(Blocks.front()))
    return E;
  if (!W.busy())
    pop();
  return Error::success();
}

/// The first block is done.
void WriteQueue::pop() {
  Block &B = Blocks.front();
  if (EventLog **L = std::get_if<EventLog *>(&B)) {
    (*L)->start(0);
    --NumLogs;
  } else if (const Keyframe *K = std::get_if<Keyframe>(&B)) {
    KeyframeBytes += W.bytes() - BytesBefore;
    KeyframeBlocks += K->Blocks.size();
  } else if (Dictionary *D = std::get_if<Dictionary>(&B)) {
    // What stacks need, which come in thousands. Each part is some pages that
    // the kernel would clear anew.
    auto Keep = [](auto &To, auto &From) {
      From.clear();
      if (From.capacity() > To.capacity())
        To = std::move(From);
    };
    Keep(Spare.Stacks, D->Stacks);
    Keep(Spare.NodeFrames, D->NodeFrames);
  }
  Blocks.pop_front();
}

void WriteQueue::clear() {
  for (Block &B : Blocks)
    if (EventLog **L = std::get_if<EventLog *>(&B))
      (*L)->start(0);
  Blocks.clear();
  NumLogs = 0;
}
