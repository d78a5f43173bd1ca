// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The line of the user's own code that asked for memory.

#include "memkit/Model/Places.h"
#include "ArenaStacks.h"
#include "Model/Trace/OwnCode.h"
#include "Support/FunctionName.h"
#include "memkit/Model/Imported.h"
#include "memkit/Model/Libraries.h"
#include "memkit/Model/Rules.h"
#include "memkit/Trace/CensusNames.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include <deque>
#include <limits>
#include <map>
#include <tuple>

using namespace llvm;

namespace memkit {

StringRef placeKindName(PlaceKind K) {
  static constexpr StringLiteral Names[] = {"line", "function", "import",
                                            "category", "library"};
  return Names[static_cast<size_t>(K)];
}

/// What outlives the search: who owns which code, and texts that the trace
/// lacks.
class Places::Texts {
public:
  explicit Texts(const Trace &T) : Own(T) {}

  OwnCode Own;
  std::deque<std::string> Names;
  /// By file name without folders: the one path, or empty for several.
  StringMap<StringRef> PathOf;
};

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// Finds the place of each node: what the node's frame says, else what the
/// parent's place is.
class PlaceFinder {
public:
  PlaceFinder(const Trace &T, Places &To)
      : T(T), To(To), Own(To.Made->Own), Frames(T.numFrames() + 1),
        Folded(T.numFunctions() + 1), NamesOfFunctions(T.numFunctions() + 1),
        IsCensus(importedFrom(T.header()).isCensus()),
        HasBefore(IsCensus ||
                  llvm::is_contained(T.header().Options, "census=1")) {}

  void run() {
    judgeFrames();
    if (none_of(Frames, [](const JudgedFrame &F) { return F.OwnPlace != 0; })) {
      Own.adopt(mainPackage(), /*WithExecutables=*/true);
      judgeFrames();
    }
    To.HasLines = any_of(
        To.All, [](const Place &P) { return P.Kind == PlaceKind::Line; });
    walk();
  }
  /// After run(): the place of a node, for a node of T.
  uint32_t ofNode(uint32_t Node) {
    uint32_t Place = Node ? Results[stateOf(Node)] : 0;
    return Place == Unresolved ? libraryOf(Node, States[stateOf(Node)].Category)
                               : Place;
  }

  /// The places of what is touched of reserved address space.
  struct PoolPlaces {
    uint32_t Place, Steady;
  };
  /// After ofNode() of all nodes. Line: the place of the node.
  PoolPlaces poolOf(uint32_t Node, uint32_t Line);

private:
  enum class FramePart : uint8_t {
    Native,
    Importing, ///< of Python's import machinery
    Python,    ///< of a library
  };
  struct JudgedFrame {
    FramePart Part = FramePart::Native;
    uint32_t OwnPlace = 0;   ///< 0: not the user's
    bool IsFunction = false; ///< OwnPlace has no line
    uint32_t Category = 0;
    bool CategoryIsOfBinary = false; ///< any function of the binary has it
    /// The category is of a binary that hands on requests of others.
    bool CategoryIsOfForwarder = false;
    bool IsProgram = false; ///< of the user's binary, without symbols
    /// Of a library's `<module>`: the place of its import.
    uint32_t Import = 0;
    uint32_t Library = 0; ///< a Python package
    uint32_t Owner = 0;   ///< a name for what a library keeps for itself
    bool IsStandard = false;

    /// Whether the frame says nothing about the place: most native frames.
    bool isPlain() const {
      return Part == FramePart::Native && !OwnPlace && !Category && !Owner &&
             !IsProgram;
    }
  };
  using StateKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                              bool, bool, bool, bool, bool>;
  /// The state at a node, of all frames from the root to the node.
  struct PlaceState {
    /// Places.
    uint32_t Own = 0, Import = 0, Category = 0, Package = 0, Owner = 0;
    bool OwnIsFunction = false;
    bool ImportIsStandard = false;
    bool CategoryIsOfForwarder = false;
    bool IsImporting = false; ///< the module is not known yet
    /// Below a frame of the user's binary without symbols.
    bool IsInProgram = false;

    StateKey key() const {
      return StateKey(Own, Import, Category, Package, Owner, OwnIsFunction,
                      ImportIsStandard, CategoryIsOfForwarder, IsImporting,
                      IsInProgram);
    }
  };
  static constexpr uint32_t Unresolved = UINT32_MAX;

  uint32_t intern(Place P, StringRef Key) {
    auto [At, New] = Known.try_emplace(Key, To.All.size());
    if (New)
      To.All.push_back(P);
    return At->second;
  }
  uint32_t named(PlaceKind K, StringRef Name) {
    Place P;
    P.Kind = K;
    P.Name = Name;
    return intern(P, (placeKindName(K) + ":" + Name).str());
  }
  uint32_t holding(StringRef Name) {
    Place P;
    P.Kind = PlaceKind::Function;
    P.Name = Name;
    P.IsHolder = true;
    return intern(P, ("holder:" + Name).str());
  }
  uint32_t ownerPlace(StringRef Name) {
    return Name.empty() ? 0 : named(PlaceKind::Category, Name);
  }
  uint32_t lineOf(const ShownFrame &F);
  uint32_t sampled(Place P);
  bool isFolded(const ShownFrame &F);
  /// What the rules call memory below a function, or below code of a binary.
  struct RuleNames {
    StringRef Category, Owner;
  };
  RuleNames namesOf(const FrameNames &F) const {
    return {T.rules().category(F), T.rules().owner(F)};
  }
  const RuleNames &namesOfFunction(const ShownFrame &F);
  const RuleNames &namesOfBinary(StringRef Path);
  void judgeFrames();
  void judgePython(JudgedFrame &To, const ShownFrame &F);
  void judgeNative(JudgedFrame &To, uint32_t Frame);
  StringRef mainPackage() const;
  void walk();
  template <class Id> bool walk(std::vector<Id> &StateOf);
  uint32_t stateOf(uint32_t Node) const {
    return Narrow.empty() ? Wide[Node] : Narrow[Node];
  }
  void step(PlaceState &W, const JudgedFrame &F) const;
  uint32_t stateAfter(uint32_t State, uint32_t Frame);
  uint32_t resultOf(const PlaceState &W);
  uint32_t libraryOf(uint32_t Node, uint32_t Category);
  uint32_t innermost(uint32_t Node);
  uint32_t holderOf(uint32_t Node) const;

  const Trace &T;
  Places &To;
  OwnCode &Own;
  std::optional<Libraries> Of;     ///< made when needed
  std::vector<JudgedFrame> Frames; ///< by id
  /// By frame: JudgedFrame::isPlain(), in a list that stays in the cache.
  std::vector<uint8_t> ArePlain;
  std::vector<std::optional<bool>> Folded; ///< by function
  // The rules are slow for so many frames.
  const RuleNames Nameless;
  std::vector<std::optional<RuleNames>> NamesOfFunctions; ///< by function
  bool IsCensus;  ///< the trace is a census
  bool HasBefore; ///< it has what lived before
  std::map<const char *, RuleNames> NamesOfBinaries; ///< by path's address
  /// Nodes have few different states, which therefore are numbered; 0: the
  /// root's.
  std::vector<PlaceState> States;
  /// States by node, of which there are millions. Wide is empty unless Narrow
  /// cannot number the states.
  std::vector<uint16_t> Narrow;
  std::vector<uint32_t> Wide;
  std::vector<uint32_t> Results; ///< by state; Unresolved: the node's library
  std::map<StateKey, uint32_t> StateIds;
  DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> After; ///< state, frame
  std::vector<uint32_t> OfLibrary; ///< the place of a library; 0: not made yet
  StringMap<uint32_t> Known;
};

uint32_t PlaceFinder::lineOf(const ShownFrame &F) {
  Place P;
  P.Kind = F.Line ? PlaceKind::Line : PlaceKind::Function;
  P.Name = F.Function;
  P.Binary = F.Binary;
  if (!F.Line)
    return intern(P, ("function:" + F.Function).str());
  P.File = F.File;
  P.Line = F.Line;
  P.Source = T.sourceLine(T.function(F.FunctionId).File, F.Line);
  auto [At, New] = To.Made->PathOf.try_emplace(baseName(F.File), F.File);
  if (!New && At->second != F.File)
    At->second = StringRef();
  return intern(P, (F.File + ":" + Twine(F.Line) + ":" + F.Function).str());
}

void PlaceFinder::judgePython(JudgedFrame &J, const ShownFrame &F) {
  if (Own.isOwnPython(F.File)) {
    J.OwnPlace = lineOf(F);
    return;
  }
  bool IsLoader = T.rules().pythonRole(F.Function, F.File) == FrameRole::Loader;
  if (IsLoader) {
    if (F.File.contains("importlib"))
      J.Part = FramePart::Importing;
    return;
  }
  J.Part = FramePart::Python;
  J.Owner = ownerPlace(namesOfFunction(F).Owner);
  J.IsStandard = isStandardPython(F.File);
  StringRef Package = packageOf(F.File);
  if (!isLauncher(F.File))
    J.Library = named(PlaceKind::Library, Package);
  if (F.Function == "<module>")
    J.Import = named(PlaceKind::Import, Package);
}

bool PlaceFinder::isFolded(const ShownFrame &F) {
  std::optional<bool> &Is = Folded[F.FunctionId];
  if (!Is)
    Is = T.rules().functionRole(F.Function).IsFolded;
  return *Is;
}

/// A frame without a function has no file.
const PlaceFinder::RuleNames &
PlaceFinder::namesOfFunction(const ShownFrame &F) {
  if (!F.FunctionId)
    return Nameless;
  std::optional<RuleNames> &Known = NamesOfFunctions[F.FunctionId];
  if (!Known)
    Known = namesOf({F.Function, F.File, ""});
  return *Known;
}

const PlaceFinder::RuleNames &PlaceFinder::namesOfBinary(StringRef Path) {
  if (Path.empty())
    return Nameless;
  auto [At, New] = NamesOfBinaries.try_emplace(Path.data());
  if (New)
    At->second = namesOf({"", "", Path});
  return At->second;
}

void PlaceFinder::judgeNative(JudgedFrame &J, uint32_t Frame) {
  for (const ShownFrame &F : T.unfolded(Frame)) {
    if (Own.isOwn(F) && !isFolded(F)) {
      J.OwnPlace = lineOf(F);
      J.IsFunction = F.Line == 0;
      return;
    }
    J.IsProgram |= !F.FunctionId && Own.isOwnBinary(F.Binary);
    const RuleNames &OfFunction = namesOfFunction(F),
                    &OfBinary = namesOfBinary(F.Binary);
    if (!J.Owner)
      J.Owner = ownerPlace(OfFunction.Owner.empty() ? OfBinary.Owner
                                                    : OfFunction.Owner);
    if (J.Category)
      continue;
    StringRef Category = OfFunction.Category;
    bool IsOfBinary = Category.empty();
    if (IsOfBinary)
      Category = OfBinary.Category;
    if (Category.empty())
      continue;
    J.Category = named(PlaceKind::Category, Category);
    J.CategoryIsOfBinary = IsOfBinary;
    J.CategoryIsOfForwarder =
        IsOfBinary &&
        T.rules().requestRole(baseName(F.Binary)) == RequestRole::Forwards;
  }
}

void PlaceFinder::judgeFrames() {
  To.All.assign(1, Place());
  To.All[0].Name = "(unknown)";
  Known.clear();
  To.Made->PathOf.clear();
  for (uint32_t Id = 1; Id < Frames.size(); ++Id) {
    Frames[Id] = JudgedFrame();
    if (T.frame(Id).Kind == FrameKind::Python)
      judgePython(Frames[Id], T.unfolded(Id).front());
    else
      judgeNative(Frames[Id], Id);
  }
}

/// The package that most stacks with Python start in, with neither launchers
/// nor the standard library.
StringRef PlaceFinder::mainPackage() const {
  auto IsCandidate = [](const JudgedFrame &F) {
    return F.Part == FramePart::Python && !F.IsStandard;
  };
  if (none_of(Frames, IsCandidate))
    return StringRef();
  std::vector<uint32_t> First(T.numNodes() + 1);
  std::vector<uint64_t> Counts(To.All.size());
  for (uint32_t Node = 1; Node < First.size(); ++Node) {
    First[Node] = First[T.parent(Node)];
    const JudgedFrame &F = Frames[T.frameOf(Node)];
    if (!First[Node] && IsCandidate(F))
      First[Node] = F.Library;
    ++Counts[First[Node]];
  }
  Counts[0] = 0;
  auto Most = max_element(Counts);
  return *Most ? To.All[Most - Counts.begin()].Name : StringRef();
}

void PlaceFinder::step(PlaceState &W, const JudgedFrame &F) const {
  if (F.OwnPlace) {
    // A function without a line does not replace a line.
    if (F.IsFunction && W.Own && !W.OwnIsFunction)
      return;
    W = PlaceState();
    W.Own = F.OwnPlace;
    W.OwnIsFunction = F.IsFunction;
    return;
  }
  // The outermost library: cuDNN asks cuBLAS for a workspace of its own.
  if (!W.Owner)
    W.Owner = F.Owner;
  bool IsInPython = W.Own || W.Package;
  if (F.Part == FramePart::Importing)
    W.IsImporting |= IsInPython && (!W.Import || W.ImportIsStandard);
  else if (F.Part == FramePart::Python && W.IsImporting) {
    if (F.Import && (!W.Import || !F.IsStandard)) {
      W.Import = F.Import;
      W.ImportIsStandard = F.IsStandard;
      W.IsImporting = false;
    }
  } else if (F.Part == FramePart::Python && !W.Package)
    W.Package = F.Library;
  else if (F.IsProgram)
    W.IsInProgram = true;
  // What a program without symbols asks of the C++ library is the program's.
  else if (F.Category && !(W.IsInProgram && F.CategoryIsOfBinary)) {
    W.Category = F.Category;
    W.CategoryIsOfForwarder = F.CategoryIsOfForwarder;
  }
}

uint32_t PlaceFinder::resultOf(const PlaceState &W) {
  if (W.Owner)
    return W.Owner;
  if (W.Import)
    return W.Import;
  if (W.IsImporting)
    return named(PlaceKind::Import, "");
  for (uint32_t P : {W.Own, W.Package})
    if (P)
      return P;
  return W.Category && !W.CategoryIsOfForwarder ? W.Category : Unresolved;
}

/// The state below a frame, which is not plain, of a node with State.
uint32_t PlaceFinder::stateAfter(uint32_t State, uint32_t Frame) {
  auto [At, New] = After.try_emplace({State, Frame}, 0);
  if (!New)
    return At->second;
  PlaceState W = States[State];
  step(W, Frames[Frame]);
  auto [Id, IsNew] = StateIds.try_emplace(W.key(), States.size());
  if (IsNew) {
    States.push_back(W);
    Results.push_back(resultOf(W));
  }
  return At->second = Id->second;
}

uint32_t PlaceFinder::sampled(Place P) {
  P.IsSampled = true;
  std::string Text = To.text(P);
  return intern(P, Text);
}

PlaceFinder::PoolPlaces PlaceFinder::poolOf(uint32_t Node, uint32_t Line) {
  if (!Of)
    Of.emplace(T);
  const Place Below = To.All[Line];
  StringRef Library = Of->name(Of->ofNode(Node)), Path;
  for (uint32_t At = Node; At && baseName(Path) != Library; At = T.parent(At))
    Path = T.binaryPath(T.frameOf(At));
  if (baseName(Path) != Library || Own.isOwnBinary(Path)) {
    uint32_t Own = sampled(Below);
    return {Own, Own};
  }
  auto Keep = [this](std::string Text) -> StringRef {
    return To.Made->Names.emplace_back(std::move(Text));
  };
  StringRef Pool = T.rules().pool(Path);
  if (Pool.empty())
    Pool = Keep(("pool of " + Library).str());
  Place P;
  P.Kind = PlaceKind::Category;
  P.Name = Pool;
  PoolPlaces Out;
  Out.Steady = Out.Place = sampled(P);
  if (Below.Kind == PlaceKind::Library)
    return Out;
  P.Name = Keep(
      (Pool + ", mapped below " +
       (Below.Kind == PlaceKind::Line ? To.lineText(Below) : To.text(Below)))
          .str());
  Out.Place = sampled(P);
  return Out;
}

/// Category: of a binary that hands on requests of others (the C++ library);
/// 0: none. The category is the place if no library asked for the memory.
uint32_t PlaceFinder::libraryOf(uint32_t Node, uint32_t Category) {
  if (!Of) {
    // Most programs have a line for nearly all of their memory.
    Of.emplace(T);
    OfLibrary.resize(Of->size());
  }
  uint32_t Library = Of->ofNode(Node);
  if (Category && (!Library || T.rules().requestRole(Of->name(Library)) ==
                                   RequestRole::Forwards))
    return Category;
  if (!Library)
    return innermost(Node);
  uint32_t &Place = OfLibrary[Library];
  if (!Place)
    Place = named(PlaceKind::Library, Of->name(Library));
  return Place;
}

/// Of a block that lived before the recording: the node of who holds it, which
/// is the outermost. 0: of another block.
uint32_t PlaceFinder::holderOf(uint32_t Node) const {
  uint32_t First = 0, Second = 0;
  for (uint32_t At = Node; At; At = T.parent(At)) {
    Second = First;
    First = At;
  }
  if (T.unfolded(T.frameOf(First)).front().Function == LivedBefore)
    return Second;
  return IsCensus ? First : 0;
}

/// A function without file and binary: the innermost one that says something.
/// The innermost frame often is the allocation function.
uint32_t PlaceFinder::innermost(uint32_t Node) {
  if (uint32_t Holder = HasBefore ? holderOf(Node) : 0)
    return holding(T.unfolded(T.frameOf(Holder)).front().Function);
  uint32_t Outer = T.parent(Node);
  bool IsMarker = T.frame(T.frameOf(Node)).Kind == FrameKind::Named;
  if (IsMarker && Outer)
    Node = Outer;
  for (uint32_t At = Node; At; At = T.parent(At)) {
    const ShownFrame &F = T.unfolded(T.frameOf(At)).front();
    if (F.FunctionId && !isFolded(F))
      return named(PlaceKind::Function, F.Function);
  }
  const ShownFrame &F = T.unfolded(T.frameOf(Node)).front();
  return F.FunctionId ? named(PlaceKind::Function, F.Function) : 0;
}

/// Finds the states of all nodes, and makes all places, in the order of nodes.
/// A parent's id is lower than those of its children.
void PlaceFinder::walk() {
  States.push_back(PlaceState());
  Results.push_back(Unresolved);
  StateIds.try_emplace(PlaceState().key(), 0);
  ArePlain.assign(Frames.size(), 0);
  for (uint32_t Frame = 0; Frame != Frames.size(); ++Frame)
    ArePlain[Frame] = Frames[Frame].isPlain();
  if (!walk(Narrow)) {
    Narrow = {};
    walk(Wide);
  }
  To.ArenaPlace = named(PlaceKind::Category, Place::Arenas);
}

/// False if there are more states than Id can number. Places that were made
/// keep their order in a second walk.
template <class Id> bool PlaceFinder::walk(std::vector<Id> &StateOf) {
  StateOf.resize(T.numNodes() + size_t(1));
  for (uint32_t Node = 1; Node < StateOf.size(); ++Node) {
    uint32_t State = StateOf[T.parent(Node)], Frame = T.frameOf(Node);
    if (!ArePlain[Frame])
      State = stateAfter(State, Frame);
    if (State > std::numeric_limits<Id>::max())
      return false;
    StateOf[Node] = static_cast<Id>(State);
    if (Results[State] == Unresolved)
      libraryOf(Node, States[State].Category); // makes the place
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

Places::Places(const SelectedStats &S)
    : T(&S.trace()), Made(std::make_unique<Texts>(S.trace())) {
  PlaceFinder Finder(*T, *this);
  Finder.run();
  ArenaStacks Arenas(S);
  OfStacks.resize(T->numStacks() + 1);
  for (uint32_t Stack = 0; Stack != OfStacks.size(); ++Stack) {
    uint32_t Id = Finder.ofNode(T->leaf(Stack));
    // Arenas that an import maps are filled by the import.
    bool IsArena = Arenas.isArena(Stack);
    bool IsOfImport = All[Id].Kind == PlaceKind::Import;
    OfStacks[Stack] = IsArena && !IsOfImport ? ArenaPlace : Id;
    if (IsArena && IsOfImport)
      Steady[Stack] = ArenaPlace;
  }
  S.forEach([&](uint32_t, const StackStats &R) {
    if (!(T->heap(R.Heap).Flags & HF_Samples) || Steady.contains(R.Key))
      return;
    auto Pool = Finder.poolOf(T->leaf(R.Key), OfStacks[R.Key]);
    OfStacks[R.Key] = Pool.Place;
    Steady[R.Key] = Pool.Steady;
  });
}
Places::~Places() = default;
Places::Places(Places &&) = default;

std::optional<Place> Places::ofFrames(ArrayRef<ShownFrame> Frames) const {
  std::optional<Place> Function;
  for (const ShownFrame &F : Frames) {
    if (!Made->Own.isOwn(F))
      continue;
    Place P{F.Line ? PlaceKind::Line : PlaceKind::Function,
            F.Function,
            F.Line ? F.File : StringRef(),
            F.Binary,
            F.Line,
            {}};
    if (F.Line) {
      P.Source = T->sourceLine(T->function(F.FunctionId).File, F.Line);
      return P;
    }
    if (!Function)
      Function = P;
  }
  return Function;
}

bool Places::isOwn(const ShownFrame &F) const {
  const OwnCode &Own = Made->Own;
  if (F.IsPython)
    return Own.isOwnPython(F.File);
  if (!Own.isOwnBinary(F.Binary))
    return false;
  return F.File.empty()
             ? Own.isExecutable(F.Binary)
             : Own.isOwnSource(F.File) && F.Line != 0 && !Own.isImplicit(F);
}

std::string Places::lineText(const Place &P) const {
  StringRef Name = baseName(P.File);
  auto At = Made->PathOf.find(Name);
  bool IsOnly = At == Made->PathOf.end() || !At->second.empty();
  if (!IsOnly || Name == "__init__.py" || Name == "__main__.py") {
    StringRef Folder = baseName(P.File.rsplit('/').first);
    if (Folder.size() < P.File.size())
      return (Folder + "/" + Name + ":" + Twine(P.Line)).str();
  }
  return (Name + ":" + Twine(P.Line)).str();
}

std::string Places::text(const Place &P) const {
  if (P.IsSampled) {
    Place Exact = P;
    Exact.IsSampled = false;
    return text(Exact) + " (sampled)";
  }
  switch (P.Kind) {
  case PlaceKind::Line: {
    // Python's names of inner functions.
    std::string Name = shortFunctionName(P.Name);
    for (size_t At; (At = Name.find(".<locals>")) != std::string::npos;)
      Name.erase(At, strlen(".<locals>"));
    return lineText(P) + " " + Name;
  }
  case PlaceKind::Function:
    return shortFunctionName(P.Name);
  case PlaceKind::Import:
    return P.Name.empty() ? "imports" : "import " + P.Name.str();
  case PlaceKind::Category:
  case PlaceKind::Library:
    return P.Name.str();
  }
  llvm_unreachable("all kinds have texts");
}

} // namespace memkit
