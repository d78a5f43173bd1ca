// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace, section by section.

#include "memkit/Trace/TraceWriter.h"
#include "Encode.h"
#include "EventTail.h"
#include "Frames.h"
#include "IndexLog.h"
#include "SectionCover.h"

using namespace memkit;
using namespace llvm;

class TraceWriter::Impl {
public:
  Impl(Sink &Out, Sink *Copy) : Out(Out), Copy(Copy) {}

  template <class T> Error put(SectionKind Kind, const T &Section) {
    if (Error E = begin(Kind, Section))
      return E;
    return complete();
  }

  /// Encodes Section; step() does the remaining work.
  template <class T> Error begin(SectionKind Kind, const T &Section) {
    assert(Next == WriteStep::None && "a section is under way");
    note(Kind, Section);
    return startCompression(Encode.encode(Section));
  }
  void beginEvents(const EventLog &L) {
    assert(Next == WriteStep::None && "a section is under way");
    note(SectionKind::Events, L);
    Log = &L;
    Next = WriteStep::Plan;
  }
  template <class T> void note(SectionKind Kind, const T &Section) {
    Info = sectionCover(Section);
    Info.Kind = Kind;
  }
  Error startCompression(Bytes Raw);
  Error step();
  Error complete() {
    while (Next != WriteStep::None)
      if (Error E = step())
        return E;
    return Error::success();
  }

  static bool isOfEvents(SectionKind K) {
    return K == SectionKind::Events || K == SectionKind::Snapshot ||
           K == SectionKind::BlockCategories || K == SectionKind::ScopeTimes ||
           K == SectionKind::DeviceSpans;
  }
  Error append(const SectionInfo &B, StringRef Frame);

  Error write(StringRef Bytes) {
    Written += Bytes.size();
    return Out.write(Bytes);
  }

  Error putDictionary(const Dictionary &D);
  template <class T>
  Error putParts(const std::vector<T> &All, std::vector<T> Dictionary::*Member,
                 size_t Max);
  Error putStringParts(const std::vector<std::string> &All);
  Error putStackParts(const Dictionary &D);
  Error putSeekTable();
  Error finish();

  Sink &Out;
  Sink *Copy;
  Encoder Encode;
  FrameCompressor Compressor;
  SmallVector<char, 0> Frame;
  // The section that is being written.
  enum class WriteStep { None, Plan, Gather, Finish, Compress, Write };
  WriteStep Next = WriteStep::None;
  const EventLog *Log = nullptr;
  SectionInfo Info;
  uint64_t Written = 0, EventBytes = 0, Copied = 0;
  EventTail *Tail = nullptr;
  bool Finished = false;
  IndexLog Sections;
};

Error TraceWriter::Impl::startCompression(Bytes Raw) {
  Next = WriteStep::None;
  if (Raw.size() > MaxSectionBytes)
    return createStringError(std::errc::value_too_large,
                             "a section of %zu bytes is too large to write",
                             Raw.size());
  Info.Raw = Raw.size();
  Compressor.start(Raw, Encode.cuts(), Frame);
  Next = WriteStep::Compress;
  return Error::success();
}

Error TraceWriter::Impl::step() {
  switch (Next) {
  case WriteStep::None:
    break;
  case WriteStep::Plan:
    Encode.planEvents(*Log);
    Next = WriteStep::Gather;
    break;
  case WriteStep::Gather:
    Encode.gatherEvents(*Log);
    Next = WriteStep::Finish;
    break;
  case WriteStep::Finish:
    return startCompression(Encode.finishEvents(*Log));
  case WriteStep::Compress:
    if (Compressor.step())
      Next = WriteStep::Write;
    break;
  case WriteStep::Write:
    Next = WriteStep::None;
    Info.Compressed = Frame.size();
    if (isOfEvents(Info.Kind))
      EventBytes += Info.Compressed;
    if (Tail && isOfEvents(Info.Kind))
      return Tail->take(Info, StringRef(Frame.data(), Frame.size()));
    return append(Info, StringRef(Frame.data(), Frame.size()));
  }
  return Error::success();
}

Error TraceWriter::Impl::append(const SectionInfo &B, StringRef Bytes) {
  if (Error E = write(Bytes))
    return E;
  if (Copy && !isOfEvents(B.Kind)) {
    if (Error E = Copy->write(Bytes))
      return E;
    Copied += Bytes.size();
  }
  Sections.add(B);
  return Error::success();
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> I) : I(std::move(I)) {}
TraceWriter::~TraceWriter() = default;

std::unique_ptr<TraceWriter> TraceWriter::resume(Sink &Out,
                                                 ArrayRef<SectionInfo> Known) {
  auto I = std::make_unique<Impl>(Out, nullptr);
  for (const SectionInfo &B : Known)
    I->Sections.add(B);
  return std::unique_ptr<TraceWriter>(new TraceWriter(std::move(I)));
}

Expected<std::unique_ptr<TraceWriter>>
TraceWriter::create(Sink &Out, const Header &H, Sink *Copy) {
  auto I = std::make_unique<Impl>(Out, Copy);
  if (Error E = I->put(SectionKind::Header, H))
    return std::move(E);
  return std::unique_ptr<TraceWriter>(new TraceWriter(std::move(I)));
}

//===----------------------------------------------------------------------===//
// Dictionaries that exceed a section's limits are written in parts, kind by
// kind: definitions stay before their use.
//===----------------------------------------------------------------------===//

namespace {
constexpr size_t MaxNodes = 4 * size_t(MaxSectionRows);
constexpr size_t MaxLocations = 4 * size_t(MaxSectionRows);
constexpr size_t MaxTextBytes = MaxSectionBytes / 4;
} // namespace

static bool fits(const Dictionary &D) {
  size_t Text = 0, Locations = 0, Small = 0;
  for (const std::string &S : D.Strings)
    Text += S.size();
  for (const FrameSymbols &S : D.Symbols)
    Locations += S.Locations.size();
  for (const ProcessRecord &I : D.Processes)
    Small += I.Command.size();
  for (size_t N : {D.Strings.size(), D.Devices.size(), D.Binaries.size(),
                   D.Functions.size(), D.Frames.size(), D.Stacks.size(),
                   D.Scopes.size(), D.ScopePaths.size(), D.Processes.size(),
                   D.Threads.size(), D.Heaps.size(), D.Loads.size(),
                   D.Symbols.size(), D.SourceLines.size(), Small})
    if (N > MaxSectionRows)
      return false;
  return Text <= MaxTextBytes && Locations <= MaxLocations &&
         D.NodeFrames.size() <= MaxNodes;
}

template <class T>
Error TraceWriter::Impl::putParts(const std::vector<T> &All,
                                  std::vector<T> Dictionary::*Member,
                                  size_t Max) {
  for (size_t I = 0; I < All.size(); I += Max) {
    Dictionary Part;
    (Part.*Member)
        .assign(All.begin() + I, All.begin() + std::min(I + Max, All.size()));
    if (Error E = put(SectionKind::Dictionary, Part))
      return E;
  }
  return Error::success();
}

Error TraceWriter::Impl::putStringParts(const std::vector<std::string> &All) {
  Dictionary Part;
  size_t Text = 0;
  for (const std::string &S : All) {
    if (!Part.Strings.empty() && (Text + S.size() > MaxTextBytes ||
                                  Part.Strings.size() == MaxSectionRows)) {
      if (Error E = put(SectionKind::Dictionary, Part))
        return E;
      Part.Strings.clear();
      Text = 0;
    }
    Text += S.size();
    Part.Strings.push_back(S);
  }
  return Part.Strings.empty() ? Error::success()
                              : put(SectionKind::Dictionary, Part);
}

Error TraceWriter::Impl::putStackParts(const Dictionary &D) {
  Dictionary Part;
  size_t Node = 0;
  for (const NewStack &S : D.Stacks) {
    if (!Part.Stacks.empty() &&
        (Part.Stacks.size() == MaxSectionRows ||
         Part.NodeFrames.size() + S.Length > MaxNodes)) {
      if (Error E = put(SectionKind::Dictionary, Part))
        return E;
      Part.Stacks.clear();
      Part.NodeFrames.clear();
    }
    Part.Stacks.push_back(S);
    auto Begin = D.NodeFrames.begin() + Node;
    Part.NodeFrames.insert(Part.NodeFrames.end(), Begin, Begin + S.Length);
    Node += S.Length;
  }
  return Part.Stacks.empty() ? Error::success()
                             : put(SectionKind::Dictionary, Part);
}

Error TraceWriter::Impl::putDictionary(const Dictionary &D) {
  if (fits(D))
    return put(SectionKind::Dictionary, D);
  // Few locations a frame are usual; 255 are allowed.
  constexpr size_t SymbolRows = MaxLocations / 255;
  if (Error E = putStringParts(D.Strings))
    return E;
  if (Error E = putParts(D.Devices, &Dictionary::Devices, 1024))
    return E;
  if (Error E = putParts(D.Binaries, &Dictionary::Binaries, MaxSectionRows))
    return E;
  if (Error E = putParts(D.Functions, &Dictionary::Functions, MaxSectionRows))
    return E;
  if (Error E = putParts(D.Frames, &Dictionary::Frames, MaxSectionRows))
    return E;
  if (Error E = putStackParts(D))
    return E;
  if (Error E = putParts(D.Scopes, &Dictionary::Scopes, MaxSectionRows))
    return E;
  if (Error E = putParts(D.ScopePaths, &Dictionary::ScopePaths, MaxSectionRows))
    return E;
  if (Error E = putParts(D.Processes, &Dictionary::Processes, 64))
    return E;
  if (Error E = putParts(D.Threads, &Dictionary::Threads, MaxSectionRows))
    return E;
  if (Error E = putParts(D.Heaps, &Dictionary::Heaps, MaxSectionRows))
    return E;
  if (Error E = putParts(D.Loads, &Dictionary::Loads, MaxSectionRows))
    return E;
  if (Error E =
          putParts(D.SourceLines, &Dictionary::SourceLines, MaxSectionRows))
    return E;
  return putParts(D.Symbols, &Dictionary::Symbols, SymbolRows);
}

Error TraceWriter::write(const Dictionary &D) { return I->putDictionary(D); }
Error TraceWriter::write(const Events &E) {
  return I->put(SectionKind::Events, E);
}
Error TraceWriter::write(const EventLog &L) {
  return I->put(SectionKind::Events, L);
}
Error TraceWriter::write(const Marks &M) {
  return I->put(SectionKind::Marks, M);
}
Error TraceWriter::write(const Intervals &S) {
  return I->put(SectionKind::Intervals, S);
}
Error TraceWriter::write(const Lifetimes &L) {
  return I->put(SectionKind::Lifetimes, L);
}
Error TraceWriter::write(const Snapshot &K) {
  return I->put(SectionKind::Snapshot, K);
}
Error TraceWriter::write(const Summary &S) {
  return I->put(SectionKind::Summary, S);
}
Error TraceWriter::write(const Partial &P) {
  return I->put(SectionKind::Partial, P);
}

Error TraceWriter::write(const BlockCategories &C) {
  return I->put(SectionKind::BlockCategories, C);
}
Error TraceWriter::write(const ScopeTimes &S) {
  return I->put(SectionKind::ScopeTimes, S);
}
Error TraceWriter::write(const DeviceSpans &S) {
  return I->put(SectionKind::DeviceSpans, S);
}

Error TraceWriter::copy(const AnySection &Section) {
  return std::visit(
      [this](const auto &S) -> Error {
        using T = std::decay_t<decltype(S)>;
        if constexpr (std::is_same_v<T, std::monostate> ||
                      std::is_same_v<T, Header> || std::is_same_v<T, Index>)
          return Error::success();
        else
          return write(S);
      },
      Section);
}

Error TraceWriter::begin(const EventLog &L) {
  I->beginEvents(L);
  return Error::success();
}
Error TraceWriter::begin(const Dictionary &D) {
  // A dictionary too large for one section, which is rare, is written at once.
  return fits(D) ? I->begin(SectionKind::Dictionary, D) : I->putDictionary(D);
}
Error TraceWriter::begin(const Marks &M) {
  return I->begin(SectionKind::Marks, M);
}
Error TraceWriter::begin(const Intervals &S) {
  return I->begin(SectionKind::Intervals, S);
}
Error TraceWriter::begin(const Snapshot &K) {
  return I->begin(SectionKind::Snapshot, K);
}
Error TraceWriter::begin(const Partial &P) {
  return I->begin(SectionKind::Partial, P);
}
Error TraceWriter::begin(const BlockCategories &C) {
  return I->begin(SectionKind::BlockCategories, C);
}
Error TraceWriter::begin(const ScopeTimes &S) {
  return I->begin(SectionKind::ScopeTimes, S);
}
Error TraceWriter::begin(const DeviceSpans &S) {
  return I->begin(SectionKind::DeviceSpans, S);
}
bool TraceWriter::busy() const { return I->Next != Impl::WriteStep::None; }
Error TraceWriter::step() { return I->step(); }

Error TraceWriter::Impl::putSeekTable() {
  constexpr size_t PieceBytes = 1 << 14;
  std::string Piece = seekTableHead(Sections.size());
  Error E = Error::success();
  Sections.forEach([&](const SectionInfo &B) {
    appendSeekEntry({uint32_t(B.Compressed), uint32_t(B.Raw)}, Piece);
    if (Piece.size() < PieceBytes)
      return;
    if (!E)
      E = write(Piece);
    Piece.clear();
  });
  if (E)
    return E;
  return write(Piece + seekTableFoot(Sections.size()));
}

Error TraceWriter::Impl::finish() {
  assert(!Finished);
  Finished = true;
  if (Error E = put(SectionKind::Index, Sections))
    return E;
  return putSeekTable();
}

Error TraceWriter::finish() { return I->finish(); }
std::string TraceWriter::index() const {
  return I->Copy ? std::string() : I->Sections.save();
}
uint64_t TraceWriter::copyBytes() const {
  return I->Copy ? I->Copied : I->Written;
}
uint64_t TraceWriter::bytes() const { return I->Written; }
uint64_t TraceWriter::eventBytes() const { return I->EventBytes; }
void TraceWriter::keepEvents(EventTail *Tail) { I->Tail = Tail; }
Error TraceWriter::append(const SectionInfo &B, StringRef Frame) {
  assert(!busy() && "a section is under way");
  return I->append(B, Frame);
}
