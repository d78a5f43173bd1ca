// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format that the name of the output file asks for.

#include "OutputFormat.h"
#include "HelpText.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

namespace {
struct FormatOfExtension {
  StringLiteral Extension, Format;
};
} // namespace

/// The first row with the file's extension and a format of the tool counts, so
/// longer extensions come first, and `.json` is speedscope's where a tool has
/// no JSON of its own.
static constexpr FormatOfExtension Formats[] = {
    {".speedscope.json", "speedscope"},
    {".sarif.json", "sarif"},
    {".json", "json"},
    {".json", "speedscope"},
    {".jsonl", "json"},
    {".html", "html"},
    {".svg", "svg"},
    {".md", "markdown"},
    {".markdown", "markdown"},
    {".txt", "text"},
    {".csv", "csv"},
    {".parquet", "parquet"},
    {".arrow", "arrow"},
    {".sarif", "sarif"},
    {".collapsed", "collapsed"},
    {".folded", "collapsed"},
    {".pb.gz", "pprof"},
    {".pprof", "pprof"},
    {".pftrace", "perfetto"},
    {".perfetto-trace", "perfetto"},
    {".mas", "asm"},
    {".pickle", "torch-snapshot"},
};

/// The option of this name, or null.
static cl::Option *findOption(StringRef Name) {
  return cl::getRegisteredOptions().lookup(Name);
}

void chooseFormatByOutput(unsigned NumOfProject) {
  cl::Option *Format = findOption("format"), *Output = findOption("o");
  auto IsGiven = [&](const cl::Option &O, unsigned After) {
    return O.getNumOccurrences() && O.getPosition() > After;
  };
  if (!Format || !Output || !Output->getNumOccurrences() ||
      IsGiven(*Format, IsGiven(*Output, NumOfProject) ? NumOfProject : 0))
    return;
  StringRef File = static_cast<cl::opt<std::string> *>(Output)->getValue();
  std::vector<std::string> Known;
  for (const FormatOfExtension &F : Formats) {
    if (!File.ends_with_insensitive(F.Extension))
      continue;
    if (Known.empty())
      Known = optionValues(*Format);
    if (!is_contained(Known, F.Format))
      continue;
    Format->reset();
    Format->addOccurrence(0, "format", F.Format);
    return;
  }
}

} // namespace memkit
