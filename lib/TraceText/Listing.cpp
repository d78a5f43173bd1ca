// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events and marks for people.

#include "Model/Stacks/FrameText.h"
#include "Printers.h"
#include "SectionLines.h"
#include "Support/CommandText.h"
#include "memkit/Model/Trace.h"
#include "memkit/Support/Format.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace memkit {

namespace {

using tracetext::EventRow;

/// Prints events and marks, a line each. A stack is printed once, below the
/// first line with its number: the listing stays small, and `/stack 7:` finds
/// the stack in a pager.
class Listing final : public SectionVisitor {
public:
  /// Given: the names of the whole file, so that a name found late appears in
  /// earlier lines too. Null: only names defined so far appear.
  Listing(raw_ostream &OS, bool AllFrames, std::unique_ptr<Trace> Given)
      : OS(OS), Growing(Given ? nullptr : Trace::createGrowing("trace")),
        Whole(std::move(Given)), Names(Whole ? *Whole : *Growing) {
    if (!AllFrames)
      Names.foldFrames();
  }

  Error visit(const SectionInfo &, const Header &Given) override {
    Header H = harmlessHeader(Given);
    OS << "command " << commandText(H.Command) << "\n";
    if (!H.Host.empty())
      OS << "host    " << H.Host << "\n";
    if (H.Rank >= 0)
      OS << "rank    " << H.Rank << " of " << H.WorldSize << "\n";
    OS << "\n";
    return Error::success();
  }

  Error visit(const SectionInfo &Info, const Dictionary &D) override {
    take(Info, D);
    return Error::success();
  }

  Error visit(const SectionInfo &Info, const Summary &S) override {
    take(Info, S);
    return Error::success();
  }

  Error visit(const SectionInfo &, const Events &E) override {
    uint64_t AllocationId = E.FirstAllocationId;
    for (size_t I = 0; I < E.Rows.size(); ++I) {
      EventRow R = tracetext::eventRow(E, I, AllocationId);
      event(E.Process, R);
      AllocationId +=
          R.E.Kind == EventKind::Allocate || R.E.Kind == EventKind::Split;
    }
    OS.flush();
    return Error::success();
  }

  Error visit(const SectionInfo &, const Marks &M) override {
    for (const Mark &R : M.Rows)
      mark(R);
    OS.flush();
    return Error::success();
  }

private:
  /// Adds definitions to a stream's names. Nothing is added after an invalid
  /// section, since the ids of all later definitions would be wrong.
  template <class SectionT>
  void take(const SectionInfo &Info, const SectionT &Section) {
    if (!Growing || IsBroken)
      return;
    if (Error E = Growing->add(Info, Section)) {
      IsBroken = true;
      OS << "names that come from here on are not known: "
         << toString(std::move(E)) << '\n';
    }
  }

  /// Seconds with the format's resolution.
  void time(uint64_t Ns) {
    OS << format("%6llu.%07llu", (unsigned long long)(Ns / 1000000000),
                 (unsigned long long)(Ns % 1000000000 / TimeUnitNs));
  }

  void begin(uint64_t Ns, uint32_t Process, uint32_t Thread) {
    time(Ns);
    // Print the process only in traces of several processes.
    if (Names.processes().size() > 1 && Process) {
      OS << "  process " << Process;
      if (StringRef Name = Names.processName(Process); !Name.empty())
        OS << " (" << Name << ')';
    }
    if (Thread)
      OS << "  thread " << Names.tid(Thread);
  }

  void event(uint32_t Process, const EventRow &R) {
    const Event &E = R.E;
    begin(E.TimeNs, Process, E.Thread);
    OS << "  " << left_justify(enumName(E.Kind), 6) << "  #" << E.Block;
    if (E.Kind == EventKind::Split)
      OS << " into #" << R.Into;
    if (E.Kind != EventKind::Free)
      OS << "  " << formatSize(E.Size);
    if (E.Kind == EventKind::Allocate)
      allocation(R);
    OS << '\n';
    if (E.Kind == EventKind::Allocate)
      stack(E.Stack);
  }

  void allocation(const EventRow &R) {
    OS << "  " << Names.heapName(R.E.Heap);
    if (R.Address)
      OS << "  at " << format_hex(R.Address, 0);
    if (R.Enclosing)
      OS << "  in #" << R.Enclosing - 1;
    if (R.Requested)
      OS << "  requested " << formatSize(R.Requested);
    if (R.Stream)
      OS << "  stream " << R.Stream;
    if (R.Pool)
      OS << "  pool " << R.Pool;
    if (R.E.Stack)
      OS << "  stack " << R.E.Stack;
    if (R.E.ScopePath)
      OS << "  " << Names.scopePathText(R.E.ScopePath);
  }

  void stack(uint32_t Id) {
    if (!Id || Id > Names.numStacks())
      return;
    Shown.resize(Names.numStacks() + 1);
    if (Shown[Id])
      return;
    Shown[Id] = true;
    OS << "    stack " << Id << ":\n";
    // A recursion may have a stack of each of ten thousand depths.
    constexpr size_t Max = 1000;
    std::vector<ShownFrame> Frames = Names.shownStack(Id, Max + 1);
    for (const ShownFrame &F : ArrayRef(Frames).take_front(Max))
      OS << "      " << frameText(F, 0) << '\n';
    if (Frames.size() > Max)
      OS << "      ... more callers (1,000 frames are shown)\n";
  }

  /// By value of DeviceUsed.
  static constexpr const char *Uses[] = {
      "",         "",        "accounted ", "contexts ",
      "modules ", "others ", "own ",       "available on the machine "};

  /// The mark is of all pools of a heap, of a trim, or of one pool.
  void reserved(const Mark &M) {
    OS << "  " << Names.heapName(M.Heap);
    for (size_t I = 0; I != M.Values.size(); ++I) {
      if (I == 2 && M.Values[I] == UnknownBytes)
        continue;
      if (I == 3)
        OS << "  " << (M.Id ? "pool " + std::to_string(M.Id) : "own pool");
      OS << (I == 2 ? "  trimmed " : "  ") << formatSize(M.Values[I]);
    }
    OS << '\n';
  }

  /// The parts of resident memory, without those of 0 bytes.
  void resident(const Mark &M) {
    static constexpr StringLiteral More[] = {"swapped", "untouched",
                                             "in free pages", "arenas"};
    static_assert(std::size(More) == NumResidentValues);
    static constexpr std::pair<ResidentFlags, StringLiteral> Causes[] = {
        {RF_Alert, "at an alert"}, {RF_Step, "at a step"}, {RF_End, "at exit"}};
    for (auto [Flag, Text] : Causes)
      if (M.Id & Flag)
        OS << "  " << Text;
    for (size_t I = 0; I != M.Values.size(); ++I) {
      size_t Next = I - NumFirstParts;
      size_t Part = I < NumFirstParts ? I : I - NumResidentValues;
      uint64_t V = M.Values[I];
      if (!V || V == UnknownBytes)
        continue;
      bool IsPart = I < NumFirstParts || Next >= NumResidentValues;
      if (IsPart && Part < NumResidentParts)
        OS << "  " << enumName(ResidentPart(Part)) << ' ' << formatSize(V);
      else if (!IsPart)
        OS << "  " << More[Next] << ' '
           << (Next == size_t(ResidentValue::Arenas) ? std::to_string(V)
                                                     : formatSize(V));
    }
    OS << '\n';
  }

  /// An arena of malloc, or the mappings of a stack.
  void residentPiece(const Mark &M) {
    static constexpr StringLiteral OfArena[] = {"at ", "", "live ",
                                                "in whole free pages "};
    static constexpr StringLiteral OfMapping[] = {"", "of ", "in ", "written "};
    bool IsArena = M.Id == uint64_t(ResidentPart::MallocFree);
    ArrayRef<StringLiteral> Labels =
        IsArena ? ArrayRef(OfArena) : ArrayRef(OfMapping);
    if (M.Id < NumResidentParts)
      OS << "  " << (IsArena ? "arena" : enumName(ResidentPart(M.Id)));
    for (size_t I = 0; I != std::min(M.Values.size(), Labels.size()); ++I) {
      uint64_t V = M.Values[I];
      OS << "  " << Labels[I]
         << (IsArena && I == 0 ? "0x" + utohexstr(V, true)
             : !IsArena && I == 2
                 ? std::to_string(V) + (V == 1 ? " mapping" : " mappings")
                 : formatSize(V));
    }
    if (M.Name)
      OS << "  " << Names.string(M.Name);
    if (M.Stack)
      OS << "  stack " << M.Stack;
    OS << '\n';
    stack(M.Stack);
  }

  /// What an allocator said of itself.
  void allocator(const Mark &M) {
    static constexpr StringLiteral Labels[] = {
        "in use ", "free ", "in mappings of their own ", "from the system "};
    if (M.Name)
      OS << "  " << Names.string(M.Name);
    if (M.Id)
      OS << "  arena " << M.Id - 1;
    for (size_t I = 0; I != std::min(M.Values.size(), std::size(Labels)); ++I)
      if (M.Values[I] != UnknownBytes)
        OS << "  " << Labels[I] << formatSize(M.Values[I]);
    OS << '\n';
  }

  void sampleCost(const Mark &M) {
    if (M.Values.size() > 2)
      OS << "  " << M.Values[0] << (M.Values[0] == 1 ? " sample" : " samples")
         << " of resident memory  " << formatTime(M.Values[1])
         << " of processor time  in " << formatTime(M.Values[2]);
    OS << '\n';
  }

  void program(const Mark &M) {
    static constexpr StringLiteral Labels[NumProgramValues] = {
        "arguments ", "outputs ", "aliased ", "temporary ",
        "code ",      "peak ",    "flops ",   "accessed "};
    if (M.Name)
      OS << "  " << Names.string(M.Name);
    for (size_t I = 0; I != std::min(M.Values.size(), std::size(Labels)); ++I)
      if (M.Values[I] != UnknownBytes)
        OS << "  " << Labels[I]
           << (I == size_t(ProgramValue::Flops) ? formatCount(M.Values[I])
                                                : formatSize(M.Values[I]));
    OS << '\n';
  }

  void arrays(const Mark &M) {
    if (M.Name)
      OS << "  " << Names.string(M.Name);
    if (M.Values.size() > 1)
      OS << "  " << formatCount(M.Values[0])
         << (M.Values[0] == 1 ? " array  " : " arrays  ")
         << formatSize(M.Values[1]);
    OS << '\n';
  }

  void mark(const Mark &M) {
    begin(M.TimeNs, M.Process, M.Thread);
    OS << "  " << enumName(M.Kind);
    if (M.Kind == MarkKind::HeapReserved)
      return reserved(M);
    if (M.Kind == MarkKind::Resident)
      return resident(M);
    if (M.Kind == MarkKind::Allocator)
      return allocator(M);
    if (M.Kind == MarkKind::SampleCost)
      return sampleCost(M);
    if (M.Kind == MarkKind::Recorder && M.Values.size() > 1) {
      OS << "  " << formatSize(M.Values[0]) << "  " << formatTime(M.Values[1])
         << '\n';
      return;
    }
    if (M.Kind == MarkKind::Program)
      return program(M);
    if (M.Kind == MarkKind::Arrays)
      return arrays(M);
    if (M.Kind == MarkKind::ResidentPiece)
      return residentPiece(M);
    bool IsSizes = M.Kind == MarkKind::Rss || M.Kind == MarkKind::Pss ||
                   M.Kind == MarkKind::DeviceUsed || M.Kind == MarkKind::Oom;
    if (M.Kind == MarkKind::Loss && M.Id < NumLossKinds)
      OS << "  " << enumName(LossKind(M.Id));
    else if (M.Id)
      OS << "  " << M.Id;
    if (M.Name)
      OS << "  " << Names.string(M.Name);
    if (M.Heap)
      OS << "  " << Names.heapName(M.Heap);
    for (size_t I = 0; I != M.Values.size(); ++I) {
      uint64_t V = M.Values[I];
      bool IsUse = M.Kind == MarkKind::DeviceUsed && I < std::size(Uses);
      OS << "  " << (IsUse ? Uses[I] : "")
         << (IsUse && I > 1 && V == UnknownBytes ? "unknown"
             : IsSizes                           ? formatSize(V)
                                                 : std::to_string(V));
    }
    if (M.Stack)
      OS << "  stack " << M.Stack;
    if (M.ScopePath)
      OS << "  " << Names.scopePathText(M.ScopePath);
    OS << '\n';
    stack(M.Stack);
  }

  raw_ostream &OS;
  std::unique_ptr<Trace> Growing, Whole; ///< one of the two is set
  Trace &Names;
  bool IsBroken = false;
  std::vector<bool> Shown; ///< by stack
};

} // namespace

std::unique_ptr<SectionVisitor> createListing(raw_ostream &OS, bool AllFrames,
                                              std::unique_ptr<Trace> Names) {
  return std::make_unique<Listing>(OS, AllFrames, std::move(Names));
}

} // namespace memkit
