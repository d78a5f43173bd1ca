// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Snapshots of a process's live blocks, and which blocks enclose others.

#include "Sources/BlockSnapshots.h"
#include "Sources/EventSink.h"

using namespace llvm;
using namespace memkit;

uint64_t BlockSnapshots::numBlocks() const {
  uint64_t N = 0;
  for (const SourceTable &T : Tables)
    N += T.Table->size();
  for (const OtherBlocks &O : Others)
    N += O.Size();
  return N;
}

void BlockSnapshots::advance() {
  if (!active()) {
    if (!R.takesEvents() || !Writer.due(R.stats().events(Sink.process()),
                                        numBlocks(), R.producedBytes()))
      return;
    start();
  }
  step();
  if (!active())
    forgetEnded();
}

void BlockSnapshots::start() {
  SmallVector<LiveEntry, 8> Listed;
  for (const OtherBlocks &O : Others)
    O.List(Listed);
  Writer.start(Sink.nextId(), R.stats().events(Sink.process()),
               R.times().lastNs(), numBlocks(), Listed, Outers);
}

void BlockSnapshots::step() {
  SmallVector<LiveSource, 4> Sources;
  for (const SourceTable &T : Tables) {
    Sources.push_back({*T.Table, nullptr, T.ScopeMask});
    if (T.Outer)
      Sources.back().Outer = T.Outer;
  }
  Writer.step(Sources, R, Sink.process());
}

void BlockSnapshots::finish() {
  while (active()) {
    step();
    // A step leaves what a thread writes.
    if (active() && !R.canWork())
      R.complete();
  }
  forgetEnded();
}

void BlockSnapshots::beforeEnd(uint64_t Id) {
  auto AnyInside = [this] {
    return llvm::any_of(Tables, [](const SourceTable &T) {
      return T.Outer && T.Table->size();
    });
  };
  if (active() && AnyInside() && R.stats().holdsOthers(Sink.process(), Id))
    finish();
}

uint64_t BlockSnapshots::takeOuter(uint64_t Id) {
  auto At = Outers.find(Id);
  if (At == Outers.end())
    return 0;
  uint64_t Outer = At->second;
  if (Writer.holds(Id))
    Ended.push_back(Id);
  else
    Outers.erase(At);
  return Outer;
}

/// Called when the snapshot is complete.
void BlockSnapshots::forgetEnded() {
  for (uint64_t Id : Ended)
    Outers.erase(Id);
  Ended.clear();
}
