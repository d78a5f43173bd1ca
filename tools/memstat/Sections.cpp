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
  if (!F.T.summary().DeviceTimes.empty())
    Has += ", device time";
  if (F.O.Threads.size() > 1)
    Has += ", threads";
  if (F.R.Processes.size() > 1)
    Has += ", processes";
  Out.Lines.push_back(
      "More: memstat -v (" + Has + ")" +
      (F.O.Growing.empty() ? "" : "; memleak shows what grows"));
  return Out;
}

static std::vector<PageSection> listOf(std::vector<PageSection> Sections) {
  return Sections;
}
static std::vector<PageSection> listOf(PageSection S) { return {std::move(S)}; }
static std::vector<PageSection> listOf(std::optional<PageSection> S) {
  return S ? listOf(std::move(*S)) : std::vector<PageSection>();
}

/// Makes sections with a function that returns one, perhaps one, or several.
template <auto Make>
static std::vector<PageSection> makeWith(const PageInput &F) {
  return listOf(Make(F));
}

static std::optional<PageSection> ranksOfPage(const PageInput &F) {
  if (!F.Ranks)
    return std::nullopt;
  return rankSection(*F.Ranks);
}

ArrayRef<StatSection> statSections() {
  using enum SectionPage;
  constexpr bool AllHeaps = true, AnyHeaps = false;
  static constexpr StatSection All[] = {
      {"verdict", First, AnyHeaps, makeWith<headSection>, writeOomJson},
      {"ranks", First, AnyHeaps, makeWith<ranksOfPage>, writeRanksJson},
      {"curve", First, AnyHeaps, makeWith<curveSection>},
      {"growth", Asked, AnyHeaps, growthSections},
      {"lines", First, AnyHeaps, makeWith<placeSections>, writePlacesJson},
      {"most", First, AnyHeaps, makeWith<noteSection>, writeNamesJson},
      {"holders", Asked, AnyHeaps, makeWith<holderSection>},
      {"suggestions", Verbose, AnyHeaps, makeWith<adviceSection>,
       writeSuggestionJson},
      {"try", Asked, AnyHeaps, makeWith<trySection>},
      {"timeline", Asked, AnyHeaps, makeWith<timelineSection>,
       writeTimelineJson},
      {"heaps", Verbose, AnyHeaps, makeWith<heapSection>, writeHeapJson},
      {"peaks", Verbose, AnyHeaps, makeWith<peakSections>},
      {"tensors", Verbose, AnyHeaps, makeWith<categorySections>},
      {"dtypes", Verbose, AnyHeaps, makeWith<dtypeSection>, writeDtypeJson,
       &OverviewOptions::Dtypes},
      {"libraries", Verbose, AnyHeaps, makeWith<librarySection>,
       writeLibraryJson},
      {"reserved", Verbose, AnyHeaps, makeWith<reservedSection>,
       writeFragmentationJson},
      {"rounding", Verbose, AnyHeaps, makeWith<roundingSection>,
       writeRoundingJson, &OverviewOptions::Rounding},
      {"gap", Verbose, AnyHeaps, makeWith<gapSections>, writeGapJson},
      {"resident", Verbose, AllHeaps, makeWith<residentSections>,
       writeResidentJson},
      {"sizes", Verbose, AnyHeaps, makeWith<sizeSection>},
      {"steps", Verbose, AllHeaps, makeWith<stepSection>, writeStepJson},
      {"layers", Verbose, AllHeaps, makeWith<layerSection>, writeLayerJson},
      {"parameters", Asked, AllHeaps, makeWith<parameterSection>,
       writeParameterJson},
      {"programs", Verbose, AllHeaps, makeWith<programSection>,
       writeProgramJson},
      {"arrays", Verbose, AllHeaps, makeWith<arraySections>},
      {"operators", Verbose, AllHeaps, makeWith<operatorSection>,
       writeOperatorJson},
      {"kernels", Verbose, AllHeaps, makeWith<workSection>, writeWorkJson},
      {"threads", Verbose, AllHeaps, makeWith<threadSection>, writeThreadJson},
      {"processes", Verbose, AllHeaps, makeWith<processSection>},
      {"machine", Verbose, AllHeaps, makeWith<machineSection>,
       writeVersionsJson},
      {"again", Asked, AllHeaps, makeWith<againSection>}};
  return All;
}

std::vector<StringRef> sectionNames() {
  std::vector<StringRef> Names;
  for (const StatSection &S : statSections())
    Names.push_back(S.Name);
  return Names;
}

std::vector<PageSection> makePage(const PageInput &F, bool Everything,
                                  ArrayRef<std::string> Shown) {
  bool IsFirstScreen = !Everything && Shown.empty();
  std::vector<PageSection> Page;
  auto IsWanted = [&](const StatSection &S) {
    if (!Shown.empty())
      return is_contained(Shown, S.Name.str());
    return S.Page == SectionPage::First ||
           (Everything && S.Page == SectionPage::Verbose);
  };
  for (const StatSection &S : statSections()) {
    if (!IsWanted(S) || (S.OfAllHeaps && F.OfHeaps))
      continue;
    for (PageSection &Made : S.Make(F)) {
      Made.Name = S.Name;
      Page.push_back(std::move(Made));
    }
  }
  if (IsFirstScreen)
    Page.push_back(moreSection(F));
  return Page;
}

} // namespace memkit
