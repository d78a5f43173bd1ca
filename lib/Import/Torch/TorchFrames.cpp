// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stacks of a PyTorch snapshot.

#include "TorchFrames.h"
#include "TorchNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace memkit;

// The kind of a note is in its low bits.
static constexpr uint32_t StackNote = 1, FrameNote = 2, RunNote = 3,
                          NoteBits = 2, NoteMask = 3;
static constexpr uint32_t MaxNoted = (1u << 30) - 1;

static void note(PickleValue V, uint32_t Kind, uint32_t Value) {
  // A value that the pickle does not use again needs no note.
  if (V.isShared() && Value <= MaxNoted)
    V.setNote(Value << NoteBits | Kind);
}

uint32_t TorchFrames::stack(PickleValue List) {
  if (uint32_t Note = List.note(); (Note & NoteMask) == StackNote)
    return Note >> NoteBits;
  Frames.clear();
  size_t Skipped = 0;
  List.forEach([&](PickleValue Frame) {
    if (Frames.size() < MaxDepth)
      add(Frame);
    else
      ++Skipped;
  });
  if (Skipped)
    Frames.push_back(
        To.namedFrame("(more than " + std::to_string(MaxDepth) + " frames)"));
  uint32_t Stack = Frames.empty() ? 0 : stackOfFrames();
  HasStacks |= Stack != 0;
  note(List, StackNote, Stack);
  return Stack;
}

uint32_t TorchFrames::stackOfFrames() {
  StringRef Key(reinterpret_cast<const char *>(Frames.data()),
                Frames.size() * sizeof(uint32_t));
  if (auto It = Known.find(Key); It != Known.end())
    return It->second;
  // The frames move below, so the key is copied now.
  uint32_t *Kept = Known.size() < MaxKnown ? &Known[Key] : nullptr;
  TorchPlace Place = TorchPlace::Other;
  for (uint32_t F : Frames)
    Place = std::max(Place, FramePlaces.get(F));
  moveLastPython();
  std::reverse(Frames.begin(), Frames.end());
  uint32_t Stack = To.stack(Frames);
  StackPlaces.set(Stack, Place);
  if (Kept)
    *Kept = Stack;
  return Stack;
}

/// Adds the frames of a dict to Frames.
void TorchFrames::add(PickleValue Frame) {
  uint32_t Note = Frame.note();
  if ((Note & NoteMask) == FrameNote)
    return Frames.push_back(Note >> NoteBits);
  if ((Note & NoteMask) == RunNote) {
    ArrayRef<uint32_t> Run = ArrayRef(Runs).drop_front(Note >> NoteBits);
    append_range(Frames, Run.slice(1, Run.front()));
    return;
  }
  FrameFields F;
  if (!read(Frame, F)) {
    ++NumBad;
    return;
  }
  size_t Begin = Frames.size();
  if (!F.FxName.empty() || !F.FxOp.empty())
    addGraphNode(F);
  Frames.push_back(frame(F.File, F.Name, F.Line));
  size_t Count = Frames.size() - Begin;
  if (Count == 1)
    return note(Frame, FrameNote, Frames.back());
  if (!Frame.isShared())
    return;
  note(Frame, RunNote, uint32_t(Runs.size()));
  Runs.push_back(uint32_t(Count));
  Runs.insert(Runs.end(), Frames.begin() + ptrdiff_t(Begin), Frames.end());
}

bool TorchFrames::read(PickleValue Frame, FrameFields &To) const {
  bool IsFrame = false;
  Frame.forEachEntry([&](PickleValue Key, PickleValue V) {
    switch (Key.name()) {
    case TorchName::Filename:
      To.File = V.text();
      return;
    case TorchName::NameOf:
      To.Name = V.text();
      IsFrame = true;
      return;
    case TorchName::Line:
      To.Line = uint32_t(std::min<uint64_t>(V.number().value_or(0), ~0u));
      return;
    case TorchName::FxNodeOp:
      To.FxOp = V.text();
      return;
    case TorchName::FxNodeName:
      To.FxName = V.text();
      return;
    case TorchName::FxNodeTarget:
      To.FxTarget = V.text();
      return;
    case TorchName::FxOriginalTrace:
      To.FxTrace = V.text();
      return;
    default:
      return;
    }
  });
  return IsFrame;
}

/// Native frames have no line, or a source file of C++.
static bool isNativeFrame(StringRef File, uint32_t Line) {
  static constexpr StringLiteral Endings[] = {
      ".cpp", ".cc", ".cxx", ".c", ".cu", ".h", ".hpp", ".cuh", ".inl", ".ipp"};
  return !Line || File.empty() || File == "??" ||
         any_of(Endings, [&](StringRef E) { return File.ends_with(E); });
}

uint32_t TorchFrames::frame(StringRef File, StringRef Name, uint32_t Line) {
  bool Native = isNativeFrame(File, Line);
  uint32_t Id = Native ? To.namedFrame(Name, File == "??" ? "" : File, Line)
                       : To.pythonFrame(Name, File, Line);
  if (IsNative.size() <= Id)
    IsNative.resize(Id + size_t(1));
  IsNative[Id] = Native;
  FramePlaces.set(Id, torchPlaceOf(File, Name));
  return Id;
}

/// Moves the Python frames behind the last native frame to the Python frame
/// before.
void TorchFrames::moveLastPython() {
  auto IsPython = [&](uint32_t F) {
    return F < IsNative.size() && !IsNative[F];
  };
  auto End = Frames.end(), Last = End;
  while (Last != Frames.begin() && IsPython(*std::prev(Last)))
    --Last;
  auto Before = Last;
  while (Before != Frames.begin() && !IsPython(*std::prev(Before)))
    --Before;
  // Without native frames, or without a Python frame before, all are in place.
  if (Last != End && Before != Frames.begin())
    std::rotate(Before, Last, End);
}

/// A traceback has two lines a frame, the innermost frame last:
///   File "model.py", line 12, in forward
///     x = self.net(x)
static bool readTraceLine(StringRef Text, StringRef &File, uint32_t &Line,
                          StringRef &Name) {
  Text = Text.trim();
  if (!Text.consume_front("File \""))
    return false;
  StringRef Rest;
  std::tie(File, Rest) = Text.split("\", line ");
  if (Rest.consumeInteger(10, Line))
    return false;
  Name = Rest.consume_front(", in ") ? Rest.trim() : StringRef();
  return true;
}

/// Adds the node of the graph, and inside of it the source that made the node.
void TorchFrames::addGraphNode(const FrameFields &F) {
  constexpr size_t MaxTrace = 64;
  SmallVector<StringRef, 8> TraceLines;
  F.FxTrace.split(TraceLines, '\n', -1, false);
  size_t Begin = Frames.size();
  for (StringRef Text : reverse(TraceLines)) {
    StringRef File, Name;
    uint32_t Line;
    if (Frames.size() - Begin < MaxTrace &&
        readTraceLine(Text, File, Line, Name))
      Frames.push_back(frame(File, Name, Line));
  }
  std::string Node = ("fx: " + F.FxName).str();
  if (!F.FxOp.empty())
    Node += (" (" + F.FxOp + (F.FxTarget.empty() ? "" : " ") + F.FxTarget + ")")
                .str();
  Frames.push_back(To.namedFrame(Node));
}
