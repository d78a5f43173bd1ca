// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names in shared memory.
//
// The texts that records and tables refer to by number (Wire/Layout.h), and a
// table that gives equal names equal numbers. Nothing is locked: any thread and
// any signal handler may call any function at any time.

#ifndef MEMKIT_CAPTURE_RUNTIME_SHAREDNAMES_H
#define MEMKIT_CAPTURE_RUNTIME_SHAREDNAMES_H

#include "Pieces.h"

namespace memkit::capture {

class SharedNames {
public:
  bool begin(int Fd, const wire::Regions &R, wire::Control &C) {
    Next = &C.NextText;
    uint64_t Units = R.TextBytes / wire::TextAlign;
    return Room.begin(Fd, R.Texts, Units < UINT32_MAX ? uint32_t(Units) : 0);
  }

  /// The number of a new text, the first MaxTextBytes of \p Text; 0: no room.
  uint32_t add(const char *Text, size_t Size);

  /// The number of a text, added if new. In a name after the first MaxNames,
  /// each run of digits counts as `#`; 0: no room for that name either. Two
  /// threads that add one name at the same time may get two numbers.
  uint32_t intern(const char *Text, size_t Size);

  static constexpr uint32_t MaxNames = 16384;

private:
  static constexpr uint32_t Slots = 32768, MaxFolded = MaxNames + 8192;
  /// Low half the number, high half the hash; 0: free.
  using NameSlot = std::atomic<uint64_t>;

  NameSlot *table();
  uint32_t find(NameSlot *T, const char *Text, uint32_t Size, uint32_t Max);
  bool is(uint32_t Number, const char *Text, uint32_t Size);

  std::atomic<uint32_t> *Next = nullptr;
  std::atomic<NameSlot *> Table{nullptr};
  std::atomic<uint32_t> Names{0};
  Pieces<uint64_t, 1024> Room;
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_RUNTIME_SHAREDNAMES_H
