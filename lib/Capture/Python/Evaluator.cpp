// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter's evaluator.

#include "Evaluator.h"

#include "Unwind/CfaRecord.h"

#include <cstring>

using namespace memkit;
using namespace memkit::capture;

/// The target of a jump (jmp or jcc) with a 32-bit distance at \p At; 0: no
/// jump. Bytes in the middle of other instructions can look like a jump.
static uintptr_t jumpTarget(uintptr_t At) {
  auto *B = reinterpret_cast<const uint8_t *>(At);
  unsigned Bytes = B[0] == 0xe9                            ? 1
                   : B[0] == 0x0f && (B[1] & 0xf0) == 0x80 ? 2
                                                           : 0;
  if (!Bytes)
    return 0;
  int32_t Distance;
  memcpy(&Distance, B + Bytes, 4);
  return At + Bytes + 4 + uintptr_t(intptr_t(Distance));
}

static unsigned countJumps(AddressRange From, AddressRange To) {
  unsigned N = 0;
  for (uintptr_t At = From.Start; At + 6 <= From.End; ++At)
    N += To.has(jumpTarget(At));
  return N;
}

/// Finds the first function with Enough jumps from Main into its middle, and as
/// many back. Bytes that only look like jumps have random targets.
void Evaluator::findCold(const EhFrame &Tables) {
  constexpr unsigned MaxCandidates = 16, Enough = 8;
  struct {
    AddressRange Range;
    unsigned Hits;
  } Candidates[MaxCandidates] = {};
  unsigned Count = 0;
  for (uintptr_t At = Main.Start; At + 6 <= Main.End; ++At) {
    uintptr_t To = jumpTarget(At);
    if (!Tables.Text.has(To) || Main.has(To))
      continue;
    unsigned I = 0;
    while (I < Count && !Candidates[I].Range.has(To))
      ++I;
    if (I == Count) {
      FunctionRecord F;
      if (Count == MaxCandidates || !findFunction(Tables, To, F) ||
          F.Code.Start == To)
        continue;
      Candidates[Count++].Range = F.Code;
    }
    if (++Candidates[I].Hits < Enough)
      continue;
    // Jumps must lead back, too.
    if (countJumps(Candidates[I].Range, Main) >= Enough) {
      Cold = Candidates[I].Range;
      return;
    }
    Candidates[I].Hits = 0;
  }
}

bool Evaluator::find(const EhFrame &Tables, uintptr_t Entry) {
  FunctionRecord F;
  if (!Tables.usable() || !findFunction(Tables, Entry, F))
    return false;
  Main = F.Code;
  findCold(Tables);
  return true;
}
