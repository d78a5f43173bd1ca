// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that several threads make, written in order.

#include "OrderedText.h"

using namespace llvm;
using namespace memkit;

void OrderedText::stop() {
  std::lock_guard<std::mutex> Guard(Lock);
  IsStopped = true;
  Changed.notify_all();
}

OrderedText::TextPart::~TextPart() {
  if (!IsFinished)
    Of.stop();
}

void OrderedText::TextPart::write() {
  Of.To << Text;
  Text.clear();
  NextLook = Step;
}

/// False: all parts have been stopped.
bool OrderedText::TextPart::waitForTurn() {
  std::unique_lock<std::mutex> Guard(Of.Lock);
  Of.Changed.wait(Guard, [&] { return Of.Turn == Number || Of.IsStopped; });
  HasTurn = Of.Turn == Number;
  return !Of.IsStopped;
}

bool OrderedText::TextPart::flush() {
  if (!HasTurn) {
    std::unique_lock<std::mutex> Guard(Of.Lock);
    if (Of.IsStopped)
      return false;
    HasTurn = Of.Turn == Number;
  }
  if (!HasTurn && Text.size() < Of.MaxKept) {
    NextLook = Text.size() + Step;
    return true;
  }
  if (!HasTurn && !waitForTurn())
    return false;
  write();
  return !Of.Failed();
}

void OrderedText::TextPart::finish() {
  IsFinished = true;
  if (!waitForTurn())
    return;
  write();
  if (Of.Failed())
    return Of.stop();
  std::lock_guard<std::mutex> Guard(Of.Lock);
  ++Of.Turn;
  Of.Changed.notify_all();
}
