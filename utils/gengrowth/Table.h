// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts what memleak says of many programs.

#ifndef MEMKIT_UTILS_GENGROWTH_TABLE_H
#define MEMKIT_UTILS_GENGROWTH_TABLE_H

#include "Judge.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit::gengrowth {

/// Counts of programs.
struct Tally {
  unsigned Runs = 0, Leak = 0, Grows = 0, Grew = 0;
  unsigned WrongLeak = 0, Missed = 0;
  unsigned Leaks = 0, AtPlace = 0; ///< programs that leak
  unsigned Rated = 0, Held = 0;
  void add(const Judged &J);
  void add(const Tally &T);
};

/// The programs of one kind, or of all.
struct KindTally {
  Tally All;
  Tally OfTruth[4]; ///< by Truth
  void add(const Judged &J);
  const Tally &of(Truth Is) const { return OfTruth[static_cast<size_t>(Is)]; }
};

class Table {
public:
  explicit Table(llvm::raw_ostream &OS) : OS(OS) {}
  void printHead();
  void add(const Scenario &S, const KindTally &T);
  void printTotals();
  /// What is worse than accepted, a line each.
  std::vector<std::string> failures() const;

private:
  void printRow(llvm::StringRef Name, llvm::StringRef What, llvm::StringRef Is,
                const Tally &T);
  Tally leaks() const;

  llvm::raw_ostream &OS;
  KindTally Sum;
  std::vector<std::string> BadKinds; ///< clean kinds that are accused too often
};

} // namespace memkit::gengrowth

#endif // MEMKIT_UTILS_GENGROWTH_TABLE_H
