// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What resident memory consists of.

#include "Report/ResidentSentences.h"
#include "Sections.h"
#include "Support/CommandText.h"
#include "Support/Json.h"
#include "TraceText/EnumNames.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace memkit {

using Side = Table::Side;

/// The line of the user's code, or the stack in short; empty: no stack.
static std::string whereText(const PageInput &F, uint32_t Stack) {
  if (!Stack)
    return "";
  if (!F.O.Where)
    return stackInShort(F.T, Stack);
  Place P = F.O.Where->place(F.O.Where->of(Stack));
  P.IsSampled = false; // as all that a sample tells
  return F.O.Where->text(P);
}

/// `at 2.1 s`, `alert at 2.1 s`.
static std::string sampleTitle(const ResidentSample &S) {
  const char *Why = S.Why & RF_End     ? "exit at "
                    : S.Why & RF_Alert ? "alert at "
                    : S.Why & RF_Step  ? "step at "
                                       : "at ";
  return Why + formatTime(S.TimeNs);
}

/// The highest sample first; then by time the last ones of alerts and steps,
/// the last one, and that of the exit.
static std::vector<const ResidentSample *>
shownSamples(const ResidentSeries &Of) {
  constexpr size_t MaxAsked = 3;
  std::vector<const ResidentSample *> Shown = {&Of.highest()};
  auto Add = [&](const ResidentSample &S) {
    if (none_of(Shown, [&](auto *O) { return O->TimeNs == S.TimeNs; }))
      Shown.push_back(&S);
  };
  for (const ResidentSample &S : ArrayRef(Of.asked()).take_back(MaxAsked))
    Add(S);
  Add(Of.last());
  if (const ResidentSample *S = Of.atExit())
    Add(*S);
  stable_sort(MutableArrayRef(Shown).drop_front(),
              [](auto *A, auto *B) { return A->TimeNs < B->TimeNs; });
  return Shown;
}

static PageSection partsSection(const PageInput &F, uint32_t Process,
                                const ResidentSeries &Of) {
  const ResidentSample &Last = Of.last();
  std::vector<const ResidentSample *> Shown = shownSamples(Of);
  std::vector<Table::Column> Columns = {
      {"resident: " + oneLine(F.T.processName(Process)), Side::Left, true}};
  for (const ResidentSample *S : Shown) {
    Columns.push_back({sampleTitle(*S), Side::Right});
    if (S == Shown.front())
      Columns.push_back({"share", Side::Right});
  }
  Table T(Columns);
  auto Add = [&](StringRef Name, auto Value, bool HasShare = false) {
    if (none_of(Shown, [&](const ResidentSample *S) { return Value(*S); }))
      return;
    std::vector<std::string> Row = {Name.str()};
    for (const ResidentSample *S : Shown) {
      Row.push_back(formatSize(Value(*S)));
      if (S == Shown.front())
        Row.push_back(HasShare ? formatShare(Value(*S), S->total()) : "");
    }
    T.add(std::move(Row));
  };
  using Sample = const ResidentSample &;
  for (size_t I = 0; I != NumResidentParts; ++I)
    Add(
        residentPartName(ResidentPart(I)), [I](Sample S) { return S.Bytes[I]; },
        true);
  Add("together", [](Sample S) { return S.total(); });
  Add("swapped out", [](Sample S) { return S.Swapped; });
  Add("live, never touched", [](Sample S) { return S.Untouched; });
  PageSection Out;
  Out.Rows = std::move(T);
  if (Last.IsSampled)
    Out.Notes.push_back("malloc is sampled: its live blocks are an estimate");
  if (Last.HasUnknown)
    Out.Notes.push_back("not all blocks of malloc are recorded: its free "
                        "memory has live blocks, too");
  return Out;
}

static std::optional<PageSection> arenaSection(const PageInput &F,
                                               const ResidentSample &S) {
  constexpr size_t Useful = 8;
  if (S.Arenas.empty())
    return std::nullopt;
  Table T({{"arena of malloc", Side::Left},
           {"resident", Side::Right},
           {"live", Side::Right},
           {"pages without a block", Side::Right},
           {"block at its top", Side::Left, true}});
  size_t Shown = F.shown(S.Arenas.size(), Useful);
  for (const ResidentSample::ResidentArena &A :
       ArrayRef(S.Arenas).take_front(Shown))
    T.add({"0x" + utohexstr(A.Begin, true), formatSize(A.Resident),
           formatSize(A.Live), formatSize(A.PagesFree), whereText(F, A.Stack)});
  PageSection Out;
  Out.Rows = std::move(T);
  if (S.NumArenas > Shown)
    Out.Notes.push_back(
        plural(S.NumArenas - Shown, "arena") + " with less" +
        (S.Arenas.size() > Shown ? "; --top=0 shows more" : ""));
  if (S.FreePages)
    Out.Notes.push_back("malloc_trim(0) gives back the " +
                        formatSize(S.FreePages) +
                        " of pages without a block; else malloc gives back "
                        "what is above the block at the top");
  return Out;
}

/// The mappings of one place and one part.
static std::vector<ResidentSample::ResidentMappings>
sumByPlace(const PageInput &F, const ResidentSample &S) {
  StringMap<size_t> Index;
  std::vector<ResidentSample::ResidentMappings> Sums;
  for (const ResidentSample::ResidentMappings &M : S.Mappings) {
    std::string Key = whereText(F, M.Stack) + char('a' + int(M.Part));
    auto [It, New] = Index.try_emplace(Key, Sums.size());
    if (New) {
      Sums.push_back(M);
      continue;
    }
    Sums[It->second].Resident += M.Resident;
    Sums[It->second].Size += M.Size;
    Sums[It->second].Count += M.Count;
  }
  stable_sort(Sums, [](const auto &A, const auto &B) {
    return A.Resident > B.Resident;
  });
  return Sums;
}

static std::string mappingText(const PageInput &F,
                               const ResidentSample::ResidentMappings &M) {
  std::string Where = whereText(F, M.Stack);
  switch (M.Part) {
  case ResidentPart::Stack:
    return "stacks of threads, " + Where;
  case ResidentPart::Reserved:
    return Where + " (MAP_NORESERVE)";
  case ResidentPart::ObjectFree:
    return Where + " (with Python objects)";
  default:
    return Where;
  }
}

static std::optional<PageSection> mappingSection(const PageInput &F,
                                                 const ResidentSample &S) {
  constexpr size_t Useful = 8;
  if (S.Mappings.empty())
    return std::nullopt;
  Table T({{"mappings of", Side::Left, true},
           {"resident", Side::Right},
           {"size", Side::Right},
           {"mappings", Side::Right}});
  std::vector<ResidentSample::ResidentMappings> Sums = sumByPlace(F, S);
  size_t Shown = F.shown(Sums.size(), Useful);
  for (const auto &M : ArrayRef(Sums).take_front(Shown))
    T.add({mappingText(F, M), formatSize(M.Resident), formatSize(M.Size),
           formatCount(M.Count)});
  PageSection Out;
  Out.Rows = std::move(T);
  return Out;
}

static std::optional<PageSection> fileSection(const PageInput &F,
                                              const ResidentSample &S) {
  constexpr size_t Useful = 6;
  if (S.Files.empty())
    return std::nullopt;
  Table T({{"binaries and files", Side::Left, true},
           {"resident", Side::Right},
           {"written", Side::Right},
           {"size", Side::Right}});
  for (const ResidentSample::ResidentFile &Of :
       ArrayRef(S.Files).take_front(F.shown(S.Files.size(), Useful)))
    T.add({oneLine(sys::path::filename(F.T.string(Of.Name))),
           formatSize(Of.Resident), formatSize(Of.Written),
           formatSize(Of.Size)});
  PageSection Out;
  Out.Rows = std::move(T);
  return Out;
}

std::vector<PageSection> residentSections(const PageInput &F) {
  std::vector<PageSection> Out;
  constexpr size_t MaxProcesses = 3;
  std::vector<uint32_t> Order;
  for (uint32_t P = 1; P < F.O.Residents.size(); ++P)
    if (F.Sel.hasProcess(P) && !F.O.Residents[P].empty())
      Order.push_back(P);
  stable_sort(Order, [&](uint32_t A, uint32_t B) {
    return F.O.Residents[A].highest().total() >
           F.O.Residents[B].highest().total();
  });
  for (uint32_t P :
       ArrayRef(Order).take_front(F.shown(Order.size(), MaxProcesses))) {
    const ResidentSeries &Of = F.O.Residents[P];
    Out.push_back(partsSection(F, P, Of));
    if (std::optional<PageSection> S = arenaSection(F, Of.highest()))
      Out.push_back(std::move(*S));
    if (std::optional<PageSection> S = mappingSection(F, Of.highest()))
      Out.push_back(std::move(*S));
    if (std::optional<PageSection> S = fileSection(F, Of.highest()))
      Out.push_back(std::move(*S));
  }
  append_range(Out, allocatorSections(F));
  if (!Out.empty() && F.O.Costs)
    Out.back().Notes.push_back(sampleCostText(*F.O.Costs));
  std::string Own = recorderText(F.O.Recorder);
  if (!Out.empty() && !Own.empty())
    Out.back().Notes.push_back(Own);
  return Out;
}

static void writeParts(json::OStream &J, ArrayRef<uint64_t> Bytes) {
  for (size_t I = 0; I != NumResidentParts; ++I)
    J.attribute(enumName(ResidentPart(I)), Bytes[I]);
}

static void writeSample(json::OStream &J, const PageInput &F,
                        const ResidentSample &S) {
  J.attribute("time_ns", S.TimeNs);
  J.attribute("bytes", S.total());
  J.attribute("swapped_bytes", S.Swapped);
  J.attribute("untouched_bytes", S.Untouched);
  J.attribute("free_page_bytes", S.FreePages);
  J.attribute("arena_count", S.NumArenas);
  J.attribute("malloc_is_estimate", S.IsSampled);
  J.attribute("malloc_has_unknown_blocks", S.HasUnknown);
  J.attributeObject("parts", [&] { writeParts(J, S.Bytes); });
  J.attributeArray("arenas", [&] {
    for (const ResidentSample::ResidentArena &A : S.Arenas)
      J.object([&] {
        J.attribute("address", A.Begin);
        J.attribute("resident_bytes", A.Resident);
        J.attribute("live_bytes", A.Live);
        J.attribute("free_page_bytes", A.PagesFree);
        J.attribute("pieces", A.Pieces);
        J.attribute("top", jsonText(whereText(F, A.Stack)));
      });
  });
  J.attributeArray("mappings", [&] {
    for (const ResidentSample::ResidentMappings &M : S.Mappings)
      J.object([&] {
        J.attribute("part", enumName(M.Part));
        J.attribute("resident_bytes", M.Resident);
        J.attribute("bytes", M.Size);
        J.attribute("mappings", M.Count);
        J.attribute("place", jsonText(whereText(F, M.Stack)));
      });
  });
  J.attributeArray("files", [&] {
    for (const ResidentSample::ResidentFile &Of : S.Files)
      J.object([&] {
        J.attribute("part", enumName(Of.Part));
        J.attribute("path", jsonText(F.T.string(Of.Name)));
        J.attribute("resident_bytes", Of.Resident);
        J.attribute("written_bytes", Of.Written);
        J.attribute("bytes", Of.Size);
        J.attribute("mappings", Of.Count);
      });
  });
}

static void writePoint(json::OStream &J, const ResidentPoint &P) {
  J.attribute("time_ns", P.TimeNs);
  J.attribute("alert", (P.Why & RF_Alert) != 0);
  J.attribute("step", (P.Why & RF_Step) != 0);
  J.attribute("exit", (P.Why & RF_End) != 0);
  J.attribute("swapped_bytes", P.Swapped);
  J.attributeObject("parts", [&] { writeParts(J, P.Bytes); });
}

void writeResidentJson(json::OStream &J, const PageInput &F) {
  J.attributeArray("resident", [&] {
    for (uint32_t P = 1; P < F.O.Residents.size(); ++P) {
      const ResidentSeries &Of = F.O.Residents[P];
      if (Of.empty() || !F.Sel.hasProcess(P))
        continue;
      J.object([&] {
        J.attribute("process", P);
        J.attributeObject("highest", [&] { writeSample(J, F, Of.highest()); });
        J.attributeObject("last", [&] { writeSample(J, F, Of.last()); });
        if (const ResidentSample *S = Of.atExit())
          J.attributeObject("exit", [&] { writeSample(J, F, *S); });
        J.attributeArray("samples", [&] {
          for (const ResidentPoint &P : Of.points())
            J.object([&] { writePoint(J, P); });
        });
      });
    }
  });
  writeAllocatorJson(J, F);
}

} // namespace memkit
