// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for speedscope.

#include "Speedscope.h"
#include "FlameTree.h"
#include "SpeedscopeOrder.h"
#include "StackText.h"
#include "Support/RunBoth.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

/// Approximate limits of a file, over all its profiles.
static constexpr size_t MaxSpeedscopeNodes = 100'000;
static constexpr size_t MaxBytes = 20'000'000;

static void add(Text &To, StringRef S) { To.append(S.begin(), S.end()); }

static void addNumber(Text &To, uint64_t Number) {
  char Digits[20];
  To.append(Digits, put(Digits, Number));
}

/// Adds S as JSON. Nearly all names need no escapes.
static void addQuoted(Text &To, StringRef S) {
  bool IsPlain = all_of(
      S, [](char C) { return C >= ' ' && C < 127 && C != '"' && C != '\\'; });
  if (!IsPlain) {
    raw_svector_ostream(To) << jsonText(S);
    return;
  }
  To.push_back('"');
  add(To, S);
  To.push_back('"');
}

static Text frameTable(ArrayRef<FlameNames::FlameName> Names) {
  Text To;
  for (const FlameNames::FlameName &N : Names) {
    add(To, To.empty() ? R"({"name":)"
                       : ",\n"
                         R"({"name":)");
    addQuoted(To, N.Function);
    if (!N.File.empty()) {
      add(To, R"(,"file":)");
      addQuoted(To, N.File);
    }
    if (N.Line) {
      add(To, R"(,"line":)");
      addNumber(To, N.Line);
    }
    To.push_back('}');
  }
  return To;
}

/// Opens and closes the frames of a tree. Siblings lie side by side from the
/// begin of their parent; the parent's own value comes after them.
static void addEvents(Text &To, ArrayRef<FlameNode> Nodes) {
  struct OpenFrame {
    uint32_t Name;
    uint64_t End;
  };
  std::vector<OpenFrame> Opened;
  uint64_t Where = 0;
  size_t Begin = To.size();
  To.resize_for_overwrite(Begin + 2 * MaxEvent * Nodes.size());
  char *At = To.data() + Begin;
  auto CloseTo = [&](size_t Depth) {
    while (Opened.size() > Depth) {
      Where = Opened.back().End;
      At = putEvent(At, /*Opens=*/false, Opened.back().Name, Where);
      Opened.pop_back();
    }
  };
  for (const FlameNode &N : Nodes) {
    CloseTo(N.Depth);
    At = putEvent(At, /*Opens=*/true, N.Name, Where);
    Opened.push_back({N.Name, Where + N.Total});
  }
  CloseTo(0);
  To.truncate(At - To.data() - !Nodes.empty()); // except the last comma
}

/// Writes the text around the events of a profile.
template <typename AddT> static Text profileText(const Profile &P, AddT Add) {
  Text To;
  add(To, R"({"type":"evented","name":)");
  addQuoted(To, P.Name);
  add(To, R"(,"unit":")");
  add(To, isInBytes(P.M) ? "bytes" : "none");
  add(To, R"(","startValue":0,"endValue":)");
  addNumber(To, P.Total);
  add(To, R"(,"events":[)");
  Add(To);
  add(To, "]}");
  return To;
}

namespace {

struct File {
  Text Frames;
  std::vector<Text> Profiles;
  size_t bytes() const {
    size_t Sum = Frames.size();
    for (const Text &P : Profiles)
      Sum += P.size();
    return Sum;
  }
};

/// The profiles on which one thread works.
struct ProfileShare {
  ProfileShare(ShownTree T, const NodeRanks &Ranks)
      : Names(T, FlameNames::Distinct::ByPlace), Builder(T, Ranks, Names) {}

  void build(ArrayRef<Profile> Profiles, size_t NodeLimit) {
    for (const Profile &P : Profiles)
      Trees.push_back(Builder.build(P, NodeLimit));
  }
  /// Adds the names of the trees to Drawn and renumbers the nodes accordingly.
  void renumber(FlameNames &Drawn) {
    std::vector<uint32_t> Numbers(Names.names().size());
    for (std::vector<FlameNode> &Tree : Trees)
      for (FlameNode &N : Tree) {
        if (N.Name > FlameNames::NoStack && !Numbers[N.Name])
          Numbers[N.Name] = Drawn.add(Names.names()[N.Name]);
        if (N.Name > FlameNames::NoStack)
          N.Name = Numbers[N.Name];
      }
  }
  void write(ArrayRef<Profile> Profiles, Text *Texts) const {
    for (size_t I = 0; I != Profiles.size(); ++I)
      Texts[I] =
          profileText(Profiles[I], [&](Text &To) { addEvents(To, Trees[I]); });
  }

  FlameNames Names;
  FlameBuilder Builder;
  std::vector<std::vector<FlameNode>> Trees;
};

} // namespace

/// The number of profiles that make about half of the work.
static size_t halfOf(ArrayRef<Profile> Profiles) {
  const size_t Each = 1000; // minimum cost of a profile, in values
  size_t All = 0, Some = 0, Count = 0;
  for (const Profile &P : Profiles)
    All += P.Values.size() + Each;
  for (; Count != Profiles.size() && 2 * Some < All; ++Count)
    Some += Profiles[Count].Values.size() + Each;
  return Count;
}

/// The moments of a course, one after the other.
static Text courseText(ShownTree T, const NodeRanks &Ranks, FlameNames &Names,
                       const ProfileCourse &C, size_t NodeLimit) {
  Profile Whole;
  Whole.Name = C.Name;
  std::vector<FlameNode> All;
  size_t Each =
      NodeLimit ? std::max<size_t>(NodeLimit / C.Moments.size(), 1) : 0;
  for (const ProfileCourse::CourseMoment &M : C.Moments) {
    Whole.Total += M.Of.Total;
    All.push_back({Names.add({M.Label, "", 0, {}}), 0, M.Of.Total, 0});
    for (FlameNode N : FlameBuilder(T, Ranks, Names).build(M.Of, Each)) {
      ++N.Depth;
      All.push_back(N);
    }
  }
  return profileText(Whole, [&](Text &To) { addEvents(To, All); });
}

/// NodeLimit: for each profile, 0 for no limit; also limits the values of
/// InOrder.
static File makeFile(ShownTree T, const NodeRanks &Ranks,
                     const SpeedscopeProfiles &Of, size_t NodeLimit) {
  ArrayRef<Profile> Profiles = Of.Usual;
  const Profile *InOrder = Of.InOrder;
  size_t Half = halfOf(Profiles);
  ArrayRef<Profile> Firsts = Profiles.take_front(Half),
                    Others = Profiles.drop_front(Half);
  ProfileShare First(T, Ranks), Other(T, Ranks);
  runBoth([&] { First.build(Firsts, NodeLimit); },
          [&] { Other.build(Others, NodeLimit); });
  FlameNames Drawn(T, FlameNames::Distinct::ByPlace);
  First.renumber(Drawn);
  Other.renumber(Drawn);
  File F;
  F.Profiles.resize(Profiles.size());
  Text Ordered;
  if (InOrder)
    Ordered = profileText(*InOrder, [&](Text &To) {
      addInOrder(To, T, Drawn, *InOrder, NodeLimit);
    });
  std::vector<Text> Courses;
  for (const ProfileCourse &C : Of.Courses)
    Courses.push_back(courseText(T, Ranks, Drawn, C, NodeLimit));
  runBoth([&] { First.write(Firsts, F.Profiles.data()); },
          [&] {
            Other.write(Others, F.Profiles.data() + Half);
            F.Frames = frameTable(Drawn.names());
          });
  if (InOrder)
    F.Profiles.push_back(std::move(Ordered));
  std::move(Courses.begin(), Courses.end(), std::back_inserter(F.Profiles));
  return F;
}

void writeSpeedscope(raw_ostream &OS, ShownTree T, const NodeRanks &Ranks,
                     const SpeedscopeProfiles &Of, bool Full, StringRef Title) {
  size_t Count = Of.Usual.size() + Of.Courses.size();
  size_t Limit =
      Full || !Count ? 0 : std::max<size_t>(MaxSpeedscopeNodes / Count, 1);
  File F = makeFile(T, Ranks, Of, Limit);
  // Long names can make a file too large with few nodes.
  while (!Full && F.bytes() > MaxBytes && Limit > 1) {
    Limit /= 2;
    F = makeFile(T, Ranks, Of, Limit);
  }
  OS << "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
        "\"exporter\":\"memflame (memkit) " MEMKIT_VERSION "\",\n\"name\":"
     << jsonText(Title)
     << ",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[\n"
     << F.Frames << "\n]},\n\"profiles\":[\n";
  for (size_t I = 0; I != F.Profiles.size(); ++I)
    OS << (I ? ",\n" : "") << F.Profiles[I];
  OS << "\n]}\n";
}

} // namespace memkit
