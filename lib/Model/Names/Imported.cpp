// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a trace made from another tool's recording cannot tell.

#include "memkit/Model/Imported.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace memkit;

namespace {
struct LackText {
  StringRef Name, Sentence;
};
} // namespace

static constexpr LackText LackTexts[] = {
    {"frees", "the recording is one moment: it has the blocks that lived then, "
              "and no frees and times"},
    {"others", "the recording has leaked blocks alone"},
    {"lifetimes", "a free names the size and the stack, and not the block: "
                  "which of several equal blocks was freed is not known"},
    {"times", "events have an order, and no time"},
    {"exact-times", "times come in steps of about 10 ms"},
    {"allocations", "blocks from before the recording's first event have no "
                    "time of allocation"},
    {"threads", "the recording has no threads"},
    {"addresses", "the recording has no addresses"},
    {"stacks", "the recording has no stacks"},
    {"names", "functions are addresses: names need the recorded binaries"},
    {"requests", "sizes are rounded up by the allocator; requested sizes are "
                 "not recorded"},
    {"samples", "the recorder sampled allocations: values are its estimates"},
};
static_assert(std::size(LackTexts) == NumLacks);

StringRef memkit::lackName(Lack L) { return LackTexts[unsigned(L)].Name; }
StringRef memkit::lackSentence(Lack L) {
  return LackTexts[unsigned(L)].Sentence;
}

bool memkit::isOfFirstScreen(Lack L) {
  return L != Lack::Threads && L != Lack::Addresses && L != Lack::Requests &&
         L != Lack::Allocations;
}

bool ImportedFrom::lacks(Lack L) const { return is_contained(Lacks, L); }

std::vector<std::string> ImportedFrom::facts() const {
  std::vector<std::string> Facts;
  auto Add = [&](StringRef Name, StringRef Value) {
    if (!Value.empty())
      Facts.push_back((Name + "=" + Value).str());
  };
  Add("format", Format);
  Add("version", Version);
  Add("file", File);
  for (Lack L : Lacks)
    Add("lacks", lackName(L));
  return Facts;
}

ImportedFrom memkit::importedFrom(const Header &H) {
  ImportedFrom From;
  for (StringRef Fact : H.Imported) {
    auto [Name, Value] = Fact.split('=');
    if (Name == "format")
      From.Format = Value.str();
    else if (Name == "version")
      From.Version = Value.str();
    else if (Name == "file")
      From.File = Value.str();
    else if (Name == "lacks")
      for (unsigned L = 0; L != NumLacks; ++L)
        if (LackTexts[L].Name == Value && !From.lacks(Lack(L)))
          From.Lacks.push_back(Lack(L));
  }
  llvm::sort(From.Lacks);
  return From;
}

std::string memkit::noAnswerReason(const Header &H, HistoryQuestion Q) {
  if (H.Imported.empty())
    return "";
  ImportedFrom From = importedFrom(H);
  auto Because = [&](Lack L) {
    return "imported from " + formatWords(From.Format) + ": " +
           lackSentence(L).str();
  };
  if (From.lacks(Lack::Frees) &&
      !(Q == HistoryQuestion::Leaks && From.lacks(Lack::Others)))
    return Because(Lack::Frees);
  if (Q == HistoryQuestion::Outliers && From.lacks(Lack::Lifetimes))
    return Because(Lack::Lifetimes);
  if (Q == HistoryQuestion::Growth && From.lacks(Lack::Times))
    return Because(Lack::Times);
  return "";
}

StringRef memkit::momentWords(const ImportedFrom &From) {
  if (From.lacks(Lack::Others))
    return "leaked";
  return From.Format == "memray" ? "live at the peak" : "live";
}

std::string memkit::formatWords(StringRef Format) {
  return StringSwitch<std::string>(Format)
      .Case("torch-snapshot", "a PyTorch memory snapshot")
      .Case("memray", "a recording of memray")
      .Case("heaptrack", "a recording of heaptrack")
      .Case("nsys", "an export of Nsight Systems")
      .Case("rmm", "a log of RMM")
      .Case("jemalloc", "a heap profile of jemalloc")
      .Case("gperftools", "a heap profile of gperftools")
      .Case("pprof", "a heap profile in pprof's format")
      .Case("lsan", "a log of LeakSanitizer")
      .Case("census", "a census of a process")
      .Default("a recording of " + Format.str());
}
