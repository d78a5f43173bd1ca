// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether two files are one binary, stripped or not.

#include "TwinFiles.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstring>

using namespace llvm;
using namespace llvm::ELF;
using namespace memkit;

static std::string hex(uint64_t Value) {
  return "0x" + utohexstr(Value, /*LowerCase=*/true);
}

static std::vector<ElfSegment> loadedSegments(const ElfOutline &O) {
  std::vector<ElfSegment> Loaded;
  for (const ElfSegment &S : O.Segments)
    if (S.Type == PT_LOAD)
      Loaded.push_back(S);
  return Loaded;
}

/// The sections in memory. Notes may differ: one of them is the build-id.
static std::vector<const ElfSection *> loadedSections(const ElfOutline &O) {
  std::vector<const ElfSection *> Loaded;
  for (const ElfSection &S : O.Sections)
    if (S.isAllocated() && !StringRef(S.Name).starts_with(".note."))
      Loaded.push_back(&S);
  return Loaded;
}

static std::string segmentDifference(const ElfOutline &A, StringRef NameA,
                                     const ElfOutline &B, StringRef NameB) {
  std::vector<ElfSegment> Left = loadedSegments(A), Right = loadedSegments(B);
  if (Left.size() != Right.size())
    return (NameA + " has " + Twine(Left.size()) + " segments, " + NameB + " " +
            Twine(Right.size()))
        .str();
  auto Show = [](const ElfSegment &S) {
    return hex(S.MemorySize) + " bytes at " + hex(S.Address);
  };
  for (size_t I = 0; I != Left.size(); ++I)
    if (Left[I].Address != Right[I].Address ||
        Left[I].Flags != Right[I].Flags ||
        Left[I].MemorySize != Right[I].MemorySize)
      return ("segment " + Twine(I) + " has " + Show(Left[I]) + " in " + NameA +
              ", " + Show(Right[I]) + " in " + NameB)
          .str();
  return "";
}

static std::string sectionDifference(ArrayRef<const ElfSection *> Left,
                                     StringRef NameA,
                                     ArrayRef<const ElfSection *> Right,
                                     StringRef NameB) {
  if (Left.size() != Right.size())
    return (NameA + " has " + Twine(Left.size()) + " sections in memory, " +
            NameB + " " + Twine(Right.size()))
        .str();
  for (size_t I = 0; I != Left.size(); ++I) {
    const ElfSection &L = *Left[I], &R = *Right[I];
    if (L.Name != R.Name)
      return ("the section " + L.Name + " of " + NameA + " is " + R.Name +
              " in " + NameB)
          .str();
    if (L.Address != R.Address || L.Size != R.Size)
      return (L.Name + " has " + hex(L.Size) + " bytes at " + hex(L.Address) +
              " in " + NameA + ", " + hex(R.Size) + " bytes at " +
              hex(R.Address) + " in " + NameB)
          .str();
  }
  return "";
}

/// Whether the bytes of a section differ, if both files have them.
static bool haveOtherBytes(const OpenedFile &FileA, const ElfSection &A,
                           const OpenedFile &FileB, const ElfSection &B) {
  if (!A.hasBytes() || !B.hasBytes())
    return false;
  std::vector<char> Left(1 << 20), Right(Left.size());
  for (uint64_t At = 0; At != A.Size;) {
    uint64_t Size = std::min<uint64_t>(Left.size(), A.Size - At);
    Error E = joinErrors(FileA.read(A.Offset + At, Size, Left.data()),
                         FileB.read(B.Offset + At, Size, Right.data()));
    if (E) {
      consumeError(std::move(E));
      return true;
    }
    if (memcmp(Left.data(), Right.data(), Size) != 0)
      return true;
    At += Size;
  }
  return false;
}

static std::string codeDifference(ArrayRef<const ElfSection *> Left,
                                  StringRef NameA,
                                  ArrayRef<const ElfSection *> Right,
                                  StringRef NameB) {
  Expected<OpenedFile> FileA = OpenedFile::open(NameA);
  if (!FileA)
    return (NameA + ": " + toString(FileA.takeError())).str();
  Expected<OpenedFile> FileB = OpenedFile::open(NameB);
  if (!FileB)
    return (NameB + ": " + toString(FileB.takeError())).str();
  for (size_t I = 0; I != Left.size(); ++I)
    if (Left[I]->Flags & SHF_EXECINSTR &&
        haveOtherBytes(*FileA, *Left[I], *FileB, *Right[I]))
      return ("the code in " + Left[I]->Name + " of " + NameA +
              " is not that of " + NameB)
          .str();
  return "";
}

std::string memkit::differenceOf(const ElfOutline &A, StringRef NameA,
                                 const ElfOutline &B, StringRef NameB) {
  if (A.Machine != B.Machine)
    return (NameA + " is for machine " + Twine(A.Machine) + ", " + NameB +
            " for " + Twine(B.Machine))
        .str();
  std::string Difference = segmentDifference(A, NameA, B, NameB);
  if (!Difference.empty())
    return Difference;
  auto Left = loadedSections(A), Right = loadedSections(B);
  Difference = sectionDifference(Left, NameA, Right, NameB);
  return Difference.empty() ? codeDifference(Left, NameA, Right, NameB)
                            : Difference;
}
