// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what memleak says of many programs.

#include "Table.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace memkit::gengrowth {

/// What is accepted, in parts of the programs.
static constexpr double MinLeak = 0.95, MinAtPlace = 0.97, MaxClean = 0.005,
                        MaxCleanOfKind = 0.03, MinHeld = 0.92, MaxHeld = 0.98;
/// With fewer rates the part of intervals that hold says little.
static constexpr unsigned MinRated = 100;

void Tally::add(const Judged &J) {
  Runs += 1;
  Leak += J.Leak;
  Grows += J.Grows;
  Grew += J.Grew;
  WrongLeak += J.isWrongLeak();
  Missed += J.isMissed();
  Leaks += J.isOfLeak();
  AtPlace += J.isAtPlace();
  Rated += J.IsRated;
  Held += J.Holds;
}

void Tally::add(const Tally &T) {
  Runs += T.Runs;
  Leak += T.Leak;
  Grows += T.Grows;
  Grew += T.Grew;
  WrongLeak += T.WrongLeak;
  Missed += T.Missed;
  Leaks += T.Leaks;
  AtPlace += T.AtPlace;
  Rated += T.Rated;
  Held += T.Held;
}

void KindTally::add(const Judged &J) {
  All.add(J);
  OfTruth[static_cast<size_t>(J.Is)].add(J);
}

static std::string percent(unsigned Part, unsigned Whole) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Whole)
    OS << format("%.1f %%", 100.0 * Part / Whole);
  return Text;
}

static const char *truthText(const KindTally &T) {
  constexpr const char *Texts[] = {"clean", "load", "leak", "unclear"};
  for (size_t I = 0; I != std::size(Texts); ++I)
    if (T.OfTruth[I].Runs == T.All.Runs)
      return Texts[I];
  return "mixed";
}

void Table::printHead() {
  OS << "| kind | what it does | truth | runs | LEAK | grows | grew | wrong "
        "LEAK | missed | at its place | interval holds |\n"
     << "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n";
}

void Table::printRow(StringRef Name, StringRef What, StringRef Is,
                     const Tally &T) {
  OS << "| " << Name << " | " << What << " | " << Is << " | " << T.Runs << " | "
     << T.Leak << " | " << T.Grows << " | " << T.Grew << " | " << T.WrongLeak
     << " | " << T.Missed << " | " << percent(T.AtPlace, T.Leaks) << " | "
     << percent(T.Held, T.Rated) << " |\n";
  OS.flush();
}

/// Whether Part is more than a limit. One program may always be wrong.
static bool isMore(unsigned Part, double Limit, unsigned Whole) {
  return Part > 1 && Part > Limit * Whole;
}

static bool isLess(unsigned Part, double Limit, unsigned Whole) {
  return Part < Limit * Whole;
}

void Table::add(const Scenario &S, const KindTally &T) {
  printRow(S.Name, S.What, truthText(T), T.All);
  Sum.All.add(T.All);
  for (size_t I = 0; I != std::size(T.OfTruth); ++I)
    Sum.OfTruth[I].add(T.OfTruth[I]);
  const Tally &Clean = T.of(Truth::Clean);
  if (isMore(Clean.Leak, MaxCleanOfKind, Clean.Runs))
    BadKinds.push_back((S.Name + ": " + Twine(Clean.Leak) + " of " +
                        Twine(Clean.Runs) + " clean programs are accused")
                           .str());
}

Tally Table::leaks() const {
  Tally All = Sum.of(Truth::Leaks);
  All.add(Sum.of(Truth::Unclear));
  return All;
}

void Table::printTotals() {
  printRow("clean", "", "clean", Sum.of(Truth::Clean));
  printRow("loaders", "", "load", Sum.of(Truth::Load));
  printRow("leaks with evidence", "", "leak", Sum.of(Truth::Leaks));
  Tally All = leaks();
  printRow("all leaks", "", "mixed", All);
  OS << "| rates | leaks with a known rate | | " << All.Rated
     << " | | | | | | | " << percent(All.Held, All.Rated) << " |\n";
}

std::vector<std::string> Table::failures() const {
  std::vector<std::string> Out = BadKinds;
  auto Fail = [&](const char *What, unsigned Part, unsigned Whole) {
    Out.push_back((Twine(What) + ": " + Twine(Part) + " of " + Twine(Whole) +
                   " (" + percent(Part, Whole) + ")")
                      .str());
  };
  const Tally &Clean = Sum.of(Truth::Clean), &Load = Sum.of(Truth::Load),
              &Sure = Sum.of(Truth::Leaks);
  Tally All = leaks();
  if (isMore(Clean.Leak, MaxClean, Clean.Runs))
    Fail("too many clean programs are accused", Clean.Leak, Clean.Runs);
  if (Load.Leak)
    Fail("loaders are accused", Load.Leak, Load.Runs);
  if (isLess(Sure.Runs - Sure.Missed, MinLeak, Sure.Runs))
    Fail("too few leaks with evidence are found", Sure.Runs - Sure.Missed,
         Sure.Runs);
  if (isLess(All.AtPlace, MinAtPlace, All.Leaks))
    Fail("too few leaks are found at their place", All.AtPlace, All.Leaks);
  if (All.Rated >= MinRated &&
      (isLess(All.Held, MinHeld, All.Rated) || All.Held > MaxHeld * All.Rated))
    Fail("too few or too many intervals hold", All.Held, All.Rated);
  return Out;
}

} // namespace memkit::gengrowth
