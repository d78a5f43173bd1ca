// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared tables of a file for the Firefox Profiler.

#include "FirefoxTables.h"
#include "BlockSpans.h"
#include "FirefoxText.h"
#include "Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace llvm;

namespace memkit {

/// The type of resources that are binaries.
static constexpr unsigned LibraryResource = 1;

FirefoxTables::FirefoxTables(ShownTree T, const FrameOwners &Owners)
    : T(T), Owners(Owners), Names(T, FlameNames::Distinct::ByPlace),
      FrameOf(T.allShown().size(), None),
      StackOf(T.view().numNodes() + size_t(1), None) {}

uint32_t FirefoxTables::string(StringRef Text) {
  auto [At, New] = Strings.try_emplace(Text, StringOrder.size());
  if (New)
    StringOrder.push_back(At->first());
  return At->second;
}

/// The number of Text in a list of strings.
uint32_t FirefoxTables::index(DenseMap<uint32_t, uint32_t> &Of,
                              std::vector<uint32_t> &List, StringRef Text) {
  if (Text.empty())
    return None;
  uint32_t Id = string(Text);
  auto [At, New] = Of.try_emplace(Id, List.size());
  if (New)
    List.push_back(Id);
  return At->second;
}

/// Name: the function's number in Names.
uint32_t FirefoxTables::function(const ShownFrame &F, uint32_t Name) {
  if (Name >= FunctionOf.size())
    FunctionOf.resize(Name + size_t(1), None);
  uint32_t &Known = FunctionOf[Name];
  if (Known == None) {
    Known = Functions.size();
    Functions.push_back(
        {string(F.Function), index(ResourceOf, Resources, baseName(F.Binary)),
         index(SourceOf, Sources, F.File),
         F.FunctionId ? T.trace().function(F.FunctionId).Line : 0});
  }
  return Known;
}

uint32_t FirefoxTables::frame(uint32_t ShownIndex) {
  uint32_t &Known = FrameOf[ShownIndex];
  if (Known == None) {
    const ShownFrame &F = T.allShown()[ShownIndex];
    CodeOwner Owner = Owners.of(F.Function, F.File.empty() ? F.Binary : F.File);
    Known = Frames.size();
    Frames.push_back({function(F, Names.find(ShownIndex)), F.Line, Owner});
  }
  return Known;
}

/// A stack of one frame that is no code.
uint32_t FirefoxTables::namedStack(uint32_t &Known, StringRef Name) {
  if (Known == None) {
    Functions.push_back({string(Name), None, None, 0});
    Frames.push_back(
        {static_cast<uint32_t>(Functions.size() - 1), 0, CodeOwner::Other});
    Known = Stacks.size();
    Stacks.push_back({static_cast<uint32_t>(Frames.size() - 1), None});
  }
  return Known;
}

uint32_t FirefoxTables::stackOfNode(uint32_t Node) {
  const StackView &V = T.view();
  SmallVector<uint32_t, 64> New;
  for (; Node && StackOf[Node] == None; Node = V.parent(Node))
    New.push_back(Node);
  uint32_t Prefix = Node ? StackOf[Node] : None;
  for (uint32_t N : reverse(New)) {
    for (const ShownFrame &F : reverse(T.shown(V.frameOf(N)))) {
      Stacks.push_back(
          {frame(static_cast<uint32_t>(&F - T.allShown().data())), Prefix});
      Prefix = Stacks.size() - 1;
    }
    StackOf[N] = Prefix;
  }
  return Prefix;
}

uint32_t FirefoxTables::stack(uint32_t Key) {
  if (Key == BlockSpans::SmallerKey)
    return namedStack(Smaller, "(smaller)");
  uint32_t Node = T.view().leaf(Key);
  return Node ? stackOfNode(Node) : namedStack(NoStack, "(no stack)");
}

/// Writes a column with one value for all rows.
static void putSame(raw_ostream &OS, StringRef Name, size_t Length,
                    StringRef Value) {
  putColumn(OS, Name, seq<size_t>(0, Length), [&](size_t) { OS << Value; });
  OS << ',';
}

void FirefoxTables::writeStacks(raw_ostream &OS) const {
  OS << "\"stackTable\":{";
  putColumn(OS, "frame", Stacks, [&](const FirefoxStack &S) { OS << S.Frame; });
  OS << ",\n";
  putColumn(OS, "prefix", Stacks, [&](const FirefoxStack &S) {
    putOrNull(OS, S.Prefix != None, S.Prefix);
  });
  OS << ",\"length\":" << Stacks.size() << "}";
}

void FirefoxTables::writeFrames(raw_ostream &OS) const {
  OS << "\"frameTable\":{";
  putColumn(OS, "func", Frames,
            [&](const FirefoxFrame &F) { OS << F.Function; });
  OS << ",\n";
  putColumn(OS, "line", Frames,
            [&](const FirefoxFrame &F) { putOrNull(OS, F.Line != 0, F.Line); });
  OS << ",\n";
  putColumn(OS, "category", Frames, [&](const FirefoxFrame &F) {
    OS << static_cast<unsigned>(F.Owner);
  });
  OS << ",\n";
  putSame(OS, "subcategory", Frames.size(), "0");
  putSame(OS, "address", Frames.size(), "-1");
  putSame(OS, "inlineDepth", Frames.size(), "0");
  putSame(OS, "nativeSymbol", Frames.size(), "null");
  putSame(OS, "innerWindowID", Frames.size(), "0");
  putSame(OS, "column", Frames.size(), "null");
  OS << "\"length\":" << Frames.size() << "}";
}

void FirefoxTables::writeFunctions(raw_ostream &OS) const {
  OS << "\"funcTable\":{";
  putColumn(OS, "name", Functions,
            [&](const FirefoxFunction &F) { OS << F.Name; });
  OS << ",\n";
  putColumn(OS, "resource", Functions, [&](const FirefoxFunction &F) {
    if (F.Resource == None)
      OS << "-1";
    else
      OS << F.Resource;
  });
  OS << ",\n";
  putColumn(OS, "source", Functions, [&](const FirefoxFunction &F) {
    putOrNull(OS, F.Source != None, F.Source);
  });
  OS << ",\n";
  putColumn(OS, "lineNumber", Functions, [&](const FirefoxFunction &F) {
    putOrNull(OS, F.Line != 0, F.Line);
  });
  OS << ",\n";
  putSame(OS, "isJS", Functions.size(), "false");
  putSame(OS, "relevantForJS", Functions.size(), "false");
  putSame(OS, "columnNumber", Functions.size(), "null");
  OS << "\"length\":" << Functions.size() << "}";
}

void FirefoxTables::writeSources(raw_ostream &OS) const {
  auto PutString = [&](uint32_t Id) { OS << Id; };
  OS << "\"resourceTable\":{";
  putColumn(OS, "name", Resources, PutString);
  OS << ',';
  putSame(OS, "lib", Resources.size(), "null");
  putSame(OS, "host", Resources.size(), "null");
  putSame(OS, "type", Resources.size(), std::to_string(LibraryResource));
  OS << "\"length\":" << Resources.size() << "},\n\"sources\":{";
  putColumn(OS, "filename", Sources, PutString);
  OS << ',';
  putSame(OS, "id", Sources.size(), "null");
  putSame(OS, "startLine", Sources.size(), "1");
  putSame(OS, "startColumn", Sources.size(), "1");
  putSame(OS, "sourceMapURL", Sources.size(), "null");
  OS << "\"length\":" << Sources.size() << "}";
}

void FirefoxTables::write(raw_ostream &OS) const {
  OS << "\"shared\":{";
  writeStacks(OS);
  OS << ",\n";
  writeFrames(OS);
  OS << ",\n";
  writeFunctions(OS);
  OS << ",\n";
  writeSources(OS);
  OS << ",\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
        "\"functionSize\":[],\"length\":0},\n";
  putColumn(OS, "stringArray", StringOrder,
            [&](StringRef Text) { OS << jsonText(Text); });
  OS << "}";
}

void FirefoxTables::writeCategories(raw_ostream &OS) {
  // By CodeOwner. The first grey one is that of frames without a category.
  static constexpr struct {
    const char *Name, *Color;
  } Categories[] = {{"Your code", "blue"},
                    {"Libraries", "yellow"},
                    {"Imports", "purple"},
                    {"Other", "grey"}};
  putColumn(OS, "categories", Categories, [&](const auto &C) {
    OS << "{\"name\":\"" << C.Name << "\",\"color\":\"" << C.Color
       << "\",\"subcategories\":[\"Other\"]}";
  });
}

} // namespace memkit
