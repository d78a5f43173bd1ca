// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM finds at an address, as source locations.

#include "FrameLocations.h"
#include "DwarfNames.h"
#include "Support/FunctionName.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include <algorithm>

using namespace llvm;
using namespace memkit;

/// Whether Text is known: LLVM returns BadString for unknown names.
static bool isKnown(StringRef Text) {
  return !Text.empty() && Text != DILineInfo::BadString;
}

/// Whether a name has parameters, and therefore its scope. Also false for
/// operators that look like brackets.
static bool hasParameters(StringRef Name) {
  Name.consume_front("operator()");
  int Depth = 0;
  for (char C : Name) {
    if (C == '(' && Depth <= 0)
      return true;
    Depth += (C == '<') - (C == '>');
  }
  return false;
}

/// Completes the names of functions that debug information gives without scope
/// and parameters.
static void completeNames(DWARFContext &Dwarf, uint64_t Address,
                          DIInliningInfo &Info) {
  uint32_t Count = Info.getNumberOfFrames(), F = 0;
  auto IsWhole = [](const DILineInfo &L) {
    return !isKnown(L.FunctionName) || hasParameters(L.FunctionName);
  };
  while (F != Count && IsWhole(Info.getFrame(F)))
    ++F;
  if (F == Count)
    return;
  std::vector<std::string> Names = wholeNamesAt(Dwarf, Address);
  for (; F < Names.size() && F != Count; ++F)
    if (DILineInfo *L = Info.getMutableFrame(F);
        !IsWhole(*L) && !Names[F].empty())
      L->FunctionName = std::move(Names[F]);
}

std::string memkit::plainName(StringRef Demangled) {
  Demangled.consume_front("__GI_");
  return rustFunctionName(Demangled);
}

std::vector<SourceLocation> memkit::locationsOf(DIInliningInfo Info,
                                                uint64_t Address,
                                                DWARFContext *Dwarf) {
  std::vector<SourceLocation> Out;
  if (Dwarf)
    completeNames(*Dwarf, Address, Info);
  uint32_t Count = std::min<uint32_t>(Info.getNumberOfFrames(), 255);
  for (uint32_t F = 0; F != Count; ++F) {
    const DILineInfo &Line = Info.getFrame(F);
    if (!isKnown(Line.FunctionName) && !isKnown(Line.FileName))
      continue;
    SourceLocation &L = Out.emplace_back();
    if (isKnown(Line.FunctionName))
      L.Function = plainName(Line.FunctionName);
    L.Line = Line.Line;
    L.StartLine = Line.StartLine;
    // Without a line the file is a guess from the symbol table: the last file
    // named before the symbol, often of another object.
    if (!L.Line && !L.StartLine)
      continue;
    if (isKnown(Line.StartFileName))
      L.File = Line.StartFileName;
    else if (isKnown(Line.FileName))
      L.File = Line.FileName;
  }
  return Out;
}
