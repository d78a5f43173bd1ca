//===- Speedscope.cpp - Files for speedscope -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Export/Speedscope.h"
#include "memkit/Export/FlameTree.h"
#include "memkit/Export/StackText.h"
#include "memkit/Support/RunBoth.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

/// About what a file may have, in all its profiles.
static constexpr size_t MaxNodes = 100'000;
static constexpr size_t MaxBytes = 20'000'000;

static void writeText(raw_ostream &OS, StringRef Text) { OS << jsonText(Text); }

static std::string frameTable(ArrayRef<FlameNames::Name> Names) {
  std::string Text;
  raw_string_ostream OS(Text);
  bool First = true;
  for (const FlameNames::Name &N : Names) {
    OS << (First ? "" : ",\n") << R"({"name":)";
    First = false;
    writeText(OS, N.Function);
    if (!N.File.empty()) {
      OS << R"(,"file":)";
      writeText(OS, N.File);
    }
    if (N.Line)
      OS << R"(,"line":)" << N.Line;
    OS << '}';
  }
  return Text;
}

/// Opens and closes the frames of a tree; siblings lie side by side from where
/// their parent begins, what is the parent's own comes after them.
static void writeEvents(raw_ostream &OS, ArrayRef<FlameNode> Nodes) {
  struct Open {
    uint32_t Name;
    uint64_t End;
  };
  std::vector<Open> Opened;
  uint64_t At = 0;
  bool First = true;
  auto Write = [&](char Type, uint32_t Name, uint64_t Where) {
    OS << (First ? "" : ",") << R"({"type":")" << Type << R"(","frame":)"
       << Name << R"(,"at":)" << Where << '}';
    First = false;
  };
  auto CloseTo = [&](size_t Depth) {
    while (Opened.size() > Depth) {
      At = Opened.back().End;
      Write('C', Opened.back().Name, At);
      Opened.pop_back();
    }
  };
  for (const FlameNode &N : Nodes) {
    CloseTo(N.Depth);
    Write('O', N.Name, At);
    Opened.push_back({N.Name, At + N.Total});
  }
  CloseTo(0);
}

static std::string profileText(const Profile &P, ArrayRef<FlameNode> Nodes) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << R"({"type":"evented","name":)";
  writeText(OS, P.Name);
  OS << R"(,"unit":")" << (isInBytes(P.M) ? "bytes" : "none")
     << R"(","startValue":0,"endValue":)" << P.Total << ",\"events\":[";
  writeEvents(OS, Nodes);
  OS << "]}";
  return Text;
}

namespace {

struct File {
  std::string Frames;
  std::vector<std::string> Profiles;
  size_t bytes() const {
    size_t Sum = Frames.size();
    for (const std::string &P : Profiles)
      Sum += P.size();
    return Sum;
  }
};

/// Some of the profiles, as one thread works on them.
struct Share {
  Share(const Trace &T, const NodeRanks &Ranks)
      : Names(T, FlameNames::Distinct::ByPlace), Builder(T, Ranks, Names) {}

  void build(ArrayRef<Profile> Profiles, size_t NodeLimit) {
    for (const Profile &P : Profiles)
      Trees.push_back(Builder.build(P, NodeLimit));
  }
  /// Numbers: the new number of each name.
  void renumber(ArrayRef<uint32_t> Numbers) {
    for (std::vector<FlameNode> &Tree : Trees)
      for (FlameNode &N : Tree)
        N.Name = Numbers[N.Name];
  }
  void write(ArrayRef<Profile> Profiles, std::string *Texts) const {
    for (size_t I = 0; I != Profiles.size(); ++I)
      Texts[I] = profileText(Profiles[I], Trees[I]);
  }

  FlameNames Names;
  FlameBuilder Builder;
  std::vector<std::vector<FlameNode>> Trees;
};

} // namespace

/// How many of the profiles make about half of the work.
static size_t halfOf(ArrayRef<Profile> Profiles) {
  const size_t Each = 1000; // what one takes at least, in values
  size_t All = 0, Some = 0, Count = 0;
  for (const Profile &P : Profiles)
    All += P.Values.size() + Each;
  for (; Count != Profiles.size() && 2 * Some < All; ++Count)
    Some += Profiles[Count].Values.size() + Each;
  return Count;
}

/// NodeLimit: for each profile, 0 for none.
static File makeFile(const Trace &T, const NodeRanks &Ranks,
                     ArrayRef<Profile> Profiles, size_t NodeLimit) {
  size_t Half = halfOf(Profiles);
  ArrayRef<Profile> Firsts = Profiles.take_front(Half),
                    Others = Profiles.drop_front(Half);
  Share First(T, Ranks), Other(T, Ranks);
  runBoth([&] { First.build(Firsts, NodeLimit); },
          [&] { Other.build(Others, NodeLimit); });
  Other.renumber(First.Names.add(Other.Names));
  File F;
  F.Profiles.resize(Profiles.size());
  runBoth([&] { First.write(Firsts, F.Profiles.data()); },
          [&] { Other.write(Others, F.Profiles.data() + Half); });
  F.Frames = frameTable(First.Names.names());
  return F;
}

void writeSpeedscope(raw_ostream &OS, const Trace &T,
                     ArrayRef<Profile> Profiles, bool Full) {
  size_t Limit = Full || Profiles.empty()
                     ? 0
                     : std::max<size_t>(MaxNodes / Profiles.size(), 1);
  NodeRanks Ranks(T);
  File F = makeFile(T, Ranks, Profiles, Limit);
  // Long names can make a file too large with few nodes.
  while (!Full && F.bytes() > MaxBytes && Limit > 1) {
    Limit /= 2;
    F = makeFile(T, Ranks, Profiles, Limit);
  }
  OS << "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
        "\"exporter\":\"memflame (memkit) " MEMKIT_VERSION "\",\n\"name\":";
  writeText(OS, join(T.header().Command, " "));
  OS << ",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[\n"
     << F.Frames << "\n]},\n\"profiles\":[\n"
     << join(F.Profiles, ",\n") << "\n]}\n";
}

} // namespace memkit
