// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run, and the order of sections.

#include "Sections.h"
#include "JobPage.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Where the rest is.
static PageSection moreSection(const PageInput &F) {
  PageSection Out;
  std::string Has = "heaps, peaks";
  if (!F.O.Steps.empty())
    Has += ", steps";
  if (!F.O.Layers.empty())
    Has += ", layers";
  if (!F.O.Compiled.Programs.empty())
    Has += ", compiled programs";
  if (!F.O.Compiled.Arrays.empty())
    Has += ", live arrays";
  if (!F.O.Operators.empty())
    Has += ", operators";
  if (F.O.Threads.size() > 1)
    Has += ", threads";
  if (F.R.Processes.size() > 1)
    Has += ", processes";
  Out.Lines.push_back(
      "More: memstat -v (" + Has + ")" +
      (F.O.Growing.empty() ? "" : "; memleak shows what grows"));
  return Out;
}

ArrayRef<StringLiteral> sectionNames() {
  static constexpr StringLiteral Names[] = {
      "verdict",     "ranks",     "curve",    "lines",    "most",
      "suggestions", "timeline",  "heaps",    "peaks",    "tensors",
      "dtypes",      "libraries", "reserved", "rounding", "gap",
      "resident",    "sizes",     "steps",    "layers",   "parameters",
      "operators",   "programs",  "arrays",   "threads",  "processes",
      "machine"};
  return Names;
}

std::vector<PageSection> makePage(const PageInput &F, bool Everything,
                                  ArrayRef<std::string> Shown) {
  std::vector<PageSection> Page = firstScreen(F);
  if (F.Ranks)
    Page.insert(Page.begin() + 1, rankSection(*F.Ranks, Everything || !F.Top));
  if (!Everything && Shown.empty()) {
    Page.push_back(moreSection(F));
    return Page;
  }
  auto AddAll = [&](StringRef Name, std::vector<PageSection> Sections) {
    for (PageSection &S : Sections) {
      S.Name = Name;
      Page.push_back(std::move(S));
    }
  };
  auto Add = [&](StringRef Name, std::optional<PageSection> S) {
    if (S)
      AddAll(Name, {std::move(*S)});
  };
  Add("suggestions", adviceSection(F));
  if (F.O.Curves && is_contained(Shown, "timeline"))
    Add("timeline", timelineSection(F));
  Add("heaps", heapSection(F));
  AddAll("peaks", peakSections(F));
  AddAll("tensors", categorySections(F));
  Add("dtypes", dtypeSection(F));
  Add("libraries", librarySection(F));
  Add("reserved", reservedSection(F));
  Add("rounding", roundingSection(F));
  AddAll("gap", gapSections(F));
  if (!F.OfHeaps)
    AddAll("resident", residentSections(F));
  Add("sizes", sizeSection(F));
  // The sections below are about all heaps.
  if (!F.OfHeaps) {
    Add("steps", stepSection(F));
    Add("layers", layerSection(F));
    if (is_contained(Shown, "parameters"))
      Add("parameters", parameterSection(F));
    Add("programs", programSection(F));
    AddAll("arrays", arraySections(F));
    Add("operators", operatorSection(F));
    Add("threads", threadSection(F));
    Add("processes", processSection(F));
    Add("machine", machineSection(F));
  }
  if (!Shown.empty())
    erase_if(Page, [&](const PageSection &S) {
      return !is_contained(Shown, S.Name.str());
    });
  return Page;
}

} // namespace memkit
