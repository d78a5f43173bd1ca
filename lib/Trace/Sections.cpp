// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small functions of the section structs.

#include "memkit/Trace/Sections.h"

using namespace memkit;

void EventColumns::clear() {
  Address.clear();
  Enclosing.clear();
  Requested.clear();
  Weight.clear();
  Stream.clear();
  Pool.clear();
}

const char *memkit::sectionKindName(SectionKind Kind) {
  switch (Kind) {
  case SectionKind::None:
    return "unknown";
  case SectionKind::Header:
    return "header";
  case SectionKind::Dictionary:
    return "dictionary";
  case SectionKind::Events:
    return "events";
  case SectionKind::Marks:
    return "marks";
  case SectionKind::Intervals:
    return "intervals";
  case SectionKind::Snapshot:
    return "snapshot";
  case SectionKind::Summary:
    return "summary";
  case SectionKind::Index:
    return "index";
  case SectionKind::Lifetimes:
    return "lifetimes";
  case SectionKind::Partial:
    return "partial";
  case SectionKind::BlockCategories:
    return "block-categories";
  case SectionKind::ScopeTimes:
    return "scope-times";
  case SectionKind::DeviceSpans:
    return "device-spans";
  }
  return "unknown";
}
