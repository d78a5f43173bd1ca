// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the lists of a Summary, or of a Partial, in sections of their largest
// size.

#include "SummaryLists.h"

using namespace llvm;
using namespace memkit;

/// A part of the same set, without rows.
static Summary emptyPart(const Summary &Of) {
  Summary Part;
  Part.Number = Of.Number;
  Part.EndNs = Of.EndNs;
  Part.Events = Of.Events;
  Part.Marks = Of.Marks;
  Part.Complete = false;
  return Part;
}

static Partial emptyPart(const Partial &Of) {
  Partial Part;
  Part.Number = Of.Number;
  Part.EndNs = Of.EndNs;
  Part.Complete = false;
  return Part;
}

/// Writes parts of From's list until the remainder fits the last part.
template <class Section, class Row>
static Error writeParts(Section &From, std::vector<Row> Section::*List,
                        function_ref<Error(const Section &)> Write) {
  std::vector<Row> &Rows = From.*List;
  size_t First = 0, Fit;
  while ((Fit = rowsThatFit(Rows, First, MaxSectionRows)) !=
         Rows.size() - First) {
    Section Part = emptyPart(From);
    auto Begin = Rows.begin() + First;
    (Part.*List).assign(Begin, Begin + Fit);
    if (Error E = Write(Part))
      return E;
    First += Fit;
  }
  Rows.erase(Rows.begin(), Rows.begin() + First);
  return Error::success();
}

template <class Section, class... Rows>
static Error writeAll(Section Last, function_ref<Error(const Section &)> Write,
                      std::vector<Rows> Section::*...Lists) {
  Error E = Error::success();
  auto Spill = [&](auto Section::*List) {
    if (!E)
      E = writeParts(Last, List, Write);
  };
  (Spill(Lists), ...);
  return E ? std::move(E) : Write(Last);
}

Error memkit::writeLists(Summary Last,
                         function_ref<Error(const Summary &)> Write) {
  return writeAll(std::move(Last), Write, &Summary::Steps, &Summary::Processes,
                  &Summary::Losses, &Summary::Threads, &Summary::Layers,
                  &Summary::Categories, &Summary::Ooms, &Summary::OomHeaps,
                  &Summary::Heaps, &Summary::Spaces, &Summary::Parameters,
                  &Summary::DeviceTimes);
}

Error memkit::writeLists(Partial Last,
                         function_ref<Error(const Partial &)> Write) {
  return writeAll(std::move(Last), Write, &Partial::Processes, &Partial::Layers,
                  &Partial::Categories, &Partial::Ooms, &Partial::OomHeaps,
                  &Partial::Parameters, &Partial::DeviceTimes);
}
