// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process without a program, for tests.

#ifndef MEMKIT_TEST_UNIT_RECORD_ONEPROCESS_H
#define MEMKIT_TEST_UNIT_RECORD_ONEPROCESS_H

#include "RawRecord.h"
#include "Sources/ProcessState.h"
#include "memkit/Model/Check.h"
#include "memkit/Trace/TraceReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace memkit {

using wire::AllocFunction;
using wire::RecordKind;

/// A process whose records come from the test; the trace goes to a string.
struct OneProcess : testing::Test {
  std::string Bytes;
  StringSink Out{Bytes};
  std::unique_ptr<Recording> R;
  std::unique_ptr<SharedSources> Shared;
  std::unique_ptr<ProcessState> I;
  uint64_t Tsc = 0;

  void begin(bool Forked = false, uint64_t Hz = 1000000000) {
    Bytes.clear();
    TscClock Clock({0, 0, 0}, Hz);
    R = llvm::cantFail(Recording::create(Out, Header(), Clock));
    ProcessRecord Row;
    R->names().addProcess(Row);
    R->stats().beginProcess(1, 0);
    auto Memory =
        llvm::cantFail(SharedProcess::create(1, ProcessSettings(), "test"));
    Shared = std::make_unique<SharedSources>(*R);
    I = std::make_unique<ProcessState>(1, getpid(), Forked, std::move(Memory),
                                       *Shared);
    R->addProcess(I->log());
    for (uint32_t Ring = 0; Ring != 4; ++Ring) {
      I->ring(Ring);
      I->shared().ringHeader(Ring).Tid = 100 + Ring;
    }
    Shared->Pass = 1;
  }
  void SetUp() override { begin(); }

  void put(uint32_t Ring, RecordKind K, uint64_t Address, uint64_t Size = 0,
           uint64_t At = 0) {
    I->process(rawRecord(At ? At : Tsc += 1000, K, Address, Size,
                         uint8_t(AllocFunction::Malloc)),
               Ring);
  }
  void pass() {
    I->settleHeld();
    ++Shared->Pass;
  }
  uint64_t lost(LossKind Kind) {
    uint64_t Sum = 0;
    for (const Loss &L : R->stats().summary(1, 0).Losses)
      if (L.Kind == Kind)
        Sum += L.Count;
    return Sum;
  }
  /// The events: `a0` allocates block 0, `f0` frees block 0.
  std::string events() {
    std::string Text;
    for (const Event &E : I->log().Now.rows())
      Text += (E.Kind == EventKind::Allocate ? "a" : "f") +
              std::to_string(E.Block) + " ";
    return Text;
  }
  /// Completes the trace, and returns the differences of its stats and
  /// snapshots from its events. Snapshots: set to the number of snapshots.
  std::vector<std::string> differences(uint64_t *Snapshots = nullptr) {
    R->finish();
    auto T = llvm::cantFail(TraceReader::create(
        llvm::MemoryBuffer::getMemBuffer(Bytes, "t", false)));
    CheckResult Checked = llvm::cantFail(checkTrace(*T));
    if (Snapshots)
      *Snapshots = Checked.Snapshots;
    return Checked.Differences;
  }
};

} // namespace memkit

#endif // MEMKIT_TEST_UNIT_RECORD_ONEPROCESS_H
