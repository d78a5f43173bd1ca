// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Native and Python frames merged into one path.

#include "Output/Recording.h"
#include "Stacks/StackMap.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sys/mman.h>

using namespace memkit;
using wire::CodeKind;

namespace {

/// Writes the tables of a process as a program does, and keeps the recorder's
/// result.
struct OneProgram : testing::Test {
  std::string Bytes;
  StringSink Out{Bytes};
  std::unique_ptr<Recording> R;
  std::unique_ptr<SharedProcess> Shared;
  std::unique_ptr<StackMap> Stacks;
  char *Memory = nullptr;
  size_t Size = 0;
  uint32_t NextNode = 1, NextCode = 1, NextFunction = 1, NextText = 1;
  std::map<std::string, uint32_t> Functions;

  void SetUp() override {
    R = llvm::cantFail(
        Recording::create(Out, Header(), TscClock({0, 0, 0}, 1000000000)));
    R->names().addProcess(ProcessRecord());
    R->stats().beginProcess(1, 0);
    Shared =
        llvm::cantFail(SharedProcess::create(1, ProcessSettings(), "test"));
    Stacks = std::make_unique<StackMap>(*Shared, *R, 1);
    Size = Shared->size();
    void *P = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_NORESERVE, Shared->fd(), 0);
    ASSERT_NE(MAP_FAILED, P);
    Memory = static_cast<char *>(P);
  }
  void TearDown() override { munmap(Memory, Size); }

  const wire::Regions &regions() { return Shared->control().Regions; }
  template <typename T> T *entry(uint64_t Region, uint32_t Id) {
    return reinterpret_cast<T *>(Memory + Region) + Id;
  }
  uint32_t addText(llvm::StringRef Text) {
    uint32_t Id = NextText;
    char *P = Memory + regions().Texts + (Id - 1) * wire::TextAlign;
    uint32_t Length = Text.size();
    memcpy(P, &Length, 4);
    memcpy(P + 4, Text.data(), Length);
    NextText += (4 + Length + wire::TextAlign - 1) / wire::TextAlign;
    return Id;
  }
  uint32_t addFunction(llvm::StringRef Name) {
    uint32_t &Id = Functions[Name.str()];
    if (Id)
      return Id;
    Id = NextFunction++;
    auto *F = entry<wire::PythonFunction>(regions().Functions, Id);
    F->Name = addText(Name);
    F->File = addText(Name.starts_with("gen") ? "gen.py" : "x.py");
    F->FirstLine = 1;
    F->State = 1;
    return Id;
  }
  uint32_t addCode(CodeKind Kind, uint64_t Address, uint32_t Binary = 0) {
    auto *C = entry<wire::Code>(regions().Codes, NextCode);
    C->Address = Address;
    C->Container = Binary;
    C->Kind = uint32_t(Kind);
    return NextCode++;
  }
  uint32_t addNode(uint32_t Parent, uint32_t Code) {
    auto *N = entry<wire::Node>(regions().Nodes, NextNode);
    N->Parent = Parent;
    N->Code = Code;
    return NextNode++;
  }
  uint32_t pair(uint32_t Native, uint32_t Python) {
    return addNode(Native, wire::PairBit | Python);
  }
  /// A code in greenlet's binary at Address.
  uint32_t addGreenletCode(uint64_t Address) {
    auto *M = entry<wire::MappedBinary>(regions().Binaries, 1);
    M->Start = 1000;
    M->End = 2000;
    strcpy(M->Path, "/lib/greenlet/_greenlet.cpython-311.so");
    M->State = uint32_t(wire::BinaryState::Mapped);
    return addCode(CodeKind::Native, 1000 + Address, 1);
  }
  /// Interns a path of words: `E` is an evaluator frame, `...` a gap, `G1` a
  /// greenlet frame, a number a native frame's address, `f` a Python frame,
  /// `!f` a Python frame that begins a run.
  uint32_t path(llvm::StringRef Text, uint32_t Parent = 0) {
    llvm::SmallVector<llvm::StringRef, 8> Words;
    llvm::SplitString(Text, Words);
    for (llvm::StringRef W : Words) {
      uint64_t Address;
      if (W.starts_with("E"))
        Parent =
            addNode(Parent, addCode(CodeKind::Evaluator, 0xe00 + W.size() - 1));
      else if (W.consume_front("G"))
        Parent = addNode(Parent, addGreenletCode(W[0] - '0'));
      else if (W == "...")
        Parent = addNode(Parent, addCode(CodeKind::Gap, 0));
      else if (!W.getAsInteger(10, Address))
        Parent = addNode(Parent, addCode(CodeKind::Native, Address));
      else if (W.consume_front("!"))
        Parent =
            addNode(Parent, addCode(CodeKind::PythonEntry, 7, addFunction(W)));
      else
        Parent = addNode(Parent, addCode(CodeKind::Python, 7, addFunction(W)));
    }
    return Parent;
  }

  /// The frames of the trace's stack for Node, outermost first.
  std::string shown(uint32_t Node, wire::AllocFunction F = {}) {
    uint32_t Stack = Stacks->stack(Node, uint8_t(F));
    return Stack ? text(Stack) : "";
  }
  std::string text(uint32_t Stack) {
    const Dictionary &D = R->names().pending();
    std::vector<uint32_t> Parents{0}, Leaves{0};
    for (const NewStack &S : D.Stacks) {
      uint32_t At = S.Parent;
      for (uint32_t I = 0; I != S.Length; ++I) {
        Parents.push_back(At);
        At = Parents.size() - 1;
      }
      Leaves.push_back(At);
    }
    std::vector<std::string> Words;
    for (uint32_t N = Leaves[Stack]; N; N = Parents[N])
      Words.push_back(frameText(D, D.Frames[D.NodeFrames[N - 1] - 1]));
    std::reverse(Words.begin(), Words.end());
    return llvm::join(Words, " ");
  }
  static std::string frameText(const Dictionary &D, const Frame &F) {
    if (F.Kind == FrameKind::Unknown)
      return F.Address >= 0xe00 ? "E" + std::string(F.Address - 0xe00, 'E')
                                : std::to_string(F.Address);
    const Function &Fn = D.Functions[F.Container - 1];
    return D.Strings[Fn.Name - 1];
  }
  uint64_t bad() {
    uint64_t Sum = 0;
    for (const Loss &L : R->stats().summary(1, 0).Losses)
      if (L.Kind == LossKind::BadRecord)
        Sum += L.Count;
    return Sum;
  }
};

TEST_F(OneProgram, NativeStaysNative) {
  EXPECT_EQ("1 E 2 malloc", shown(path("1 E 2"), wire::AllocFunction::Malloc));
  EXPECT_EQ("1 E 2", shown(pair(path("1 E 2"), 0)));
  EXPECT_EQ(0u, bad());
}

TEST_F(OneProgram, PythonAlone) {
  EXPECT_EQ("f g h malloc",
            shown(pair(0, path("!f g !h")), wire::AllocFunction::Malloc));
  EXPECT_EQ("f g", shown(path("!f g")));
  EXPECT_EQ(0u, bad());
}

TEST_F(OneProgram, RunsTakeThePlacesOfEvaluatorFrames) {
  EXPECT_EQ("1 f g 2 h 3 malloc",
            shown(pair(path("1 E 2 E 3"), path("!f g !h")),
                  wire::AllocFunction::Malloc));
  // Python versions in which a C frame runs each Python frame.
  EXPECT_EQ("1 f 2 g 2 h", shown(pair(path("1 E 2 E 2 E"), path("!f !g !h"))));
  EXPECT_EQ(0u, bad());
}

TEST_F(OneProgram, MoreRunsThanEvaluators) {
  EXPECT_EQ("1 f g h 2", shown(pair(path("1 E 2"), path("!f g !h"))));
  EXPECT_EQ("f g 1 2", shown(pair(path("1 2"), path("!f !g"))));
}

TEST_F(OneProgram, MoreEvaluatorsThanRuns) {
  EXPECT_EQ("1 f 2 E 3", shown(pair(path("1 E 2 E 3"), path("!f"))));
  EXPECT_EQ("1 E 2", shown(pair(path("1 E 2"), 0)));
}

TEST_F(OneProgram, FramesLeftOut) {
  // The evaluator frames below the gap get the last runs.
  EXPECT_EQ("1 a [frames left out] b c d 2 e 3",
            shown(pair(path("1 E ... 2 E 3"), path("!a !b c !d !e"))));
  EXPECT_EQ("[frames left out] a 2 b 3 c",
            shown(pair(path("... 2 E 3 E"), path("!a !b !c"))));
  // Python frames left out, too.
  EXPECT_EQ("1 a [frames left out] 2 z",
            shown(pair(path("1 E 2 E"), path("!a ... !z"))));
  EXPECT_EQ(0u, bad());
}

TEST_F(OneProgram, SharedPartsAreTheSameNodes) {
  uint32_t Outer = path("1 E 2"), Inner = path("E 3", Outer);
  uint32_t F = path("!f"), G = path("!g", F), H = path("!h", F);
  EXPECT_EQ("1 f 2 g 3", shown(pair(Inner, G)));
  uint32_t Nodes = R->names().numNodes();
  EXPECT_EQ("1 f 2 h 3", shown(pair(Inner, H)));
  EXPECT_EQ(Nodes + 2, R->names().numNodes());
  EXPECT_EQ("1 f 2 g 4", shown(pair(path("E 4", Outer), G)));
  EXPECT_EQ(Nodes + 3, R->names().numNodes());
  // A native path that meanwhile belongs to other pairs.
  EXPECT_EQ("1 f 2 g 3", shown(pair(Inner, G)));
  EXPECT_EQ("1 f 2", shown(pair(Outer, F)));
  EXPECT_EQ("1 f g 2", shown(pair(Outer, G)));
  EXPECT_EQ(Nodes + 5, R->names().numNodes());
  EXPECT_EQ(0u, bad());
}

TEST_F(OneProgram, Greenlets) {
  // Main's native path began a greenlet at g, which began another greenlet at
  // h.
  uint32_t Outer = path("1 E 2 G1 G2 3 E 4");
  uint32_t Inner = path("G1 G2 5 E 6", Outer);
  uint32_t Main = path("!main begin"), First = path("!g begin"),
           Second = path("!h work");
  EXPECT_EQ("1 main begin 2", shown(pair(path("2", path("1 E")), Main)));
  std::string Cut = shown(pair(Outer, First));
  EXPECT_TRUE(llvm::StringRef(Cut).ends_with(" 3 g begin 4")) << Cut;
  EXPECT_FALSE(llvm::StringRef(Cut).contains("main")) << Cut;
  EXPECT_EQ(llvm::StringRef(Cut).count(' '), 5u) << Cut;
  Cut = shown(pair(Inner, Second));
  EXPECT_TRUE(llvm::StringRef(Cut).ends_with(" 5 h work 6")) << Cut;
  EXPECT_EQ(llvm::StringRef(Cut).count(' '), 5u) << Cut;
  // The greenlet is about to switch: its own frames are above the innermost
  // greenlet frame.
  Cut = shown(pair(path("G1", Inner), Second));
  EXPECT_TRUE(llvm::StringRef(Cut).contains(" 5 h work 6 ")) << Cut;
  EXPECT_FALSE(llvm::StringRef(Cut).contains(" 3 ")) << Cut;
}

TEST_F(OneProgram, GeneratedLinesHaveTheLinesThatTheyCompute) {
  uint32_t File = addText("gen.py"), Layers = addText("Net\nfirst");
  uint32_t Lines = addText("12 10 forward\tm.py\n7 5 inner\tm.py");
  GeneratedLines &G = Stacks->generated();
  EXPECT_TRUE(G.take({File, 3, addText("1 1 other\tm.py"), 0}));
  EXPECT_TRUE(G.take({File, 6, Lines, Layers}));
  EXPECT_TRUE(G.take({File, 8, 0, 0}));
  // All functions run their line 7.
  uint32_t Node = path("!main gen.call run");
  EXPECT_EQ("main gen.call forward inner run", shown(Node));
  EXPECT_EQ("1 main gen.call forward inner run 2",
            shown(pair(path("1 E 2"), Node)));
  EXPECT_EQ(
      "main gen.call forward inner malloc",
      shown(pair(0, path("!main gen.call")), wire::AllocFunction::Malloc));
  EXPECT_EQ(Layers, Stacks->layersAt(Node));
  EXPECT_EQ(Layers, Stacks->layersAt(pair(path("1 E 2"), Node)));
  EXPECT_EQ(0u, Stacks->layersAt(path("!main")));
  EXPECT_EQ(0u, bad());
}

TEST_F(OneProgram, GeneratedLinesOfAnUnusualProgram) {
  uint32_t File = addText("gen.py");
  GeneratedLines &G = Stacks->generated();
  EXPECT_FALSE(G.take({File, 0, 0, 0}));
  EXPECT_FALSE(G.take({0, 1, 0, 0}));
  EXPECT_FALSE(G.take({uint64_t(1) << 40, 1, 0, 0}));
  // The valid part of a text is used.
  EXPECT_TRUE(G.take({File, 1, addText("1 1 f\tm.py\nnonsense"), UINT32_MAX}));
  EXPECT_EQ("gen.call f", shown(path("!gen.call")));
  EXPECT_EQ(0u, Stacks->layersAt(path("!gen.call")));
  EXPECT_EQ(0u, Stacks->layersAt(UINT32_MAX));
  EXPECT_EQ(1u, bad());
}

TEST_F(OneProgram, GeneratedLinesBeforeTheFirst) {
  EXPECT_TRUE(Stacks->generated().take(
      {addText("gen.py"), 8, addText("1 1 f\tm.py"), 0}));
  EXPECT_EQ("main gen.call", shown(path("!main gen.call")));
}

/// The rule of MixedStacks.h, literally.
std::string merged(llvm::ArrayRef<std::string> Native,
                   llvm::ArrayRef<std::string> Python) {
  std::vector<std::string> Runs;
  for (llvm::StringRef P : Python) {
    if (P.consume_front("!") || Runs.empty())
      Runs.push_back(P.str());
    else
      Runs.back() += " " + P.str();
  }
  size_t Evaluators = 0, Seen = 0;
  for (const std::string &N : Native)
    Evaluators += N == "E";
  std::vector<std::string> Words;
  auto Take = [&](size_t Until) {
    for (; Seen < Until; ++Seen)
      Words.push_back(Runs[Seen]);
  };
  if (!Evaluators)
    Take(Runs.size());
  size_t Met = 0;
  for (const std::string &N : Native) {
    if (N != "E" || Met++ >= Runs.size())
      Words.push_back(N);
    else
      Take(Met == Evaluators ? Runs.size() : Met);
  }
  return llvm::join(Words, " ");
}

TEST_F(OneProgram, AsTheRuleSays) {
  std::mt19937 Random(7);
  for (int Round = 0; Round != 3000; ++Round) {
    std::vector<std::string> Native, Python;
    for (unsigned N = Random() % 8; N; --N)
      Native.push_back(Random() % 2 ? "E" : std::to_string(Random() % 4));
    for (unsigned N = Random() % 8; N; --N)
      Python.push_back((Random() % 2 || Python.empty() ? "!f" : "f") +
                       std::to_string(Random() % 3));
    std::string Want = merged(Native, Python);
    uint32_t Node =
        pair(path(llvm::join(Native, " ")), path(llvm::join(Python, " ")));
    ASSERT_EQ(Want, shown(Node))
        << llvm::join(Native, " ") << " with " << llvm::join(Python, " ");
    // Again, from the cache.
    Stacks->stack(Node, uint8_t(wire::AllocFunction::Malloc));
    ASSERT_EQ(Want, shown(Node));
  }
  EXPECT_EQ(0u, bad());
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

TEST_F(OneProgram, FunctionsHaveFileNameAndLine) {
  shown(path("!Größe.π"));
  const Dictionary &D = R->names().pending();
  ASSERT_EQ(1u, D.Functions.size());
  EXPECT_EQ("Größe.π", D.Strings[D.Functions[0].Name - 1]);
  EXPECT_EQ("x.py", D.Strings[D.Functions[0].File - 1]);
  EXPECT_EQ(1u, D.Functions[0].Line);
  EXPECT_EQ(7u, D.Frames[0].Address);
  EXPECT_EQ(FrameKind::Python, D.Frames[0].Kind);
}

TEST_F(OneProgram, TextsThatAreNoTexts) {
  std::string Text;
  EXPECT_TRUE(Shared->text(0, Text));
  EXPECT_EQ("", Text);
  EXPECT_TRUE(Shared->text(addText("a\xff\xfe"
                                   "b"),
                           Text));
  EXPECT_EQ("a\xef\xbf\xbd\xef\xbf\xbd"
            "b",
            Text);
  EXPECT_TRUE(
      Shared->text(addText(std::string(wire::MaxTextBytes, 'x')), Text));
  EXPECT_EQ(wire::MaxTextBytes, Text.size());
  EXPECT_FALSE(
      Shared->text(addText(std::string(wire::MaxTextBytes + 1, 'x')), Text));
  // A text that would continue in the next piece.
  NextText = wire::PieceBytes / wire::TextAlign - 1;
  EXPECT_TRUE(Shared->text(addText("12345678abcd"), Text));
  EXPECT_EQ("12345678abcd", Text);
  NextText = wire::PieceBytes / wire::TextAlign - 1;
  EXPECT_FALSE(Shared->text(addText("12345678abcde"), Text));
  // Out of range.
  EXPECT_FALSE(Shared->text(UINT32_MAX, Text));
  EXPECT_FALSE(Shared->text(regions().TextBytes / wire::TextAlign + 1, Text));
}

TEST_F(OneProgram, NamesThatAreNotThere) {
  uint32_t Fn = addFunction("f");
  entry<wire::PythonFunction>(regions().Functions, Fn)->Name = UINT32_MAX;
  EXPECT_EQ("?", shown(path("!f")));
  EXPECT_EQ(1u, bad());
  EXPECT_EQ("?", shown(addNode(0, addCode(CodeKind::Python, 1, 0))));
  EXPECT_EQ("?", shown(addNode(0, addCode(CodeKind::Python, 1, UINT32_MAX))));
  EXPECT_EQ("?", shown(addNode(0, addCode(CodeKind::Python, 1, NextFunction))));
  EXPECT_EQ("?", shown(addNode(0, addCode(CodeKind::Python, ~0ull, Fn))));
  EXPECT_EQ(5u, bad());
}

//===----------------------------------------------------------------------===//
// A hostile program
//===----------------------------------------------------------------------===//

TEST_F(OneProgram, PairsOfPairs) {
  uint32_t P = pair(path("1 E"), path("!f"));
  EXPECT_EQ("f", shown(pair(P, path("!f"))));
  EXPECT_EQ(1u, bad());
  EXPECT_EQ("2", shown(pair(path("2"), P)));
  EXPECT_EQ(2u, bad());
  // A pair with a child.
  EXPECT_EQ("1 E 0 3", shown(path("3", P)));
  EXPECT_EQ(3u, bad());
}

TEST_F(OneProgram, PairsThatNameLaterNodes) {
  uint32_t Id = NextNode;
  EXPECT_EQ("", shown(pair(0, Id)));
  EXPECT_EQ("", shown(pair(0, Id + 100)));
  EXPECT_EQ("", shown(pair(Id + 100, 0)));
  EXPECT_EQ(3u, bad());
}

TEST_F(OneProgram, KindsOutOfRange) {
  EXPECT_EQ("0", shown(addNode(0, addCode(CodeKind(7), 5))));
  EXPECT_EQ("0", shown(addNode(0, addCode(CodeKind::None, 5))));
  EXPECT_EQ("0", shown(addNode(0, 12345)));
  EXPECT_EQ(3u, bad());
}

TEST_F(OneProgram, PathsWithoutEnd) {
  uint32_t Native = 0, Python = 0;
  uint32_t E = addCode(CodeKind::Evaluator, 0xe00);
  uint32_t N = addCode(CodeKind::Native, 1);
  uint32_t F = addCode(CodeKind::PythonEntry, 1, addFunction("f"));
  for (int I = 0; I != 300000; ++I) {
    Native = addNode(Native, I % 3 ? N : E);
    Python = addNode(Python, F);
  }
  Stacks->stack(pair(Native, Python), 0);
  EXPECT_GT(bad(), 0u);
  EXPECT_LT(R->names().numNodes(), 100000u);
}

TEST_F(OneProgram, AnyNonsense) {
  std::mt19937 Random(3);
  for (int Round = 0; Round != 20; ++Round) {
    for (int I = 0; I != 500; ++I) {
      addFunction("f" + std::to_string(I % 7));
      addCode(CodeKind(Random() % 9), Random() % 5 ? Random() % 9 : ~0ull,
              Random() % 4 ? Random() % 9 : uint32_t(Random()));
    }
    for (int I = 0; I != 1000; ++I) {
      uint32_t Code = Random() % 20 ? Random() % NextCode : uint32_t(Random());
      if (Random() % 3 == 0)
        Code = wire::PairBit | (Random() % (NextNode + 5));
      addNode(Random() % 20 ? Random() % NextNode : uint32_t(Random()), Code);
    }
    for (int I = 0; I != 2000; ++I)
      Stacks->row(Random() % (NextNode + 10), Random() % 25);
  }
  EXPECT_GT(bad(), 0u);
  R->finish();
  EXPECT_FALSE(R->failed());
}

} // namespace
