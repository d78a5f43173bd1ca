// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the pickle of a PyTorch snapshot.

#include "TorchReader.h"
#include "Import/Build/BlockTable.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

Error TorchReader::fail(PickleValue V, const Twine &What) const {
  return makeTraceError(File, V.offset(), What);
}

/// The elements that a list of this role has.
static bool isElementOf(uint8_t Role, PickleValue V) {
  switch (Role) {
  case TorchTrace:
  case TorchBlockList:
  case TorchSegmentList:
  case TorchAnnotations:
    return V.isDict();
  case TorchTraceLists:
    return V.isList();
  default:
    return true;
  }
}

Error TorchReader::element(uint8_t Role, uint64_t List, PickleValue V) {
  if (!isElementOf(Role, V))
    return makeTraceError(File, List,
                          Twine("an element of the list is no ") +
                              (Role == TorchTraceLists ? "list" : "dict"));
  switch (Role) {
  case TorchTrace:
    if (!InTrace || LastTrace != List) {
      InTrace = &Traces[List];
      LastTrace = List;
    }
    return event(*InTrace, V);
  case TorchBlockList: {
    TorchBlock B;
    if (Error E = block(V, B))
      return E;
    Blocks[List].push_back(B);
    return Error::success();
  }
  case TorchSegmentList:
    return segment(V);
  case TorchTraceLists:
    return trace(V);
  case TorchAnnotations:
    return annotation(V);
  default:
    return Error::success();
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// A pool is a pair of numbers, in old snapshots one number.
uint32_t TorchReader::pool(PickleValue V) {
  uint64_t Ids[2] = {};
  size_t Count = 0;
  if (std::optional<uint64_t> Number = V.number())
    Ids[1] = *Number;
  V.forEach([&](PickleValue Id) { Ids[Count++] = Id.number().value_or(0); }, 2);
  return To.pool(Ids[0], Ids[1]);
}

uint32_t TorchReader::stream(PickleValue V) {
  return To.stream(V.number().value_or(0));
}

/// PyTorch writes N/A for no context.
static bool isNoText(PickleValue V) {
  return V.isNone() || (V.isText() && (V.text().empty() || V.text() == "N/A"));
}

/// The text that users see: a text as it is, other values as Python prints
/// them.
std::string TorchReader::labelText(PickleValue V) {
  constexpr size_t MaxText = 256;
  // A dict that many events share is printed once. Notes of TorchFrames have
  // other low bits.
  constexpr uint32_t TextNote = 0, NoteBits = 2, NoteMask = 3;
  if (isNoText(V) || (V.isDict() && !V.size()))
    return "";
  if (V.isText())
    return V.text().take_front(MaxText).str();
  if (uint32_t Note = V.note(); Note && (Note & NoteMask) == TextNote)
    return MetadataTexts[(Note >> NoteBits) - 1];
  std::string Text = V.print(MaxText);
  if (V.isShared() && MetadataTexts.size() < (1u << 24)) {
    MetadataTexts.push_back(Text);
    V.setNote(uint32_t(MetadataTexts.size()) << NoteBits | TextNote);
  }
  return Text;
}

uint32_t TorchReader::label(PickleValue Context, PickleValue Metadata) {
  if (LLVM_LIKELY(isNoText(Context) && isNoText(Metadata)))
    return 0;
  return Out.Labels.label(labelText(Context), labelText(Metadata));
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {
/// The values of an event by their keys.
struct TorchEventFields {
  explicit TorchEventFields(PickleValue None)
      : Action(None), Context(None), Metadata(None), Pool(None), Frames(None) {}
  PickleValue Action, Context, Metadata, Pool, Frames;
  std::optional<uint64_t> Address, Size, TimeUs, Free;
  uint64_t Stream = 0;
};
} // namespace

static TorchEventFields fieldsOf(PickleValue Event) {
  TorchEventFields F(Event.none());
  Event.forEachEntry([&](PickleValue Key, PickleValue V) {
    switch (Key.name()) {
    case TorchName::Action:
      F.Action = V;
      return;
    case TorchName::Addr:
      F.Address = V.number();
      return;
    case TorchName::Size:
      F.Size = V.number();
      return;
    case TorchName::Stream:
      F.Stream = V.number().value_or(0);
      return;
    case TorchName::TimeUs:
      F.TimeUs = V.number();
      return;
    case TorchName::DeviceFree:
      F.Free = V.number();
      return;
    case TorchName::PoolId:
      F.Pool = V;
      return;
    case TorchName::CompileContext:
      F.Context = V;
      return;
    case TorchName::UserMetadata:
      F.Metadata = V;
      return;
    case TorchName::Frames:
      F.Frames = V;
      return;
    default:
      return;
    }
  });
  return F;
}

Error TorchReader::event(TorchTraceData &Of, PickleValue V) {
  TorchEventFields F = fieldsOf(V);
  if (!F.Action.isText())
    return fail(V, "an event has no action");
  int32_t Action = F.Action.name() - TorchName::Alloc;
  if (F.Action.name() < TorchName::Alloc || Action >= int(NumTorchActions)) {
    Out.UnknownAction = F.Action.text().take_front(80).str();
    ++Out.NumBad;
    return Error::success();
  }
  TorchEvent E;
  E.Action = TorchAction(Action);
  bool IsOfBlock = E.Action < TorchAction::Oom;
  if (IsOfBlock && (!F.Address || !F.Size))
    return fail(V, "an event has no " + Twine(F.Address ? "size" : "addr"));
  if (IsOfBlock && !BlockTable::takes(*F.Address))
    return fail(V, "0x" + Twine::utohexstr(*F.Address) + " is no address");
  E.Address = E.Action == TorchAction::Oom ? F.Free.value_or(UnknownBytes)
                                           : F.Address.value_or(0);
  E.Size = F.Size.value_or(0);
  E.TimeUs = F.TimeUs.value_or(0);
  Out.HasTimes |= F.TimeUs.has_value();
  if (E.Action == TorchAction::UserDefined) {
    takeRange(E, F.Frames);
    Of.Log.append(E);
    return Error::success();
  }
  E.Stream = To.stream(F.Stream);
  E.Pool = F.Pool.isNone() ? 0 : pool(F.Pool) + 1;
  E.Stack = Frames.stack(F.Frames);
  E.Label = label(F.Context, F.Metadata);
  count(Of, E);
  if (NumSegmentEvents > MaxSegments)
    return fail(V, "more than " + Twine(MaxSegments) + " events of segments");
  Of.Log.append(E);
  return Error::success();
}

/// The profiler's range is in the only frame: the name of the range as file,
/// START or END as function.
void TorchReader::takeRange(TorchEvent &E, PickleValue List) {
  StringRef Range;
  bool IsEnd = false;
  List.forEach(
      [&](PickleValue Frame) {
        Frame.forEachEntry([&](PickleValue Key, PickleValue V) {
          if (Key.name() != TorchName::NameOf &&
              Key.name() != TorchName::Filename)
            return;
          if (V.name() == TorchName::Start || V.name() == TorchName::End)
            IsEnd = V.name() == TorchName::End;
          else
            Range = V.text();
        });
      },
      1);
  E.Size = IsEnd;
  E.Label = Out.Labels.label("", Range.take_front(256));
}

/// Notes what the event says about the time before the trace.
void TorchReader::count(TorchTraceData &Of, const TorchEvent &E) {
  if (E.Action > TorchAction::FreeCompleted) {
    if (E.Action < TorchAction::Oom && ++NumSegmentEvents <= MaxSegments)
      Of.SegmentEvents.push_back(E);
    return;
  }
  auto [It, New] =
      Of.Addresses.try_emplace(E.Address ^ BlockTable::Flip, TorchAddress());
  TorchAddress &A = It->second;
  if (New) {
    A.First = unsigned(E.Action);
    A.FirstSize = E.Size;
    A.Stack = E.Stack;
  }
  Out.HasRequests |= E.Action == TorchAction::FreeRequested;
  bool BeginsWithFree = A.First != unsigned(TorchAction::Alloc);
  if (E.Action == TorchAction::Alloc) {
    A.Allocations = std::min<uint32_t>(A.Allocations + 1, (1u << 28) - 1);
    if (!BeginsWithFree)
      A.Stack = E.Stack;
  } else if (!BeginsWithFree && A.Stack && E.Stack) {
    ++(A.Stack == E.Stack ? Out.SameStacks : Out.OtherStacks);
  }
}

/// A list of events is complete; the lists come in the order of devices.
Error TorchReader::trace(PickleValue List) {
  uint32_t Device = NumTraces++;
  auto It = Traces.find(List.offset());
  TorchTraceData Of;
  if (It != Traces.end()) {
    Of = std::move(It->second);
    Traces.erase(It);
    InTrace = nullptr;
  }
  // A list that the pickle uses again is here as a whole.
  if (List.size()) {
    InTrace = &Of;
    LastTrace = List.offset();
    Error E = elements(TorchTrace, List);
    InTrace = nullptr;
    if (E)
      return E;
  }
  if (Of.Log.empty())
    return Error::success();
  if (Device >= MaxDevices)
    return fail(List, "more than " + Twine(MaxDevices) + " devices");
  Out.device(Device).Trace = std::move(Of);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The rest of the file
//===----------------------------------------------------------------------===//

Error TorchReader::annotation(PickleValue V) {
  if (Out.Annotations.size() == MaxAnnotations)
    return fail(V, "more than " + Twine(MaxAnnotations) + " annotations");
  TorchAnnotation A;
  V.forEachEntry([&](PickleValue Key, PickleValue Value) {
    if (Key.name() == TorchName::NameOf)
      A.Name = Out.Labels.label("", Value.text().take_front(256));
    else if (Key.name() == TorchName::TimeUs)
      A.TimeUs = Value.number().value_or(0);
    else if (Key.name() == TorchName::Device)
      A.Device =
          uint32_t(std::min<uint64_t>(Value.number().value_or(0), MaxDevices));
    else if (Key.name() == TorchName::Stage)
      A.IsEnd = Value.name() == TorchName::End;
  });
  Out.HasTimes |= A.TimeUs != 0;
  Out.Annotations.push_back(A);
  return Error::success();
}

void TorchReader::settings(PickleValue V) {
  TorchSettings &S = Out.Settings;
  V.forEachEntry([&](PickleValue Key, PickleValue Value) {
    constexpr size_t MaxText = 1024, MaxFacts = 256;
    StringRef Name = Key.text().take_front(80);
    if (Name == "max_split_size")
      S.Sizes.MaxSplit = Value.number().value_or(UINT64_MAX);
    bool IsDefault = false;
    if (Name == "roundup_power2_divisions") {
      IsDefault = true;
      Value.forEachEntry([&](PickleValue Mebibytes, PickleValue Divisions) {
        uint64_t From;
        if (!Mebibytes.text().getAsInteger(10, From) && isPowerOf2_64(From) &&
            Log2_64(From) < S.Sizes.Divisions.size())
          S.Sizes.Divisions[Log2_64(From)] = Divisions.number().value_or(0);
        IsDefault &= Divisions.number() == 0u;
      });
    }
    if (IsDefault)
      return;
    std::string Text = Value.isText() ? Value.text().take_front(MaxText).str()
                                      : Value.print(MaxText);
    if (S.Facts.size() < MaxFacts && !Text.empty())
      S.Facts.push_back(("torch-allocator." + Name + "=" + Text).str());
  });
}

/// The elements of a list that did not stream, because the pickle uses the list
/// again.
Error TorchReader::elements(uint8_t Role, PickleValue List) {
  NumRepeated += List.size();
  if (NumRepeated > MaxRepeated)
    return fail(List, "the pickle uses its lists again and again");
  Error E = Error::success();
  List.forEach([&](PickleValue V) {
    if (!E)
      E = element(Role, List.offset(), V);
  });
  return E;
}

Error TorchReader::root(PickleValue V) {
  Error E = Error::success();
  auto Take = [&](uint8_t Role, PickleValue List) {
    if (!E)
      E = elements(Role, List);
  };
  V.forEachEntry([&](PickleValue Key, PickleValue Value) {
    switch (Key.name()) {
    case TorchName::Segments:
      Out.HasSegments = IsRead = true;
      return Take(TorchSegmentList, Value);
    case TorchName::DeviceTraces:
      IsRead = true;
      return Take(TorchTraceLists, Value);
    case TorchName::ExternalAnnotations:
      return Take(TorchAnnotations, Value);
    case TorchName::AllocatorSettings:
      return settings(Value);
    default:
      if (Out.UnknownKeys.size() < 16)
        Out.UnknownKeys.push_back(Key.text().take_front(80).str());
      return;
    }
  });
  if (E)
    return E;
  if (!IsRead)
    return fail(V,
                "the pickle is no memory snapshot of PyTorch: it has neither "
                "segments nor device_traces");
  Out.HasStacks = Frames.hasStacks();
  Out.Places = Frames.places();
  Out.NumBad += Frames.numBad();
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Labels
//===----------------------------------------------------------------------===//

uint32_t TorchLabels::label(StringRef CompileContext, StringRef Metadata) {
  if (CompileContext.empty() && Metadata.empty())
    return 0;
  std::string Key = (CompileContext + StringRef("\0", 1) + Metadata).str();
  auto [It, New] = Index.try_emplace(Key, uint32_t(Labels.size() + 1));
  if (New)
    Labels.push_back({CompileContext.str(), Metadata.str()});
  return It->second;
}
