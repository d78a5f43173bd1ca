// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unwind rules compared with LLVM's reader.
//
// For every row of every function of libraries found on most machines, the test
// compares the rule and the slow step with results from LLVM's reading of the
// same bytes. The environment variable MEMKIT_UNWIND_FILES names further files,
// separated by colons; the long test uses it for large files.

#include "ElfImage.h"
#include "LlvmRules.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace memkit;
using namespace memkit::test;
using namespace llvm;
using capture::AddressRange;
using capture::EhFrame;
using capture::Registers;
using capture::Rule;
using capture::RuleKind;
using capture::StepResult;

namespace {

/// A word for each address. No simple mistake turns the word of one address
/// into a neighbour's.
uint64_t wordAt(uint64_t Address) {
  uint64_t X = Address * 0x9e3779b97f4a7c15u;
  X ^= X >> 29;
  return X * 0xbf58476d1ce4e5b9u;
}

bool readWord(const void *, uintptr_t Address, void *To, size_t Bytes) {
  uint64_t Word = wordAt(Address);
  memcpy(To, &Word, Bytes);
  return true;
}

class Comparison {
public:
  Comparison(const EhFrame &Tables, uintptr_t Bias)
      : Tables(Tables), Bias(Bias) {}

  void function(const dwarf::FDE &F);
  size_t rows() const { return Rows; }
  void print(const std::string &Name) const;

private:
  void row(const dwarf::UnwindRow &R, uint64_t End, bool SignalFrame);
  void step(const dwarf::UnwindRow &R, uintptr_t Pc, bool SignalFrame);

  const EhFrame &Tables;
  const uintptr_t Bias;
  capture::CfaCursors Known;
  size_t Functions = 0, Rows = 0, Kinds[8] = {};
};

void Comparison::function(const dwarf::FDE &F) {
  // Functions left out by the linker.
  if (!F.getInitialLocation() || !F.getAddressRange())
    return;
  Expected<dwarf::UnwindTable> Table = dwarf::UnwindTable::create(&F);
  ASSERT_TRUE(bool(Table)) << toString(Table.takeError());
  StringRef Letters = F.getLinkedCIE()->getAugmentationString();
  uint64_t End = F.getInitialLocation() + F.getAddressRange();
  ++Functions;
  for (size_t I = 0; I < Table->size(); ++I) {
    uint64_t Next = I + 1 < Table->size() ? (*Table)[I + 1].getAddress() : End;
    row((*Table)[I], Next, Letters.contains('S'));
  }
}

void Comparison::row(const dwarf::UnwindRow &R, uint64_t End,
                     bool SignalFrame) {
  uint64_t Start = R.getAddress();
  if (Start >= End) // the next row replaces this row
    return;
  Rule Ours = capture::compileRule(Tables, Bias + Start);
  Rule Theirs = ruleOf(R, SignalFrame);
  EXPECT_EQ(int(Ours.Kind), int(Theirs.Kind)) << std::hex << Start;
  EXPECT_TRUE(Ours == Theirs) << std::hex << Start;
  EXPECT_TRUE(capture::compileRule(Tables, Bias + End - 1) == Theirs)
      << std::hex << End - 1;
  // From where the run for the row before stopped, and again backwards.
  AddressRange Same;
  for (uint64_t Pc : {Start, End - 1, Start})
    EXPECT_TRUE(capture::compileRule(Tables, Bias + Pc, Same, &Known) == Theirs)
        << std::hex << Pc;
  ++Rows;
  ++Kinds[unsigned(Ours.Kind)];
  step(R, Bias + Start, SignalFrame);
}

void Comparison::step(const dwarf::UnwindRow &R, uintptr_t Pc,
                      bool SignalFrame) {
  Registers Ours;
  for (unsigned I = 0; I < Registers::Count; ++I)
    Ours.set(I, wordAt(I * 1000003));
  Ours.set(Registers::Pc, Pc);
  Ours.ExactPc = true;
  Registers Theirs = Ours;
  StepResult Expected = stepOf(R, SignalFrame, wordAt, Theirs);
  ASSERT_EQ(int(capture::stepSlow(Tables, Ours, {readWord, nullptr})),
            int(Expected))
      << std::hex << Pc - Bias;
  EXPECT_EQ(Ours.Known, Theirs.Known) << std::hex << Pc - Bias;
  EXPECT_EQ(Ours.ExactPc, Theirs.ExactPc);
  for (unsigned I = 0; I < Registers::Count; ++I)
    EXPECT_EQ(Ours.Values[I], Theirs.Values[I])
        << std::hex << Pc - Bias << " register " << I;
}

void Comparison::print(const std::string &Name) const {
  static const char *const Names[] = {"",       "sp",  "fp",   "realigned",
                                      "signal", "end", "slow", "none"};
  printf("%s: %zu functions, %zu rows:", Name.c_str(), Functions, Rows);
  for (unsigned I = 1; I < 8; ++I)
    printf(" %s %zu", Names[I], Kinds[I]);
  printf("\n");
}

void compareFile(const std::string &Path) {
  std::unique_ptr<ElfImage> Image = ElfImage::map(Path);
  ASSERT_TRUE(Image) << Path;
  EhFrame Tables;
  ASSERT_TRUE(findEhFrame(Image->headers(), Image->headerCount(), Image->bias(),
                          Tables));
  ASSERT_GT(Tables.TableSize, 0u);
  Expected<object::OwningBinary<object::ObjectFile>> File =
      object::ObjectFile::createObjectFile(Path);
  ASSERT_TRUE(bool(File)) << toString(File.takeError());
  std::unique_ptr<DWARFContext> Context =
      DWARFContext::create(*File->getBinary());
  Expected<const DWARFDebugFrame *> Frame = Context->getEHFrame();
  ASSERT_TRUE(bool(Frame)) << toString(Frame.takeError());
  Comparison C(Tables, Image->bias());
  for (const dwarf::FrameEntry &E : (*Frame)->entries())
    if (const auto *F = dyn_cast<dwarf::FDE>(&E)) {
      C.function(*F);
      if (testing::Test::HasFailure())
        break; // one failure is enough
    }
  C.print(Path);
  EXPECT_GT(C.rows(), 0u);
}

void compareLibrary(const char *Name) {
  std::string Path = pathOfLibrary(Name);
  if (Path.empty())
    GTEST_SKIP() << Name << " is not installed";
  compareFile(Path);
}

TEST(RuleVersusLlvm, Libc) { compareLibrary("libc.so.6"); }
TEST(RuleVersusLlvm, LoaderHasSignalFrames) {
  compareLibrary("ld-linux-x86-64.so.2");
}
TEST(RuleVersusLlvm, Libstdcxx) { compareLibrary("libstdc++.so.6"); }
TEST(RuleVersusLlvm, Libpython) { compareLibrary("libpython3.11.so.1.0"); }
TEST(RuleVersusLlvm, AssemblyOfLibcrypto) { compareLibrary("libcrypto.so.3"); }

TEST(RuleVersusLlvm, ExpressionsOfLibmvec) { compareLibrary("libmvec.so.1"); }

TEST(RuleVersusLlvm, GivenFiles) {
  const char *Files = getenv("MEMKIT_UNWIND_FILES");
  if (!Files)
    GTEST_SKIP() << "MEMKIT_UNWIND_FILES names no files";
  SmallVector<StringRef, 8> Paths;
  StringRef(Files).split(Paths, ':', -1, false);
  for (StringRef Path : Paths)
    compareFile(Path.str());
}

} // namespace
