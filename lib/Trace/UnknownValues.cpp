// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumeration values that only a newer memkit knows.

#include "memkit/Trace/UnknownValues.h"
#include <algorithm>
#include <iterator>

using namespace memkit;

namespace {
/// The words for one kind of entries.
struct EntryWords {
  const char *One, *Many;
  const char *What;             ///< the enumeration, with its article
  const char *DoesOne, *DoMany; ///< how readers treat one entry, many entries
};
} // namespace

static constexpr EntryWords Words[] = {
    {"section", "sections", "a kind", "was skipped", "were skipped"},
    {"frame", "frames", "a kind", "is shown as unknown code",
     "are shown as unknown code"},
    {"scope", "scopes", "a kind", "is shown as a user scope",
     "are shown as user scopes"},
    {"process", "processes", "an origin", "is shown as started",
     "are shown as started"},
    {"mark", "marks", "a kind", "was skipped", "were skipped"},
    {"interval", "intervals", "a detail", "is read without its allocations",
     "are read without their allocations"},
    {"row of layers", "rows of layers", "a kind", "was skipped",
     "were skipped"},
    {"loss", "losses", "a kind", "is counted among the lost events",
     "are counted among the lost events"},
    {"row of categories", "rows of categories", "a category",
     "is counted as unknown", "are counted as unknown"},
    {"out-of-memory event", "out-of-memory events", "a kind",
     "is shown without its reason", "are shown without their reasons"},
    {"row of device work", "rows of device work", "a kind",
     "is shown as unknown", "are shown as unknown"},
};
static_assert(std::size(Words) == UnknownValues::NumOf);

static std::string counted(uint64_t N, const EntryWords &W) {
  return std::to_string(N) + " " + (N == 1 ? W.One : W.Many);
}

bool UnknownValues::any() const {
  return std::any_of(Counts.begin(), Counts.end(),
                     [](uint64_t N) { return N != 0; });
}

UnknownValues &UnknownValues::operator+=(const UnknownValues &Other) {
  for (size_t I = 0; I != NumOf; ++I)
    Counts[I] += Other.Counts[I];
  return *this;
}

void UnknownValues::join(const UnknownValues &Other) {
  for (size_t I = 0; I != NumOf; ++I)
    Counts[I] = std::max(Counts[I], Other.Counts[I]);
}

std::string UnknownValues::list() const {
  std::string Text;
  for (size_t I = 0; I != NumOf; ++I)
    if (Counts[I])
      Text += (Text.empty() ? "" : ", ") + counted(Counts[I], Words[I]);
  return Text;
}

std::vector<std::string> UnknownValues::sentences() const {
  std::vector<std::string> Out;
  for (size_t I = 0; I != NumOf; ++I)
    if (uint64_t N = Counts[I])
      Out.push_back(counted(N, Words[I]) + " of " + Words[I].What +
                    " that this version does not know " +
                    (N == 1 ? Words[I].DoesOne : Words[I].DoMany));
  return Out;
}

const char *UnknownValues::name(Of What) {
  static constexpr const char *Names[] = {
      "sections",   "frames",    "scopes",      "processes",
      "marks",      "intervals", "layers",      "losses",
      "categories", "ooms",      "device_times"};
  static_assert(std::size(Names) == NumOf);
  return Names[What];
}
