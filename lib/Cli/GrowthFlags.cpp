// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of the search for growth.

#include "GrowthFlags.h"
#include "HelpText.h"
#include "Messages.h"
#include "memkit/Support/Format.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

namespace memkit {

using StringFlag = cl::opt<std::string>;

struct GrowthFlags::FlagSet {
  StringFlag WarmUp{
      "warm-up", cl::value_desc("n%|n"), cl::init("0"),
      cl::desc(
          "growth: ignore allocations in this first part of the run, or in "
          "the first n steps (0)"),
      cl::cat(helpGroup(HelpGroup::Expert))};
  StringFlag Window{"window", cl::value_desc("n%|n|time"),
                    cl::desc("growth: look at this last part of the run, the "
                             "last n steps, or the last time (all)"),
                    cl::cat(helpGroup(HelpGroup::Expert))};
  StringFlag MinGrowth{
      "min-growth", cl::value_desc("size"), cl::init("1KiB"),
      cl::desc("growth: leave out places that gain less (1KiB)"),
      cl::cat(helpGroup(HelpGroup::Expert))};
  StringFlag Level{"level", cl::value_desc("p"),
                   cl::desc("growth: the most that chance may explain of what "
                            "is never freed, stricter than 0.001"),
                   cl::cat(helpGroup(HelpGroup::Expert))};
};

GrowthFlags::GrowthFlags() : Of(std::make_unique<FlagSet>()) {}
GrowthFlags::~GrowthFlags() = default;

/// Reads `20%`; false: it is no share below 100 %.
static bool readShare(StringRef Text, double &To) {
  Expected<Threshold> Part = parseThreshold(Text);
  if (!Part) {
    consumeError(Part.takeError());
    return false;
  }
  To = Part->Fraction;
  return Part->IsFraction && Part->Fraction < 1;
}

static Error readWarmUp(StringRef Text, GrowthOptions &To) {
  if (!Text.getAsInteger(10, To.WarmUpSteps) || readShare(Text, To.WarmUp))
    return Error::success();
  return makeUsageError("--warm-up: '" + Text +
                        "' is neither a share below 100% nor a number of "
                        "steps");
}

static Error readWindow(StringRef Text, GrowthOptions &To) {
  double Share = 0;
  if (Text.empty())
    return Error::success();
  if (!Text.getAsInteger(10, To.WindowSteps) && To.WindowSteps)
    return Error::success();
  if (readShare(Text, Share) && Share > 0) {
    To.Window = Share;
    return Error::success();
  }
  Expected<uint64_t> Ns = parseTime(Text);
  if (Ns && *Ns) {
    To.WindowNs = *Ns;
    return Error::success();
  }
  consumeError(Ns.takeError());
  return makeUsageError("--window: '" + Text +
                        "' is neither a share below 100%, nor a number of "
                        "steps, nor a time");
}

Expected<GrowthOptions> GrowthFlags::options() const {
  GrowthOptions To;
  if (Error E = readWarmUp(Of->WarmUp, To))
    return std::move(E);
  if (Error E = readWindow(Of->Window, To))
    return std::move(E);
  Expected<uint64_t> Min = parseSize(Of->MinGrowth);
  if (!Min)
    return joinErrors(makeUsageError("--min-growth=" + Of->MinGrowth),
                      Min.takeError());
  To.MinBytes = *Min;
  StringRef Level = Of->Level;
  constexpr double Usual = 0.001;
  if (!Level.empty() && (Level.getAsDouble(To.MaxPValue) ||
                         !(To.MaxPValue > 0 && To.MaxPValue <= Usual)))
    return makeUsageError("--level: '" + Level +
                          "' is no number above 0 and up to 0.001");
  return To;
}

} // namespace memkit
