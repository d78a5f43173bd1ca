// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The events of one device of a PyTorch snapshot, in few bytes.

#include "TorchLog.h"

using namespace llvm;
using namespace memkit;

// The first byte of an event: the action, and what differs from the event
// before. Most frees come as a pair of events of one block.
static constexpr uint8_t ActionBits = 0xf, BlockBit = 0x10, StackBit = 0x20,
                         PlaceBit = 0x40, LabelBit = 0x80;
static_assert(NumTorchActions <= ActionBits);

static uint64_t zigzag(uint64_t To, uint64_t From) {
  int64_t Step = int64_t(To - From);
  return uint64_t(Step) << 1 ^ uint64_t(Step >> 63);
}

static uint64_t unzigzag(uint64_t Code, uint64_t From) {
  return From + (Code >> 1 ^ (0 - (Code & 1)));
}

void TorchLog::number(uint64_t Value) {
  std::vector<uint8_t> &To = Chunks.back();
  for (; Value >= 0x80; Value >>= 7)
    To.push_back(uint8_t(Value | 0x80));
  To.push_back(uint8_t(Value));
}

void TorchLog::append(const TorchEvent &E) {
  if (Chunks.empty() || Chunks.back().size() + MaxEventBytes > ChunkBytes)
    Chunks.emplace_back().reserve(ChunkBytes);
  uint8_t Head = uint8_t(E.Action);
  if (E.Address != Last.Address || E.Size != Last.Size)
    Head |= BlockBit;
  if (E.Stack != Last.Stack)
    Head |= StackBit;
  if (E.Stream != Last.Stream || E.Pool != Last.Pool)
    Head |= PlaceBit;
  if (E.Label != Last.Label)
    Head |= LabelBit;
  Chunks.back().push_back(Head);
  number(zigzag(E.TimeUs, Last.TimeUs));
  if (Head & BlockBit) {
    number(zigzag(E.Address, Last.Address));
    number(E.Size);
  }
  if (Head & StackBit)
    number(E.Stack);
  if (Head & PlaceBit) {
    number(E.Stream);
    number(E.Pool);
  }
  if (Head & LabelBit)
    number(E.Label);
  Last = E;
  ++Count;
}

size_t TorchLog::bytes() const {
  size_t Sum = 0;
  for (const std::vector<uint8_t> &C : Chunks)
    Sum += C.size();
  return Sum;
}

uint64_t TorchLog::Reader::number() {
  const std::vector<uint8_t> &From = Log.Chunks[Chunk];
  uint64_t Value = 0;
  for (unsigned Shift = 0;; Shift += 7) {
    uint8_t Byte = From[At++];
    Value |= uint64_t(Byte & 0x7f) << Shift;
    if (!(Byte & 0x80))
      return Value;
  }
}

void TorchLog::Reader::next() {
  if (!Left) {
    IsEnd = true;
    return;
  }
  --Left;
  if (At == Log.Chunks[Chunk].size()) {
    ++Chunk;
    At = 0;
  }
  uint8_t Head = Log.Chunks[Chunk][At++];
  Now.Action = TorchAction(Head & ActionBits);
  Now.TimeUs = unzigzag(number(), Now.TimeUs);
  if (Head & BlockBit) {
    Now.Address = unzigzag(number(), Now.Address);
    Now.Size = number();
  }
  if (Head & StackBit)
    Now.Stack = uint32_t(number());
  if (Head & PlaceBit) {
    Now.Stream = uint32_t(number());
    Now.Pool = uint32_t(number());
  }
  if (Head & LabelBit)
    Now.Label = uint32_t(number());
}
