// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small functions of the block structs.

#include "memkit/Trace/Blocks.h"

using namespace memkit;

void EventColumns::clear() {
  Address.clear();
  Enclosing.clear();
  Requested.clear();
  Weight.clear();
  Stream.clear();
  Pool.clear();
}

const char *memkit::blockKindName(BlockKind Kind) {
  switch (Kind) {
  case BlockKind::None:
    return "unknown";
  case BlockKind::Header:
    return "header";
  case BlockKind::Dictionary:
    return "dictionary";
  case BlockKind::Events:
    return "events";
  case BlockKind::Marks:
    return "marks";
  case BlockKind::Intervals:
    return "intervals";
  case BlockKind::Snapshot:
    return "snapshot";
  case BlockKind::Summary:
    return "summary";
  case BlockKind::Index:
    return "index";
  case BlockKind::Lifetimes:
    return "lifetimes";
  }
  return "unknown";
}
