// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks memleak on programs that leak or only seem to leak.

#include "Scenarios.h"
#include "memkit/Analysis/Growth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <cmath>

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

namespace {
/// The verdicts on programs of one kind.
struct Tally {
  unsigned Runs = 0, Found = 0, Unsure = 0, False = 0, AtPlace = 0, Rated = 0,
           Held = 0;
  void add(const Tally &T) {
    Runs += T.Runs;
    Found += T.Found;
    Unsure += T.Unsure;
    False += T.False;
    AtPlace += T.AtPlace;
    Rated += T.Rated;
    Held += T.Held;
  }
};
} // namespace

/// Whether the leak is three times the deviation of the other live bytes.
static bool isClear(const Program &P) {
  std::vector<double> Rest = P.level(/*OfLeaks=*/false);
  double Mean = 0, Square = 0, N = static_cast<double>(Rest.size());
  for (double V : Rest)
    Mean += V / N;
  for (double V : Rest)
    Square += (V - Mean) * (V - Mean) / N;
  size_t End = std::min<size_t>(
      Rest.size(), static_cast<size_t>(std::min(P.ShutdownAt, 1e9)));
  return P.level(/*OfLeaks=*/true)[End - 1] >= 3 * std::sqrt(Square);
}

static bool isAtLeak(const Trace &T, uint32_t Node) {
  for (; Node; Node = T.parent(Node))
    for (const ShownFrame &F : T.shown(T.frameOf(Node)))
      if (F.Function == "leak")
        return true;
  return false;
}

static Expected<Tally> judge(const Scenario &S, uint64_t Seed) {
  Tally Out;
  Program P = S.Make(Seed);
  P.Name = S.Name.str();
  if (S.Is == Truth::Leaks && P.ShutdownAt == Never && !isClear(P))
    return Out;
  std::string Bytes;
  StringSink Sink(Bytes);
  if (Error E = writeProgram(P, Sink, /*WithEvents=*/false))
    return std::move(E);
  auto Reader = TraceReader::create(
      MemoryBuffer::getMemBuffer(Bytes, S.Name, /*Terminated=*/false));
  if (!Reader)
    return Reader.takeError();
  auto T = Trace::create(std::move(*Reader));
  if (!T)
    return T.takeError();
  auto Selected = Selection::create(**T, {});
  if (!Selected)
    return Selected.takeError();
  auto Of = SelectedStats::create(**T, std::move(*Selected));
  if (!Of)
    return Of.takeError();
  auto Intervals = IntervalSeries::create(*Of);
  if (!Intervals)
    return Intervals.takeError();
  auto Report = findGrowth(**Intervals, *Of, {});
  if (!Report)
    return Report.takeError();
  Out.Runs = 1;
  Out.Unsure = !Report->Unsure.empty();
  double Rate = 0, Low = 0, High = 0;
  for (const Growth &G : Report->Found) {
    if (!isAtLeak(**T, G.Node)) {
      Out.False = 1;
      continue;
    }
    Out.AtPlace = 1;
    Rate += G.Rate;
    Low += G.Low;
    High += G.High;
  }
  Out.Found = !Report->Found.empty();
  // Reported rates are per step or per second, the programs' rates per step or
  // tenth of a second.
  double True = P.Rate * (P.HasSteps ? 1 : 10);
  if (Out.AtPlace && True > 0 && Report->Found.size() == 1) {
    Out.Rated = 1;
    Out.Held = Low <= True * 1.0001 && True * 0.9999 <= High;
    if (ShowWrong && !Out.Held)
      errs() << S.Name << ": interval with --seed=" << Seed << ": "
             << format("%.0f (%.0f to %.0f), true %.0f\n", Rate, Low, High,
                       True);
  }
  bool Wrong = S.Is == Truth::Clean   ? Out.Found
               : S.Is == Truth::Leaks ? !Out.AtPlace || Out.False
                                      : Out.False;
  if (ShowWrong && Wrong) {
    errs() << S.Name << ": wrong with --seed=" << Seed << '\n';
    for (const auto *List : {&Report->Found, &Report->Unsure})
      for (const Growth &G : *List) {
        errs() << (List == &Report->Found ? "  found: " : "  unsure: ");
        for (uint32_t N = G.Node; N; N = (*T)->parent(N))
          for (const ShownFrame &F : (*T)->shown((*T)->frameOf(N)))
            errs() << F.Function << ' ';
        errs() << format("rate %.0f p %.2g age %.3g since %llu\n", G.Rate,
                         G.PValue, G.Age,
                         static_cast<unsigned long long>(G.SinceStep));
      }
  }
  return Out;
}

static std::string percent(unsigned Part, unsigned Whole) {
  std::string Text;
  raw_string_ostream OS(Text);
  if (Whole)
    OS << format("%.1f %%", 100.0 * Part / Whole);
  return Text;
}

static void printRow(StringRef Name, StringRef What, Truth Is, const Tally &T) {
  outs() << "| " << Name << " | " << What << " | "
         << (Is == Truth::Clean   ? "no"
             : Is == Truth::Leaks ? "yes"
                                  : "cannot be told")
         << " | " << T.Runs << " | " << T.Found << " | " << T.Unsure << " | "
         << T.False << " | "
         << (Is == Truth::Clean ? "" : percent(T.AtPlace, T.Found)) << " | "
         << percent(T.Held, T.Rated) << " |\n";
  outs().flush();
}

static Error printTable() {
  outs() << "| kind | what it does | leaks | runs | found | too early | other "
            "places "
            "accused | at its place | interval holds |\n"
         << "|---|---|---|---:|---:|---:|---:|---:|---:|\n";
  Tally Clean, Leaks;
  for (ArrayRef<Scenario> List : {cleanScenarios(), leakScenarios()})
    for (const Scenario &S : List) {
      if (!Name.empty() && S.Name != Name)
        continue;
      Tally Sum;
      for (uint64_t I = 0; I != Count; ++I) {
        Expected<Tally> T = judge(S, Seed + I);
        if (!T)
          return T.takeError();
        Sum.add(*T);
      }
      printRow(S.Name, S.What, S.Is, Sum);
      if (S.Is != Truth::Either)
        (S.Is == Truth::Clean ? Clean : Leaks).add(Sum);
    }
  if (Name.empty()) {
    printRow("all", "", Truth::Clean, Clean);
    printRow("all", "", Truth::Leaks, Leaks);
  }
  return Error::success();
}

static const Scenario *findScenario() {
  for (ArrayRef<Scenario> List : {cleanScenarios(), leakScenarios()})
    for (const Scenario &S : List)
      if (S.Name == Name)
        return &S;
  return nullptr;
}

static Error run() {
  if (Output.empty())
    return printTable();
  Program P = findScenario()->Make(Seed);
  P.Name = Name;
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
  Error E = run();
  if (!E)
    return 0;
  logAllUnhandledErrors(std::move(E), errs(), "memkit-gengrowth: error: ");
  return 1;
}
