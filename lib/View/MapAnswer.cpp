// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address map of a device.

#include "HttpServer.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Analysis/DeviceMap.h"
#include "memkit/Model/BlockCategories.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

namespace {
/// A block with its segment; outside of segments, the segment is the block.
struct DrawnBlock {
  const MappedBlock *B;
  size_t Segment;
};

/// A map as rows of segments. A block outside of segments has a segment of its
/// own.
struct DrawnMap {
  std::vector<const MappedBlock *> Segments;
  std::vector<const MappedSegment *> Parts; ///< by segment; null: one block
  std::vector<DrawnBlock> Blocks;
};
} // namespace

/// A page can draw so many blocks.
static constexpr size_t MaxBlocks = 100'000;

static DrawnMap drawnMap(const DeviceMap &M) {
  DrawnMap Out;
  for (const MappedSegment &S : M.Segments) {
    for (const MappedBlock &B : S.Blocks)
      if (Out.Blocks.size() != MaxBlocks)
        Out.Blocks.push_back({&B, Out.Segments.size()});
    Out.Segments.push_back(&S.Self);
    Out.Parts.push_back(&S);
  }
  for (const MappedBlock &B : M.Blocks) {
    if (Out.Blocks.size() == MaxBlocks)
      break;
    Out.Blocks.push_back({&B, Out.Segments.size()});
    Out.Segments.push_back(&B);
    Out.Parts.push_back(nullptr);
  }
  return Out;
}

/// The bytes from the start of the segment; blocks may be outside of what a
/// file says.
static uint64_t offsetIn(const MappedBlock &Segment, uint64_t Address) {
  return Address - std::min(Address, Segment.Address);
}

namespace {
/// Names for the blocks of a map.
class BlockNames {
public:
  /// Categories: null if the trace has none.
  BlockNames(const Trace &T, const Places &Where, const Libraries &Of,
             CategoryGroups *Categories)
      : T(T), Where(Where), Of(Of), Categories(Categories) {}

  std::string line(const MappedBlock &B) const {
    return Where.text(Where.place(Where.of(B.Stack)));
  }
  std::string library(const MappedBlock &B) const {
    return Of.name(Of.of(B.Stack)).str();
  }
  /// Empty for a block that is no tensor.
  StringRef category(const MappedBlock &B) const {
    uint32_t Group =
        Categories ? Categories->of(B.Process, B.Heap, B.AllocationId) : 0;
    return Group ? CategoryGroups::name(Group) : "";
  }
  /// The innermost layer.
  std::string layer(const MappedBlock &B) const {
    for (uint32_t Id = B.ScopePath; Id && Id <= T.scopePaths().size();
         Id = T.scopePaths()[Id - 1].Parent) {
      const ScopeRecord &S = T.scopes()[T.scopePaths()[Id - 1].Scope - 1];
      if (S.Kind == ScopeKind::Layer)
        return T.string(S.Name).str();
    }
    return "";
  }
  /// The number of a stack in stacks().
  uint32_t stack(const MappedBlock &B) {
    auto [At, New] = Numbers.try_emplace(B.Stack, Stacks.size());
    if (New)
      Stacks.push_back(B.Stack);
    return At->second;
  }
  ArrayRef<uint32_t> stacks() const { return Stacks; }

private:
  const Trace &T;
  const Places &Where;
  const Libraries &Of;
  CategoryGroups *Categories;
  DenseMap<uint32_t, uint32_t> Numbers;
  std::vector<uint32_t> Stacks;
};
} // namespace

/// Texts of pools, by process, heap and number: `1, first used by train.py:9
/// capture`.
using PoolTexts =
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::string>;

static PoolTexts poolTexts(const DeviceMap &M, const Places &Where) {
  PoolTexts Texts;
  for (const MappedPool &P : findPools(M))
    Texts[{P.Process, P.Heap, P.Number}] =
        std::to_string(P.Number) + ", first used by " +
        Where.text(Where.place(Where.of(P.Stack)));
  return Texts;
}

static void writeSegments(OStream &J, const Trace &T, const DrawnMap &D,
                          const PoolTexts &Pools) {
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (size_t I = 0; I != D.Segments.size(); ++I)
        J.value(Value(*D.Segments[I], D.Parts[I]));
    });
  };
  using Part = const MappedSegment *;
  J.attributeObject("segments", [&] {
    // Addresses are above what a number of JavaScript holds.
    Column("address", [](const MappedBlock &B, Part) {
      return std::to_string(B.Address);
    });
    Column("size", [](const MappedBlock &B, Part) { return B.Size; });
    Column("heap", [&](const MappedBlock &B, Part) {
      return jsonText(T.heapName(B.Heap));
    });
    Column("process", [](const MappedBlock &B, Part) { return B.Process; });
    Column("stream", [](const MappedBlock &B, Part) { return B.Stream; });
    if (!Pools.empty())
      Column("pool", [&](const MappedBlock &B, Part) {
        auto At = Pools.find({B.Process, B.Heap, B.Pool});
        return jsonText(At == Pools.end() ? "" : At->second);
      });
    Column("largest_hole",
           [](const MappedBlock &, Part P) { return P ? P->LargestHole : 0; });
    Column("expandable", [](const MappedBlock &, Part P) {
      return P && P->IsExpandable ? 1 : 0;
    });
  });
  J.attributeObject("holes_at", [&] {
    auto Holes = [&](StringRef Key, auto Value) {
      J.attributeArray(Key, [&] {
        for (size_t I = 0; I != D.Parts.size(); ++I)
          if (D.Parts[I])
            for (const MappedHole &H : D.Parts[I]->Holes)
              J.value(Value(I, H));
      });
    };
    Holes("segment", [](size_t I, const MappedHole &) { return I; });
    Holes("offset", [&](size_t I, const MappedHole &H) {
      return offsetIn(*D.Segments[I], H.Address);
    });
    Holes("size", [](size_t, const MappedHole &H) { return H.Size; });
  });
}

static void writeBlocks(OStream &J, const Trace &T, const DeviceMap &M,
                        const DrawnMap &D, const HeldNames &Held,
                        BlockNames &Names) {
  auto Column = [&](StringRef Key, auto Value) {
    J.attributeArray(Key, [&] {
      for (const DrawnBlock &B : D.Blocks)
        J.value(Value(*B.B, B.Segment));
    });
  };
  uint64_t Now = M.At.IsEnd ? T.endNs() : M.At.TimeNs;
  J.attributeObject("blocks", [&] {
    Column("segment", [](const MappedBlock &, size_t S) { return S; });
    Column("offset", [&](const MappedBlock &B, size_t S) {
      return offsetIn(*D.Segments[S], B.Address);
    });
    Column("size", [](const MappedBlock &B, size_t) { return B.Size; });
    Column("requested",
           [](const MappedBlock &B, size_t) { return B.Requested; });
    Column("label", [&](const MappedBlock &B, size_t) {
      return jsonText(Names.line(B));
    });
    Column("layer", [&](const MappedBlock &B, size_t) {
      return jsonText(Names.layer(B));
    });
    Column("category",
           [&](const MappedBlock &B, size_t) { return Names.category(B); });
    Column("library", [&](const MappedBlock &B, size_t) {
      return jsonText(Names.library(B));
    });
    Column("age_ns", [&](const MappedBlock &B, size_t) {
      return Now - std::min(Now, B.AllocatedNs);
    });
    Column("stream", [](const MappedBlock &B, size_t) { return B.Stream; });
    Column("stack",
           [&](const MappedBlock &B, size_t) { return Names.stack(B); });
    if (!Held.empty())
      Column("held_by", [&](const MappedBlock &B, size_t) {
        return jsonText(Held.ofBlock(B.Process, B.Heap, B.AllocationId));
      });
  });
  J.attributeArray("stacks", [&] {
    for (uint32_t Stack : Names.stacks())
      J.array([&] {
        for (const ShownFrame &F : T.shownStack(Stack))
          J.value(jsonText(frameLine(F)));
      });
  });
}

static std::string mapTitle(const DeviceMap &M, StringRef Device, bool IsPeak,
                            uint64_t EndNs) {
  return ((IsPeak ? "the peak of " : "memory of ") + Device + " at " +
          formatTime(M.At.IsEnd ? EndNs : M.At.TimeNs))
      .str();
}

static Error noAnswer(const Twine &What) {
  return make_error<RequestError>(RequestError::RequestErrorKind::NoAnswer,
                                  RequestPart(), What);
}

Expected<std::string> TraceView::map(const Question &Q) {
  const Trace &T = trace();
  if (T.devices().empty())
    return noAnswer("the trace has no devices");
  Expected<uint64_t> Device = Q.number("device", 1, T.devices().size());
  if (!Device)
    return Device.takeError();
  Expected<uint64_t> At = Q.number("at", 0, UINT64_MAX);
  if (!At)
    return At.takeError();
  if (Error E = readOverview())
    return std::move(E);
  bool IsPeak = Q.text("at").empty();
  SelectionSpec Spec;
  if (!IsPeak) {
    Spec.At.emplace();
    Spec.At->K = *At >= endNs() ? TimePointSpec::TimePointKind::End
                                : TimePointSpec::TimePointKind::Time;
    Spec.At->Number = *At;
    Spec.At->Text = formatTime(*At);
  }
  Expected<std::vector<DeviceMap>> Maps = queryMap(T, Spec, uint32_t(*Device));
  if (!Maps)
    return Maps.takeError();
  auto Of =
      find_if(*Maps, [&](const DeviceMap &M) { return M.Device == *Device; });
  if (Of == Maps->end())
    return noAnswer("the device has no memory in this trace");
  if (!Grouping)
    Grouping.emplace(T);
  const DeviceMap &M = *Of;
  DrawnMap D = drawnMap(M);
  std::optional<CategoryGroups> Categories;
  if (hasTensorCategories(T)) {
    auto Table = BlockCategoryTable::read(T.reader());
    if (!Table)
      return Table.takeError();
    Categories.emplace(T, std::move(*Table));
  }
  BlockNames Names(T, *Over->Where, *Grouping,
                   Categories ? &*Categories : nullptr);
  StringRef Name = T.spaceName(M.Device);
  std::string Text;
  raw_string_ostream OS(Text);
  OStream J(OS);
  J.object([&] {
    J.attribute("device", jsonText(Name));
    J.attribute("at_ns", M.At.IsEnd ? endNs() : M.At.TimeNs);
    J.attribute("title", jsonText(mapTitle(M, Name, IsPeak, endNs())));
    J.attribute("total_bytes", M.TotalBytes);
    J.attribute("held", M.HeldBytes);
    J.attribute("live", M.LiveBytes);
    J.attribute("free", M.FreeBytes);
    J.attribute("holes", M.NumHoles);
    J.attribute("largest_hole", M.LargestHole);
    J.attribute("note", D.Blocks.size() == MaxBlocks
                            ? "The map shows the first 100,000 blocks."
                            : "");
    writeSegments(J, T, D, poolTexts(M, *Over->Where));
    writeBlocks(J, T, M, D, *Held, Names);
    AskedValues Asked;
    Asked.What = IsPeak ? "map" : "map-at";
    Asked.AtNs = *At;
    J.attribute("command", jsonText(CommandOf(Asked)));
  });
  return Text;
}

} // namespace memkit
