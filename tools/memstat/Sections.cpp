//===- Sections.cpp - The run, its steps, layers, threads, processes ------===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sections.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using Side = Table::Align;

static std::string plural(uint64_t Count, StringRef What) {
  return formatCount(Count) + " " + What.str() + (Count == 1 ? "" : "s");
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static std::string commandLine(const TraceSummary &S) {
  std::string Line;
  for (const std::string &Word : S.Header.Command)
    Line += (Line.empty() ? "" : " ") + Word;
  return Line.empty() ? "(no command)" : Line;
}

/// Ranks of a distributed run, the machine, what was counted.
static std::string runLine(const Facts &F) {
  const TraceSummary &S = F.S;
  std::string Line = formatTime(S.Sums.EndNs);
  if (!S.Header.Host.empty())
    Line += " on " + S.Header.Host;
  if (S.Header.Rank >= 0)
    Line += ", rank " + std::to_string(S.Header.Rank) + " of " +
            std::to_string(S.Header.WorldSize);
  uint64_t Allocations = 0, Frees = 0;
  for (const ImageTotals &I : S.Sums.Images) {
    Allocations += I.Allocations;
    Frees += I.Frees;
  }
  Line += ", " + plural(Allocations, "allocation") + ", " +
          plural(Frees, "free") + ", " + formatCount(S.lost()) + " lost";
  if (S.Images.size() > 1)
    Line += ", " + formatCount(S.Images.size()) + " processes";
  if (!S.Complete)
    Line += ", not complete";
  return Line;
}

static std::string peakLine(const Facts &F) {
  std::string Line;
  auto Add = [&](const Twine &Text) {
    Line += ((Line.empty() ? "" : "; ") + Text).str();
  };
  for (uint32_t Id = 0; Id <= F.S.Devices.size(); ++Id) {
    Totals D = F.S.domainTotals(Id);
    if (!D.PeakBytes)
      continue;
    std::optional<uint64_t> Step = stepAt(F.T, D.PeakTimeNs);
    Add(F.S.domain(Id) + " peak " + formatSize(D.PeakBytes) + " at " +
        formatTime(D.PeakTimeNs) +
        (Step ? ", step " + std::to_string(*Step) : "") + ", " +
        formatSize(D.LiveBytes) + " live at the end");
  }
  uint64_t Rss = 0, Pss = 0;
  for (const ImageTotals &I : F.S.Sums.Images) {
    Rss = std::max(Rss, I.RssPeakBytes);
    Pss = std::max(Pss, I.PssPeakBytes);
  }
  if (Rss)
    Add("resident at most " + formatSize(Rss));
  if (Pss)
    Add("proportional share at most " + formatSize(Pss));
  return Line;
}

static Section headSection(const Facts &F) {
  Section Out;
  if (uint64_t Lost = F.S.lost())
    Out.Lines.push_back(plural(Lost, "event") + " lost: figures may be wrong");
  Out.Lines.push_back(commandLine(F.S));
  Out.Lines.push_back(runLine(F));
  if (std::string Peak = peakLine(F); !Peak.empty())
    Out.Lines.push_back(Peak);
  uint64_t Failures = 0;
  for (const OomTotals &O : F.S.Sums.Ooms)
    Failures += 1 + O.Skipped;
  if (Failures)
    Out.Lines.push_back("out of memory " +
                        (Failures == 1 ? std::string("once")
                                       : formatCount(Failures) + " times") +
                        "; memdump --oom shows what lived then");
  return Out;
}

//===----------------------------------------------------------------------===//
// Kinds, steps, layers, threads, processes
//===----------------------------------------------------------------------===//

static std::vector<Section> kindSections(const Facts &F) {
  std::vector<Section> Out;
  ArrayRef<KindSum> Left = F.O.Kinds;
  while (!Left.empty()) {
    uint32_t Heap = Left.front().Heap;
    ArrayRef<KindSum> Of =
        Left.take_while([&](const KindSum &K) { return K.Heap == Heap; });
    Left = Left.drop_front(Of.size());
    uint64_t Peak = F.S.heapTotals(Heap).PeakBytes;
    Table T({{"kind", Side::Left},
             {"bytes", Side::Right},
             {"share", Side::Right},
             {"blocks", Side::Right},
             {"largest layer", Side::Left, true}});
    for (const KindSum &K : Of) {
      auto Named =
          find_if(K.Layers, [](const KindSum::Layer &L) { return L.Name; });
      std::string Layer;
      if (Named != K.Layers.end())
        Layer = F.T.string(Named->Name).str() + " " + formatSize(Named->Bytes);
      T.add({kindName(K.Kind), formatSize(K.Bytes), formatShare(K.Bytes, Peak),
             formatCount(K.Blocks), Layer});
    }
    Section S;
    S.Title = "Tensors at the peak of " + F.heapName(Heap).str() + ", " +
              formatSize(Peak);
    S.Titled = true;
    S.Rows = std::move(T);
    Out.push_back(std::move(S));
  }
  return Out;
}

/// Of many steps those that say most: with the highest peak, with the largest
/// growth, the slowest, and the first and last ones. Sorted as they came.
static std::vector<size_t> tellingSteps(ArrayRef<StepTotals> Steps,
                                        size_t Most) {
  std::vector<size_t> Out;
  auto Add = [&](size_t At) {
    if (Out.size() < Most && !is_contained(Out, At))
      Out.push_back(At);
  };
  auto Highest = [&](auto Of) {
    size_t Best = 0;
    for (size_t I = 1; I != Steps.size(); ++I)
      if (Of(Steps[I]) > Of(Steps[Best]))
        Best = I;
    return Best;
  };
  Add(Highest([](const StepTotals &S) { return S.PeakBytes; }));
  Add(Highest([](const StepTotals &S) { return growthOf(S); }));
  Add(Highest([](const StepTotals &S) { return S.EndNs - S.BeginNs; }));
  for (size_t I = 0; I != Steps.size() && Out.size() < Most; ++I) {
    Add(Steps.size() - 1 - I);
    Add(I);
  }
  sort(Out);
  return Out;
}

static std::optional<Section> stepSection(const Facts &F) {
  ArrayRef<StepTotals> Steps = F.O.Steps;
  if (Steps.empty())
    return std::nullopt;
  bool HasImages = any_of(Steps, [&](const StepTotals &S) {
    return S.Image != Steps.front().Image;
  });
  std::vector<Table::Column> Columns = {
      {"step", Side::Right},     {"begin", Side::Right},
      {"took", Side::Right},     {"peak", Side::Right},
      {"growth", Side::Right},   {"allocations", Side::Right},
      {"allocated", Side::Right}};
  if (HasImages)
    Columns.push_back({"process", Side::Left, true});
  Table T(Columns);
  for (size_t At : tellingSteps(Steps, F.shown(Steps.size(), 5))) {
    const StepTotals &S = Steps[At];
    std::vector<std::string> Row = {
        std::to_string(S.Step),
        formatTime(S.BeginNs),
        formatTime(S.EndNs > S.BeginNs ? S.EndNs - S.BeginNs : 0),
        formatSize(S.PeakBytes),
        formatSizeChange(growthOf(S)),
        formatCount(S.Allocations),
        formatSize(S.AllocatedBytes)};
    if (HasImages)
      Row.push_back(F.T.processName(S.Image).str());
    T.add(std::move(Row));
  }
  Section Out;
  Out.Title = "Steps";
  Out.Rows = std::move(T);
  size_t Shown = F.shown(Steps.size(), 5);
  if (Shown < Steps.size())
    Out.Notes.push_back(
        "of " + plural(Steps.size(), "step") +
        ": the highest peak, the largest growth, the slowest, first and last");
  return Out;
}

static std::optional<Section> layerSection(const Facts &F) {
  ArrayRef<LayerTotals> Layers = F.O.Layers;
  if (Layers.empty())
    return std::nullopt;
  bool HasReserved = any_of(
      Layers, [](const LayerTotals &L) { return L.ReservedPeakBytes != 0; });
  std::vector<Table::Column> Columns = {{"layer", Side::Left, true},
                                        {"peak", Side::Right}};
  if (HasReserved) {
    Columns.push_back({"reserved", Side::Right});
    Columns.push_back({"unused", Side::Right});
  }
  for (const char *Title : {"allocations", "frees", "calls", "CPU time"})
    Columns.push_back({Title, Side::Right});
  Table T(Columns);
  for (const LayerTotals &L : Layers.take_front(F.shown(Layers.size(), 5))) {
    std::vector<std::string> Row = {F.T.string(L.Name).str() +
                                        (L.Backward ? " (backward)" : ""),
                                    formatSize(L.PeakBytes)};
    if (HasReserved) {
      bool Known = L.ReservedPeakBytes != 0;
      Row.push_back(Known ? formatSize(L.ReservedPeakBytes) : "");
      Row.push_back(Known ? formatShare(L.FragmentationPpm) : "");
    }
    Row.push_back(formatCount(L.Allocations));
    Row.push_back(formatCount(L.Frees));
    Row.push_back(formatCount(L.Calls));
    Row.push_back(formatTime(L.DurationNs));
    T.add(std::move(Row));
  }
  Section Out;
  Out.Title = "Layers";
  size_t Shown = F.shown(Layers.size(), 5);
  if (Shown < Layers.size())
    Out.Notes.push_back("of " + plural(Layers.size(), "layer") +
                        ", forward and backward; memdump --layers has all");
  Out.Rows = std::move(T);
  return Out;
}

static std::optional<Section> threadSection(const Facts &F) {
  ArrayRef<ThreadTotals> Threads = F.O.Threads;
  if (Threads.size() < 2)
    return std::nullopt;
  uint64_t Bytes = 0;
  for (const ThreadTotals &T : Threads)
    Bytes += T.AllocatedBytes;
  Table T({{"thread", Side::Right},
           {"allocated", Side::Right},
           {"share", Side::Right},
           {"allocations", Side::Right},
           {"name", Side::Left},
           {"process", Side::Left, true}});
  for (const ThreadTotals &Sum :
       Threads.take_front(F.shown(Threads.size(), 3))) {
    const Thread &Th = F.T.threads()[Sum.Thread - 1];
    T.add({std::to_string(Th.Tid), formatSize(Sum.AllocatedBytes),
           formatShare(Sum.AllocatedBytes, Bytes), formatCount(Sum.Allocations),
           F.T.string(Th.Name).str(),
           Th.Image ? F.T.processName(Th.Image).str() : ""});
  }
  Section Out;
  Out.Title = "Threads";
  Out.Rows = std::move(T);
  if (size_t Left = Threads.size() - F.shown(Threads.size(), 3))
    Out.Notes.push_back(plural(Left, "thread") +
                        " with less; --top=0 shows all");
  return Out;
}

static std::string endText(const Image &I, const ImageTotals *T,
                           StringRef WhyNot) {
  if (!I.Recorded)
    return ("not recorded: " + WhyNot).str();
  if (!T || !T->Ended)
    return "not ended";
  if (T->Signal)
    return "signal " + std::to_string(T->Signal);
  return T->ExitStatus < 0 ? "ended" : "exit " + std::to_string(T->ExitStatus);
}

static std::optional<Section> processSection(const Facts &F) {
  struct Row {
    uint32_t Image;
    uint64_t Peak;
  };
  std::vector<Row> Rows;
  for (uint32_t Id = 1; Id <= F.S.Images.size(); ++Id) {
    const ImageTotals *T = F.S.imageTotals(Id);
    if (F.Sel.hasImage(Id))
      Rows.push_back({Id, T ? T->PeakBytes : 0});
  }
  if (Rows.size() < 2)
    return std::nullopt;
  stable_sort(Rows, [](Row A, Row B) { return A.Peak > B.Peak; });
  size_t Shown = F.shown(Rows.size(), 5);
  Table T({{"pid", Side::Right},
           {"peak", Side::Right},
           {"live at end", Side::Right},
           {"max RSS", Side::Right},
           {"max PSS", Side::Right},
           {"process", Side::Left, true},
           {"end", Side::Left}});
  auto Sampled = [](uint64_t Bytes) {
    return Bytes ? formatSize(Bytes) : std::string();
  };
  for (const Row &R : ArrayRef(Rows).take_front(Shown)) {
    const Image &I = F.S.Images[R.Image - 1];
    const ImageTotals *Sum = F.S.imageTotals(R.Image);
    T.add({std::to_string(I.Pid), formatSize(R.Peak),
           Sum ? formatSize(Sum->LiveBytes) : "",
           Sum ? Sampled(Sum->RssPeakBytes) : "",
           Sum ? Sampled(Sum->PssPeakBytes) : "",
           F.T.processName(R.Image).str(),
           endText(I, Sum, F.S.string(I.WhyNot))});
  }
  Section Out;
  Out.Title = "Processes";
  Out.Rows = std::move(T);
  if (size_t Left = Rows.size() - Shown)
    Out.Notes.push_back(formatCount(Left) + " more; --top=0 shows all");
  return Out;
}

std::vector<Section> makePage(const Facts &F, bool WithTimeline,
                              unsigned Width) {
  std::vector<Section> Page = {headSection(F)};
  auto Add = [&](std::optional<Section> S) {
    if (S)
      Page.push_back(std::move(*S));
  };
  Add(adviceSection(F));
  if (WithTimeline)
    Page.push_back(timelineSection(F, Width));
  Page.push_back(heapSection(F));
  append_range(Page, peakSections(F));
  append_range(Page, kindSections(F));
  Add(reservedSection(F));
  Add(gapSection(F));
  Add(sizeSection(F));
  // These are of all heaps.
  if (F.OfHeaps)
    return Page;
  Add(stepSection(F));
  Add(layerSection(F));
  Add(threadSection(F));
  Add(processSection(F));
  return Page;
}

} // namespace memkit
