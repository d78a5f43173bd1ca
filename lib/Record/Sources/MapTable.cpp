// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mappings of a process.

#include "Sources/MapTable.h"
#include <algorithm>
#include <iterator>

using namespace memkit;
using wire::MapClass;

/// The first block that overlaps R or lies after it.
MapTable::Iterator MapTable::firstIn(MapRange R) {
  Iterator At = Blocks.upper_bound(R.Begin);
  if (At != Blocks.begin() && std::prev(At)->second.End > R.Begin)
    --At;
  return At;
}

const MapTable::MapBlock *MapTable::find(uint64_t Address) const {
  auto At = Blocks.upper_bound(Address);
  if (At == Blocks.begin() || std::prev(At)->second.End <= Address)
    return nullptr;
  return &std::prev(At)->second;
}

/// Finds the counted block around Address, or the gap between counted blocks.
const MapTable::MapBlock *MapTable::findEnclosing(uint64_t Address) {
  auto Counts = [](const MapBlockMap::value_type &B) {
    return B.second.Class == MapClass::Used;
  };
  Iterator After = Blocks.upper_bound(Address);
  Iterator Before = After;
  MapRange Gap = {0, ~0ull};
  // Give up after 16 blocks that do not count.
  for (unsigned Steps = 0; Before != Blocks.begin(); ++Steps) {
    --Before;
    if (Before->second.End > Address) {
      if (Counts(*Before)) {
        Recent[Address >> 18 & (NumRecent - 1)] = {
            {Before->first, Before->second.End}, &Before->second};
        IsFresh = false;
        return &Before->second;
      }
    } else if (Counts(*Before) || Steps == 16) {
      Gap.Begin = Before->second.End;
      break;
    }
  }
  for (unsigned Steps = 0; After != Blocks.end(); ++After, ++Steps)
    if (Counts(*After) || Steps == 16) {
      Gap.End = After->first;
      break;
    }
  gapOf(Address) = Gap;
  return nullptr;
}

/// R holds a counted block from now on.
void MapTable::counts(MapRange R) {
  for (MapRange &Gap : Gaps)
    if (R.Begin < Gap.End && Gap.Begin < R.End)
      Gap = {1, 0};
}

/// Splits the block At at Address; returns the second part.
MapTable::Iterator MapTable::cut(Iterator At, uint64_t Address,
                                 MapEvents &Out) {
  Out.leave(At->second.Entry, Address, At->second.End);
  forgetFound();
  MapBlock Rest = At->second;
  Rest.Entry = Out.split(At->second.Entry, Address - At->first);
  At->second.End = Address;
  return Blocks.emplace_hint(std::next(At), Address, Rest);
}

/// Cuts the part of the block At in R from the rest; returns this part.
MapTable::Iterator MapTable::isolate(Iterator At, MapRange R, MapEvents &Out) {
  if (At->first < R.Begin)
    At = cut(At, R.Begin, Out);
  if (At->second.End > R.End)
    cut(At, R.End, Out);
  return At;
}

bool MapTable::unmap(MapRange R, uint64_t Tsc, MapEvents &Out) {
  bool Met = false;
  if (R.empty())
    return Met;
  for (Iterator At = firstIn(R); At != Blocks.end() && At->first < R.End;) {
    if (At->second.BornTsc > Tsc) {
      ++At;
      continue;
    }
    At = isolate(At, R, Out);
    Out.free(At->second.Entry);
    forgetFound();
    At = Blocks.erase(At);
    Met = true;
  }
  return Met;
}

void MapTable::endStack(MapRange R, uint64_t Tsc, MapEvents &Out) {
  Iterator At = Blocks.find(R.Begin);
  if (At != Blocks.end() && At->second.Class == MapClass::Stack &&
      At->second.End == R.End)
    unmap(R, Tsc, Out);
}

void MapTable::insert(MapRange R, MapClass Class, uint64_t Tsc,
                      MapEvents &Out) {
  MapBlock B;
  B.End = R.End;
  B.BornTsc = Tsc;
  B.Class = Class;
  B.Entry = Out.allocate(Class, R.End - R.Begin);
  Blocks[R.Begin] = B;
  if (Class == MapClass::Used)
    counts(R);
}

void MapTable::map(MapRange R, MapClass Class, uint64_t Tsc, bool Keep,
                   MapEvents &Out) {
  unmap(R, ~0ull, Out);
  if (Keep)
    insert(R, Class, Tsc, Out);
}

void MapTable::protect(MapRange R, MapClass To, uint64_t Tsc, MapEvents &Out) {
  if (R.empty())
    return;
  MapClass From = To == MapClass::Used ? MapClass::Reserved : MapClass::Used;
  for (Iterator At = firstIn(R); At != Blocks.end() && At->first < R.End;
       ++At) {
    if (At->second.Class != From || At->second.BornTsc > Tsc)
      continue;
    At = isolate(At, R, Out);
    MapBlock &B = At->second;
    Out.free(B.Entry);
    B.Entry = Out.allocate(To, B.End - At->first);
    B.Class = To;
    forgetFound();
    if (To == MapClass::Used)
      counts({At->first, B.End});
  }
}

/// Resizes the block that ends at Old.End; false if more than its size changes.
bool MapTable::resizeInPlace(MapRange Old, MapRange New, uint64_t Tsc,
                             MapEvents &Out) {
  Iterator At = firstIn({Old.End - 1, Old.End});
  if (At == Blocks.end() || At->second.End != Old.End || At->first >= New.End)
    return false;
  if (New.End > Old.End)
    unmap({Old.End, New.End}, Tsc, Out);
  if (New.End < Old.End)
    Out.leave(At->second.Entry, New.End, Old.End);
  if (New.End != Old.End)
    Out.resize(At->second.Entry, New.End - At->first);
  At->second.End = New.End;
  forgetFound();
  if (At->second.Class == MapClass::Used)
    counts({At->first, New.End});
  return true;
}

void MapTable::remap(MapRange Old, MapRange New, MapClass Class, bool OldStays,
                     uint64_t BeginTsc, uint64_t Tsc, MapEvents &Out) {
  // mremap of 0 bytes makes a second mapping of the same pages.
  OldStays |= Old.empty();
  if (New.Begin == Old.Begin && !OldStays) {
    if (New.End == Old.End || resizeInPlace(Old, New, Tsc, Out))
      return;
    if (New.End < Old.End) {
      unmap({New.End, Old.End}, BeginTsc, Out);
      return;
    }
  }
  if (!OldStays)
    unmap(Old, BeginTsc, Out);
  map(New, Class, Tsc, true, Out);
}
