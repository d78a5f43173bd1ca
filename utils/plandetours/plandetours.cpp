// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memkit-plandetours: prints how each function of a binary would be replaced,
// for tests.

#include "Detour/DetourPlan.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace memkit;

static cl::opt<std::string> File(cl::Positional, cl::desc("BINARY"),
                                 cl::Required);
static cl::opt<std::string> Names("names", cl::init("."),
                                  cl::desc("Only functions that match REGEX"));
static cl::opt<unsigned> Every("every", cl::init(1),
                               cl::desc("Only one function in N"));

/// A line: name, address, first replaced byte, number of replaced bytes, moved
/// bytes, then of each word where it lies, where its instruction ends, and its
/// target. Or the name, `refused`, and why.
static void print(const CodeSymbol &F, const PlannedFunction &P) {
  outs() << F.Name << ' ';
  if (!P.Refusal.empty()) {
    outs() << "refused " << P.Refusal << '\n';
    return;
  }
  const DetourPlan &D = P.Plan;
  outs() << utohexstr(F.Address) << ' ' << utohexstr(D.At) << ' '
         << unsigned(D.Replaced) << ' ' << toHex(D.Moved);
  for (const MovedWord &W : D.Words)
    outs() << ' ' << unsigned(W.At) << ' ' << unsigned(W.End) << ' '
           << utohexstr(W.Target);
  outs() << '\n';
}

static Error run() {
  auto Opened = object::ObjectFile::createObjectFile(File);
  if (!Opened)
    return Opened.takeError();
  auto *Elf = dyn_cast<object::ELF64LEObjectFile>(Opened->getBinary());
  if (!Elf)
    return createStringError("not an ELF file of 64 bits");
  auto Image = CodeImage::create(Elf->getELFFile());
  if (!Image)
    return Image.takeError();
  Regex Wanted(Names);
  std::vector<CodeSymbol> Chosen;
  unsigned Count = 0;
  for (const CodeSymbol &F : Image->functions())
    if ((Chosen.empty() || Chosen.back().Address != F.Address) &&
        Count++ % Every == 0 && (Names == "." || Wanted.match(F.Name)))
      Chosen.push_back(F);
  std::vector<PlannedFunction> Plans = planDetours(*Image, Chosen);
  for (size_t I = 0; I < Plans.size(); ++I)
    print(Chosen[I], Plans[I]);
  return Error::success();
}

int main(int Argc, char **Argv) {
  cl::ParseCommandLineOptions(Argc, Argv);
  ExitOnError("memkit-plandetours: error: ")(run());
}
