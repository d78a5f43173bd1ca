// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack in one line.

#include "FirstScreen.h"
#include "Support/FunctionName.h"
#include "memkit/Model/Rules.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

/// Whether a native function is an allocator, or passes requests on to one.
static bool isAllocator(const Rules &R, StringRef Name) {
  return is_contained({"malloc", "calloc", "realloc", "mmap"}, Name) ||
         R.functionRole(Name).IsFolded;
}

/// Whether a Python file belongs to a library or to the interpreter.
static bool isLibrary(const Rules &R, StringRef File) {
  return File.starts_with("<") || R.isOwnFile(File) == false;
}

/// The innermost Python frames up to Max: the innermost frame of all, then
/// frames of the program's own files.
static std::vector<ShownFrame>
tellingPython(const Rules &R, ArrayRef<ShownFrame> All, size_t Max) {
  std::vector<ShownFrame> Out;
  for (const ShownFrame &F : All)
    if (F.IsPython && Out.size() < Max &&
        (Out.empty() || !isLibrary(R, F.File)))
      Out.push_back(F);
  return Out;
}

/// The function; for a Python frame of the program the file and line.
static std::string shortFrame(const Rules &R, const ShownFrame &F) {
  if (!F.IsPython)
    return shortFunctionName(F.Function);
  if (isLibrary(R, F.File) || F.File.empty() || !F.Line)
    return F.Function.str();
  return baseName(F.File).str() + ":" + std::to_string(F.Line);
}

std::string stackInShort(const Trace &T, uint32_t Stack) {
  constexpr size_t Max = 3;
  const Rules &R = T.rules();
  std::vector<ShownFrame> All = T.shownStack(Stack);
  std::vector<ShownFrame> Chosen = tellingPython(R, All, Max);
  if (Chosen.empty())
    copy_if(All, std::back_inserter(Chosen),
            [&](const ShownFrame &F) { return !isAllocator(R, F.Function); });
  if (Chosen.empty())
    Chosen = std::move(All);
  std::string Text;
  for (const ShownFrame &F : ArrayRef(Chosen).take_front(Max))
    Text += (Text.empty() ? "" : " < ") + shortFrame(R, F);
  return Text.empty() ? "(no stack)" : Text;
}

} // namespace memkit
