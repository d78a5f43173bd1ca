// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sentences about a line that grows.

#ifndef MEMKIT_LIB_REPORT_GROWTHSENTENCES_H
#define MEMKIT_LIB_REPORT_GROWTHSENTENCES_H

#include "memkit/Analysis/LeakHints.h"
#include "llvm/ADT/StringMap.h"

namespace memkit {

/// A name with its bytes.
struct NamedBytes {
  std::string Name;
  uint64_t Bytes = 0, Blocks = 0;
};

/// Sums bytes by name.
class NamedSums {
public:
  void add(const std::string &Name, uint64_t Bytes, uint64_t Blocks = 0);
  /// The most bytes first.
  std::vector<NamedBytes> sorted() const;

private:
  llvm::StringMap<NamedBytes> Sums;
};

/// At most Max names: `a 1 MiB, b 2 KiB, ...`.
std::string listText(llvm::ArrayRef<NamedBytes> All, size_t Max);
/// `+1.2 MiB per step`.
std::string rateText(const LineGrowth &L);
/// `LEAK`, `grows`, `grew until 12 s`, `grew to 19 MiB, freed at 5.2 s`.
std::string wordText(const LineGrowth &L);
/// `+64 KiB per step, 1.88 MiB in 30 blocks so far`; of what grew
/// `1.88 MiB in 30 blocks`.
std::string amountText(const LineGrowth &L);
/// Where L grows, as tables name its blocks: `train.py:15 Net.forward, called
/// by train.py:41 main`.
std::string placeText(const Places &Where, const LineGrowth &L);
/// The lines that allocate where L only calls them: `a.py:3 load 5 MiB, ...`;
/// empty: L does.
std::string innerText(const Places &Where, const LineGrowth &L);
/// `steps 13 to 59`, `since 4.2 s, 16 rounds`.
std::string sinceText(const GrowthReport &R, const LineGrowth &L);
/// What the growing blocks are: the functions that the line calls, else the
/// heap.
std::string contentsText(const Trace &T, const Places &Where,
                         const GrowthReport &R, const LineGrowth &L);
/// The measured part of the run: `steps 13 to 59`. R: has spans.
std::string spanText(const GrowthReport &R);
/// What to do, in a sentence.
llvm::StringRef hintText(LeakHint H);

} // namespace memkit

#endif // MEMKIT_LIB_REPORT_GROWTHSENTENCES_H
