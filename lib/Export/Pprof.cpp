// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for pprof.

#include "Pprof.h"
#include "Gzip.h"
#include "NodeValues.h"
#include "ProtoWriter.h"
#include "Support/CommandText.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace memkit {

namespace {

/// Numbers of fields from profile.proto.
namespace profile {
enum : unsigned {
  SampleType = 1,
  Sample = 2,
  Mapping = 3,
  Location = 4,
  Function = 5,
  StringTable = 6,
  TimeNanos = 9,
  DurationNanos = 10,
  Comment = 13,
  DefaultSampleType = 14,
};
} // namespace profile
namespace value_type {
enum : unsigned { Type = 1, Unit = 2 };
}
namespace sample {
enum : unsigned { LocationId = 1, Value = 2 };
}
namespace mapping {
enum : unsigned {
  Id = 1,
  Filename = 5,
  BuildId = 6,
  HasFunctions = 7,
  HasFilenames = 8,
  HasLineNumbers = 9,
  HasInlineFrames = 10,
};
}
namespace location {
enum : unsigned { Id = 1, MappingId = 2, Line = 4 };
}
namespace line {
enum : unsigned { FunctionId = 1, Line = 2 };
}
namespace function {
enum : unsigned {
  Id = 1,
  Name = 2,
  SystemName = 3,
  Filename = 4,
  StartLine = 5
};
}

class PprofWriter {
public:
  explicit PprofWriter(ShownTree T) : T(T), Known(T.numFrames() + 1) {
    text("");
    const Trace &Names = T.trace();
    for (const Binary &M : Names.binaries())
      BuildIds[Names.string(M.Path)] = toHex(M.BuildId, /*LowerCase=*/true);
  }

  void run(ArrayRef<Profile> Profiles);
  StringRef bytes() const { return Out.bytes(); }

private:
  uint64_t text(StringRef S) {
    auto [At, New] = Texts.try_emplace(S, Texts.size());
    if (New)
      Out.text(profile::StringTable, S);
    return At->second;
  }
  uint64_t functionOf(const ShownFrame &F);
  uint64_t mappingOf(StringRef Binary);
  uint64_t locationOf(uint32_t Frame);
  uint64_t locationOf(ArrayRef<ShownFrame> Frames);
  void header(ArrayRef<Profile> Profiles);

  ShownTree T;
  ProtoWriter Out;
  StringMap<uint64_t> Texts, Mappings;
  StringMap<std::string> BuildIds; ///< by path
  DenseMap<std::pair<StringRef, StringRef>, uint64_t> Functions;
  std::vector<uint64_t> Known; ///< locations by frame; 0: not yet
  uint64_t Locations = 0;
};

} // namespace

uint64_t PprofWriter::functionOf(const ShownFrame &F) {
  StringRef File = F.File.empty() ? F.Binary : F.File;
  auto [At, New] =
      Functions.try_emplace({F.Function, File}, Functions.size() + 1);
  uint64_t Id = At->second;
  if (!New)
    return Id;
  uint64_t Name = text(F.Function), Place = text(File);
  Out.message(profile::Function, [&](ProtoWriter &To) {
    To.number(function::Id, Id);
    To.number(function::Name, Name);
    To.number(function::SystemName, Name);
    To.number(function::Filename, Place);
    if (F.FunctionId)
      To.number(function::StartLine, T.trace().function(F.FunctionId).Line);
  });
  return Id;
}

uint64_t PprofWriter::mappingOf(StringRef Binary) {
  if (Binary.empty())
    return 0;
  auto [At, New] = Mappings.try_emplace(Binary, Mappings.size() + 1);
  uint64_t Id = At->second;
  if (!New)
    return Id;
  uint64_t Name = text(Binary), BuildId = text(BuildIds.lookup(Binary));
  Out.message(profile::Mapping, [&](ProtoWriter &To) {
    To.number(mapping::Id, Id);
    To.number(mapping::Filename, Name);
    To.number(mapping::BuildId, BuildId);
    // Tells pprof that all symbols are in the file.
    for (unsigned Has : {mapping::HasFunctions, mapping::HasFilenames,
                         mapping::HasLineNumbers, mapping::HasInlineFrames})
      To.number(Has, 1);
  });
  return Id;
}

/// Frames: of one place of the code, innermost first.
uint64_t PprofWriter::locationOf(ArrayRef<ShownFrame> Frames) {
  SmallVector<std::pair<uint64_t, uint32_t>, 4> Lines;
  for (const ShownFrame &F : Frames)
    Lines.push_back({functionOf(F), F.Line});
  uint64_t Binary = mappingOf(Frames.front().Binary), Id = ++Locations;
  Out.message(profile::Location, [&](ProtoWriter &To) {
    To.number(location::Id, Id);
    if (Binary)
      To.number(location::MappingId, Binary);
    for (auto [Function, Line] : Lines)
      To.message(location::Line, [&, F = Function, L = Line](ProtoWriter &Of) {
        Of.number(line::FunctionId, F);
        Of.number(line::Line, L);
      });
  });
  return Id;
}

uint64_t PprofWriter::locationOf(uint32_t Frame) {
  uint64_t &Id = Known[Frame];
  return Id ? Id : Id = locationOf(T.shown(Frame));
}

void PprofWriter::header(ArrayRef<Profile> Profiles) {
  for (const Profile &P : Profiles) {
    uint64_t Type = text(metricWord(P.M)),
             Unit = text(isInBytes(P.M) ? "bytes" : "count");
    Out.message(profile::SampleType, [&](ProtoWriter &To) {
      To.number(value_type::Type, Type);
      To.number(value_type::Unit, Unit);
    });
    Out.number(profile::Comment, text(P.Name));
  }
  const Trace &Of = T.trace();
  Out.number(profile::DefaultSampleType, text(metricWord(Profiles.front().M)));
  Out.number(profile::Comment, text(commandText(Of.header().Command)));
  Out.number(profile::TimeNanos, Of.header().Start.RealtimeNs);
  Out.number(profile::DurationNanos, Of.endNs());
}

void PprofWriter::run(ArrayRef<Profile> Profiles) {
  header(Profiles);
  const StackView &V = T.view();
  NodeValues Values(T, Profiles);
  std::vector<uint64_t> Path;
  for (size_t Row = 0; Row != Values.size(); ++Row) {
    Path.clear();
    for (uint32_t N = Values.node(Row); N; N = V.parent(N))
      Path.push_back(locationOf(V.frameOf(N)));
    if (Path.empty()) {
      ShownFrame None;
      None.Function = "(no stack)";
      Path.push_back(locationOf(None));
    }
    Out.message(profile::Sample, [&](ProtoWriter &To) {
      To.packed(sample::LocationId, Path);
      To.packed(sample::Value, Values.values(Row));
    });
  }
}

void writePprof(raw_ostream &OS, ShownTree T, ArrayRef<Profile> Profiles) {
  PprofWriter W(T);
  W.run(Profiles);
  writeGzip(OS, W.bytes());
}

} // namespace memkit
