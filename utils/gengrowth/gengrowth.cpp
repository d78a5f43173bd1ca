// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks memleak on programs that leak or only seem to leak.

#include "Recorder.h"
#include "Table.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"

using namespace memkit;
using namespace memkit::gengrowth;
using namespace llvm;

static cl::OptionCategory Category("Options");
static cl::opt<std::string> Name("scenario", cl::value_desc("NAME"),
                                 cl::cat(Category),
                                 cl::desc("Only this kind of program"));
static cl::opt<std::string> Output("o", cl::value_desc("FILE"),
                                   cl::cat(Category),
                                   cl::desc("Write the trace of one program of "
                                            "--scenario"));
static cl::opt<uint64_t> Seed("seed", cl::init(1), cl::cat(Category),
                              cl::desc("The first seed (1)"));
static cl::opt<unsigned> Count("count", cl::init(150), cl::cat(Category),
                               cl::desc("Programs of each kind (150)"));
static cl::opt<bool> ShowWrong("show-wrong", cl::cat(Category),
                               cl::desc("Print which seeds were judged wrong"));
static cl::opt<bool> Check("check", cl::cat(Category),
                           cl::desc("Exit with 1 if too many are wrong"));

static void printWrong(const Scenario &S, uint64_t Seed, const Judged &J) {
  const char *What = J.isWrongLeak()         ? "wrong LEAK"
                     : J.isMissed()          ? "missed"
                     : J.isWrong()           ? "not at its place"
                     : J.IsRated && !J.Holds ? "interval"
                                             : nullptr;
  if (What)
    errs() << S.Name << ": " << What << " with --seed=" << Seed << '\n'
           << J.Details;
}

static Expected<KindTally> judgeKind(const Scenario &S) {
  KindTally Sum;
  for (uint64_t I = 0; I != Count; ++I) {
    Expected<std::optional<Judged>> J = judge(S, Seed + I);
    if (!J)
      return J.takeError();
    if (!*J)
      continue;
    Sum.add(**J);
    if (ShowWrong)
      printWrong(S, Seed + I, **J);
  }
  return Sum;
}

/// Returns the exit status.
static Expected<int> printTable() {
  Table T(outs());
  T.printHead();
  for (const Scenario &S : allScenarios()) {
    if (!Name.empty() && S.Name != Name)
      continue;
    Expected<KindTally> Sum = judgeKind(S);
    if (!Sum)
      return Sum.takeError();
    T.add(S, *Sum);
  }
  if (Name.empty())
    T.printTotals();
  if (!Check)
    return 0;
  std::vector<std::string> Failures = T.failures();
  for (const std::string &F : Failures)
    errs() << "memkit-gengrowth: " << F << '\n';
  return !Failures.empty();
}

static std::optional<Scenario> findScenario() {
  for (const Scenario &S : allScenarios())
    if (S.Name == Name)
      return S;
  return std::nullopt;
}

static Error writeOne() {
  Program P = findScenario()->make(Seed);
  std::string Bytes;
  StringSink Sink(Bytes);
  if (Error E = writeProgram(P, Sink, /*WithEvents=*/true))
    return E;
  std::error_code EC;
  raw_fd_ostream OS(Output, EC);
  if (!EC)
    OS << Bytes;
  return EC ? createStringError(EC, "%s", Output.c_str()) : Error::success();
}

static Expected<int> run() {
  if (Output.empty())
    return printTable();
  if (Error E = writeOne())
    return std::move(E);
  return 0;
}

int main(int Argc, char **Argv) {
  cl::HideUnrelatedOptions(Category);
  cl::ParseCommandLineOptions(
      Argc, Argv,
      "Makes programs that leak, or only seem to, block by block, and counts "
      "what the analysis of growth says of them\n\n"
      "  memkit-gengrowth --count=10\n"
      "  memkit-gengrowth --scenario=queue --seed=7 -o queue.fb\n");
  if ((!Output.empty() || !Name.empty()) && !findScenario()) {
    errs() << "memkit-gengrowth: error: no scenario '" << Name << "'\n";
    return 2;
  }
  Expected<int> Status = run();
  if (Status)
    return *Status;
  logAllUnhandledErrors(Status.takeError(), errs(),
                        "memkit-gengrowth: error: ");
  return 1;
}
