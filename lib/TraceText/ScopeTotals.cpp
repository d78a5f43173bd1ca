//===- ScopeTotals.cpp - The scopes of a program, by name -------*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Support/Format.h"
#include "memkit/Support/Table.h"
#include "memkit/TraceText/TraceSummary.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace memkit;

using Side = Table::Align;

static uint64_t mean(uint64_t Sum, uint64_t Calls) {
  return Calls ? Sum / Calls : 0;
}

void memkit::writeScopesJson(json::OStream &J, const TraceSummary &S) {
  J.attributeArray("scopes", [&] {
    for (const LayerTotals &L : S.scopes())
      J.object([&] {
        J.attribute("name", json::fixUTF8(S.string(L.Name)));
        J.attribute("calls", L.Calls);
        J.attribute("duration_ns", L.DurationNs);
        J.attribute("allocations", L.Allocations);
        J.attribute("frees", L.Frees);
        J.attribute("allocated_bytes", L.AllocatedBytes);
        J.attribute("mean_allocated_bytes", mean(L.AllocatedBytes, L.Calls));
        J.attribute("peak_bytes", L.PeakBytes);
        J.attribute("rise_bytes", L.RiseBytes);
      });
  });
}

void memkit::printScopes(raw_ostream &OS, const TraceSummary &S,
                         unsigned Width) {
  Table T({{"scope", Side::Left, true},
           {"calls", Side::Right},
           {"time", Side::Right},
           {"mean time", Side::Right},
           {"allocations", Side::Right},
           {"allocated", Side::Right},
           {"mean", Side::Right},
           {"rise", Side::Right},
           {"peak", Side::Right}});
  for (const LayerTotals &L : S.scopes())
    T.add({S.string(L.Name).str(), formatCount(L.Calls),
           formatTime(L.DurationNs), formatTime(mean(L.DurationNs, L.Calls)),
           formatCount(L.Allocations), formatSize(L.AllocatedBytes),
           formatSize(mean(L.AllocatedBytes, L.Calls)), formatSize(L.RiseBytes),
           formatSize(L.PeakBytes)});
  T.print(OS, Width);
}

/// In quotes where it must be.
static void printField(raw_ostream &OS, StringRef Text) {
  if (Text.find_first_of(",\"\r\n") == StringRef::npos) {
    OS << Text;
    return;
  }
  OS << '"';
  for (char C : Text)
    OS << (C == '"' ? "\"\"" : StringRef(&C, 1));
  OS << '"';
}

void memkit::printScopesCsv(raw_ostream &OS, const TraceSummary &S) {
  OS << "name,calls,duration_ns,allocations,frees,allocated_bytes,"
        "mean_allocated_bytes,peak_bytes,rise_bytes\n";
  for (const LayerTotals &L : S.scopes()) {
    printField(OS, S.string(L.Name));
    for (uint64_t N : {L.Calls, L.DurationNs, L.Allocations, L.Frees,
                       L.AllocatedBytes, mean(L.AllocatedBytes, L.Calls),
                       L.PeakBytes, L.RiseBytes})
      OS << ',' << N;
    OS << '\n';
  }
}
