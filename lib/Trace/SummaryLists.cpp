// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the lists of a Summary in sections of their largest size.

#include "SummaryLists.h"

using namespace llvm;
using namespace memkit;

/// Writes parts of From's list until the remainder fits the last part.
template <class Row>
static Error writeParts(Summary &From, std::vector<Row> Summary::*List,
                        function_ref<Error(const Summary &)> Write) {
  std::vector<Row> &Rows = From.*List;
  size_t First = 0, Fit;
  while ((Fit = rowsThatFit(Rows, First, MaxSectionRows)) !=
         Rows.size() - First) {
    Summary Part;
    Part.Number = From.Number;
    Part.EndNs = From.EndNs;
    Part.Events = From.Events;
    Part.Marks = From.Marks;
    Part.Complete = false;
    auto Begin = Rows.begin() + First;
    (Part.*List).assign(Begin, Begin + Fit);
    if (Error E = Write(Part))
      return E;
    First += Fit;
  }
  Rows.erase(Rows.begin(), Rows.begin() + First);
  return Error::success();
}

Error memkit::writeLists(Summary Last,
                         function_ref<Error(const Summary &)> Write) {
  Error E = Error::success();
  auto Spill = [&](auto Summary::*List) {
    if (!E)
      E = writeParts(Last, List, Write);
  };
  Spill(&Summary::Steps);
  Spill(&Summary::Processes);
  Spill(&Summary::Losses);
  Spill(&Summary::Threads);
  Spill(&Summary::Layers);
  Spill(&Summary::Categories);
  Spill(&Summary::Ooms);
  Spill(&Summary::OomHeaps);
  return E ? std::move(E) : Write(Last);
}
