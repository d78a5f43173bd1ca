// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heap profiles in pprof's format (profile.proto), of Go, of tcmalloc and of
// JAX's jax.profiler.save_device_memory_profile().
//
// The field numbers are those of profile.proto in github.com/google/pprof.

#include "Import/Build/Formats.h"
#include "Import/Build/SumHeap.h"
#include "Import/Source/ProtoReader.h"
#include "llvm/ADT/StringExtras.h"
#include <unordered_map>

using namespace llvm;
using namespace memkit;

namespace {

struct PprofFunction {
  uint64_t Name = 0, File = 0; ///< strings
  uint64_t StartLine = 0;
};
struct PprofMapping {
  uint64_t Start = 0, Offset = 0;
  uint64_t File = 0, BuildId = 0; ///< strings
};
struct PprofLine {
  uint64_t Function = 0, Line = 0;
};
struct PprofLocation {
  uint64_t Mapping = 0, Address = 0;
  std::vector<PprofLine> Lines; ///< innermost inlined function first
};
struct PprofLabel {
  uint64_t Key = 0, Text = 0; ///< strings
};
struct PprofType {
  uint64_t Type = 0, Unit = 0; ///< strings
};

/// The whole of a profile, in memory.
class PprofProfile {
public:
  /// False: no profile. Bytes must outlive the profile.
  bool parse(StringRef Bytes) {
    ProtoReader In(Bytes);
    while (In.next())
      if (!field(In))
        return false;
    return !In.failed() && !Types.empty() && !Strings.empty();
  }

  StringRef text(uint64_t Id) const {
    return Id < Strings.size() ? Strings[Id] : StringRef();
  }

  std::vector<PprofType> Types;
  std::vector<StringRef> Samples, Strings, Comments;
  std::unordered_map<uint64_t, PprofMapping> Mappings;
  std::unordered_map<uint64_t, PprofLocation> Locations;
  std::unordered_map<uint64_t, PprofFunction> Functions;
  PprofType PeriodType;
  uint64_t TimeNs = 0, Period = 0;

private:
  bool field(ProtoReader &In) {
    switch (In.Number) {
    case 1:
      return type(In.Bytes, Types.emplace_back());
    case 2:
      Samples.push_back(In.Bytes);
      return true;
    case 3:
      return mapping(In.Bytes);
    case 4:
      return location(In.Bytes);
    case 5:
      return function(In.Bytes);
    case 6:
      Strings.push_back(In.Bytes.take_front(ImportBounds::MaxName));
      return true;
    case 9:
      TimeNs = In.Value;
      return true;
    case 11:
      return type(In.Bytes, PeriodType);
    case 12:
      Period = In.Value;
      return true;
    default:
      return true;
    }
  }

  template <class F> static bool each(StringRef Message, F Do) {
    ProtoReader In(Message);
    while (In.next())
      Do(In);
    return !In.failed();
  }

  static bool type(StringRef Message, PprofType &T) {
    return each(Message, [&](ProtoReader &F) {
      (F.Number == 1 ? T.Type : T.Unit) = F.Value;
    });
  }

  bool mapping(StringRef Message) {
    uint64_t Id = 0;
    PprofMapping M;
    bool IsGood = each(Message, [&](ProtoReader &F) {
      switch (F.Number) {
      case 1:
        Id = F.Value;
        break;
      case 2:
        M.Start = F.Value;
        break;
      case 4:
        M.Offset = F.Value;
        break;
      case 5:
        M.File = F.Value;
        break;
      case 6:
        M.BuildId = F.Value;
        break;
      default:
        break;
      }
    });
    Mappings[Id] = M;
    return IsGood;
  }

  bool location(StringRef Message) {
    uint64_t Id = 0;
    PprofLocation L;
    bool IsGood = true;
    IsGood &= each(Message, [&](ProtoReader &F) {
      switch (F.Number) {
      case 1:
        Id = F.Value;
        break;
      case 2:
        L.Mapping = F.Value;
        break;
      case 3:
        L.Address = F.Value;
        break;
      case 4: {
        PprofLine &Line = L.Lines.emplace_back();
        IsGood &= each(F.Bytes, [&](ProtoReader &G) {
          if (G.Number == 1)
            Line.Function = G.Value;
          else if (G.Number == 2)
            Line.Line = G.Value;
        });
        break;
      }
      default:
        break;
      }
    });
    Locations[Id] = std::move(L);
    return IsGood;
  }

  bool function(StringRef Message) {
    uint64_t Id = 0;
    PprofFunction Fn;
    bool IsGood = each(Message, [&](ProtoReader &F) {
      switch (F.Number) {
      case 1:
        Id = F.Value;
        break;
      case 2:
        Fn.Name = F.Value;
        break;
      case 4:
        Fn.File = F.Value;
        break;
      case 5:
        Fn.StartLine = F.Value;
        break;
      default:
        break;
      }
    });
    Functions[Id] = Fn;
    return IsGood;
  }
};

uint32_t lineNumber(uint64_t Line) {
  return Line <= INT32_MAX ? uint32_t(Line) : 0;
}

class PprofImporter {
public:
  PprofImporter(const PprofProfile &P, ByteReader &In, TraceBuilder &To)
      : P(P), In(In), To(To), Sums(To, sampleBytes(P), SumHeap::AllBlocks) {}

  Error run() {
    if (const char *Why = chooseValues())
      return In.fail(Why, 0);
    To.Head.Start.RealtimeNs = P.TimeNs;
    for (StringRef Message : P.Samples)
      if (const char *Why = sample(Message))
        return In.fail(Why);
    if (OfUnknownSize)
      To.warn("left out: " + Twine(OfUnknownSize) +
              (OfUnknownSize == 1 ? " sample" : " samples") +
              " of unknown size (below 0)");
    return Error::success();
  }

private:
  /// The mean distance of samples, whose values the profiler has scaled up; 0:
  /// none.
  static uint64_t sampleBytes(const PprofProfile &P) {
    StringRef Type = P.text(P.PeriodType.Type);
    bool IsBytes = Type == "space" || Type == "inuse_space";
    return IsBytes && P.Period <= MaxSampleBytes ? P.Period : 0;
  }

  /// The columns with live blocks and bytes; of a profile that has allocated
  /// ones alone, those.
  const char *chooseValues() {
    const char *Why = chooseValues(/*IsLastTry=*/false);
    return Why ? chooseValues(/*IsLastTry=*/true) : nullptr;
  }

  /// IsLastTry: bytes without numbers of blocks will do.
  const char *chooseValues(bool IsLastTry) {
    constexpr std::pair<StringRef, StringRef> Known[] = {
        {"inuse_objects", "inuse_space"},
        {"objects", "space"},
        {"allocations", "space"},
        {"alloc_objects", "alloc_space"},
    };
    for (auto [Blocks, Bytes] : Known) {
      int BlocksAt = column(Blocks), BytesAt = column(Bytes);
      if (BytesAt < 0 || (BlocksAt < 0 && !IsLastTry))
        continue;
      CountColumn = BlocksAt;
      BytesColumn = BytesAt;
      if (Bytes == "alloc_space")
        To.warn("the profile has allocated bytes, and not live ones: all of "
                "them are shown as live");
      if (BlocksAt < 0)
        To.warn("the profile has no numbers of blocks: each stack counts as "
                "one block");
      return nullptr;
    }
    return "the profile is no heap profile: it has no bytes (inuse_space or "
           "space)";
  }

  int column(StringRef Name) const {
    for (size_t I = 0; I != P.Types.size(); ++I)
      if (P.text(P.Types[I].Type) == Name)
        return int(I);
    return -1;
  }

  const char *sample(StringRef Message) {
    SmallVector<uint64_t, 64> Where;
    SmallVector<uint64_t, 4> Values;
    StringRef Kind, Device;
    for (ProtoReader F(Message); F.next();) {
      bool IsGood = true;
      if (F.Number == 1)
        IsGood = F.numbers([&](uint64_t V) {
          if (Where.size() != MaxDepth)
            Where.push_back(V);
        });
      else if (F.Number == 2)
        IsGood = F.numbers([&](uint64_t V) {
          if (Values.size() != P.Types.size())
            Values.push_back(V);
        });
      else if (F.Number == 3)
        label(F.Bytes, Kind, Device);
      if (!IsGood)
        return "a sample is damaged";
    }
    auto Value = [&](int Column) {
      return Column >= 0 && size_t(Column) < Values.size() ? Values[Column] : 0;
    };
    uint64_t Bytes = Value(BytesColumn);
    // JAX writes -1 for an executable whose size it does not know.
    if (Bytes > uint64_t(INT64_MAX)) {
      ++OfUnknownSize;
      return nullptr;
    }
    uint64_t Count = CountColumn < 0 ? Bytes != 0 : Value(CountColumn);
    // A sum of 0 blocks has no bytes.
    if (!Count && Bytes)
      Count = 1;
    std::vector<uint32_t> Frames;
    for (uint64_t Id : reverse(Where))
      addFrames(Id, Frames);
    return Sums.add(heapOf(Kind, Device), To.stack(Frames), Count, Bytes)
               ? nullptr
               : "the sums of live blocks are above 2^56";
  }

  void label(StringRef Message, StringRef &Kind, StringRef &Device) {
    PprofLabel L;
    for (ProtoReader F(Message); F.next();) {
      if (F.Number == 1)
        L.Key = F.Value;
      else if (F.Number == 2)
        L.Text = F.Value;
    }
    if (P.text(L.Key) == "kind")
      Kind = P.text(L.Text);
    else if (P.text(L.Key) == "device")
      Device = P.text(L.Text);
  }

  /// JAX names buffers and executables, and the device of a buffer:
  /// `cuda:0`, `TFRT_CPU_0`.
  uint32_t heapOf(StringRef Kind, StringRef Device) {
    if (Kind.empty())
      return Sums.heap("host.malloc");
    bool IsHost = Device.empty() || Device.contains_insensitive("cpu");
    std::string Name = ("jax." + Kind).str();
    if (IsHost)
      return Sums.heap(Name);
    return Sums.heap(Name + "." + Device.str(), Device);
  }

  void addFrames(uint64_t Id, std::vector<uint32_t> &Frames) {
    auto [It, New] = FramesOf.try_emplace(Id);
    if (New)
      makeFrames(Id, It->second);
    append_range(Frames, It->second);
  }

  /// The frames of a location, outermost first: one for code with an address,
  /// else one for each function.
  void makeFrames(uint64_t Id, std::vector<uint32_t> &Out) {
    auto Found = P.Locations.find(Id);
    if (Found == P.Locations.end())
      return;
    const PprofLocation &L = Found->second;
    std::vector<SourceLocation> Names;
    for (const PprofLine &Line : L.Lines) {
      auto Fn = P.Functions.find(Line.Function);
      if (Fn == P.Functions.end() || Names.size() == 255)
        continue;
      Names.push_back({P.text(Fn->second.Name).str(),
                       P.text(Fn->second.File).str(), lineNumber(Line.Line),
                       lineNumber(Fn->second.StartLine)});
    }
    auto Map = P.Mappings.find(L.Mapping);
    StringRef Binary;
    if (Map != P.Mappings.end())
      Binary = P.text(Map->second.File);
    if (L.Address && !Binary.empty()) {
      const PprofMapping &M = Map->second;
      std::string Id;
      if (!tryGetFromHex(P.text(M.BuildId), Id) || Id.size() > 64)
        Id.clear();
      Out.push_back(To.nativeFrame(Binary, arrayRefFromStringRef(Id),
                                   L.Address - M.Start + M.Offset, Names));
      return;
    }
    if (L.Address) {
      Out.push_back(To.unknownFrame(Sums.process(), L.Address, Names));
      return;
    }
    for (const SourceLocation &N : reverse(Names))
      Out.push_back(To.pythonFrame(N.Function, N.File, N.Line, N.StartLine));
  }

  static constexpr size_t MaxDepth = 4096;
  static constexpr uint64_t MaxSampleBytes = uint64_t(1) << 40;
  const PprofProfile &P;
  ByteReader &In;
  TraceBuilder &To;
  SumHeap Sums;
  int CountColumn = -1, BytesColumn = -1;
  uint64_t OfUnknownSize = 0; ///< number of samples
  std::unordered_map<uint64_t, std::vector<uint32_t>> FramesOf;
};

} // namespace

/// Whether the message is a type of values: its name, or name and unit.
static bool isValueType(StringRef Message) {
  if (Message.empty() || Message.size() > 64)
    return false;
  bool HasName = false;
  ProtoReader In(Message);
  while (In.next()) {
    if (In.Number < 1 || In.Number > 2 || In.Bytes.data())
      return false;
    HasName |= In.Number == 1;
  }
  return HasName && !In.failed();
}

/// A profile begins with its types of values (field 1). Go's runtime writes the
/// period's type (11) and other numbers of the whole profile first: time (9),
/// duration (10), period (12).
bool memkit::isPprof(StringRef First) {
  for (ProtoReader In(First); In.next();) {
    bool IsNumber = !In.Bytes.data();
    if (In.Number == 1)
      return isValueType(In.Bytes);
    if (In.Number == 11 ? !isValueType(In.Bytes)
                        : !IsNumber || In.Number < 9 || In.Number > 12)
      return false;
  }
  return false;
}

Error memkit::readPprof(const ImportFile &File, TraceBuilder &To,
                        const ProgressCallback &OnProgress) {
  Expected<ByteReader> In = ByteReader::open(File, OnProgress);
  if (!In)
    return In.takeError();
  // Strings come last, so the whole message is read first.
  constexpr size_t MaxBytes = size_t(256) << 20;
  std::string Message;
  while (!In->atEnd()) {
    StringRef Part = In->lookAhead(1 << 16);
    if (Message.size() + Part.size() > MaxBytes)
      return In->fail("a profile of more than 256 MiB");
    Message += Part;
    In->skip(Part.size());
  }
  if (Error E = In->takeError())
    return E;
  PprofProfile P;
  if (!P.parse(Message))
    return In->fail("the profile is damaged, or no profile of pprof", 0);
  return PprofImporter(P, *In, To).run();
}
