// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of a memory map.

#include "MapText.h"
#include "Export/StackText.h"
#include "Support/FunctionName.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

StringRef memkit::innermostScope(const Trace &T, uint32_t ScopePath,
                                 ScopeKind K) {
  for (; ScopePath; ScopePath = T.scopePaths()[ScopePath - 1].Parent)
    if (const ScopeRecord &S =
            T.scopes()[T.scopePaths()[ScopePath - 1].Scope - 1];
        S.Kind == K)
      return T.string(S.Name);
  return "";
}

uint32_t memkit::freePpm(uint64_t Free, uint64_t Bytes) {
  return fragmentationPpm(Bytes, Bytes - std::min(Bytes, Free));
}

/// The frame that asked for the memory: the innermost Python frame, else the
/// innermost frame of Library.
static std::string leafText(const Trace &T, uint32_t Stack, StringRef Library) {
  std::vector<ShownFrame> Frames = T.shownStack(Stack);
  if (Frames.empty())
    return "";
  auto Best = find_if(Frames, [](const ShownFrame &F) { return F.IsPython; });
  if (Best == Frames.end())
    Best = find_if(Frames, [Library](const ShownFrame &F) {
      return !F.Binary.empty() && baseName(F.Binary) == Library;
    });
  ShownFrame F = Best == Frames.end() ? Frames.front() : *Best;
  std::string Name;
  if (!F.IsPython)
    F.Function = Name = shortFunctionName(F.Function);
  return frameText(F, FP_Binary);
}

std::string memkit::purposeOf(const Trace &T, const Libraries &Asked,
                              uint32_t ScopePath, uint32_t Stack) {
  StringRef Layer = innermostScope(T, ScopePath, ScopeKind::Layer);
  StringRef Operator = innermostScope(T, ScopePath, ScopeKind::Operator);
  if (Layer.empty() && Operator.empty())
    return leafText(T, Stack, Asked.name(Asked.of(Stack)));
  std::string Text = Layer.str();
  if (!Operator.empty())
    Text += (Text.empty() ? "" : " ") + Operator.str();
  return Text;
}

std::string memkit::makerOf(const Trace &T, const Libraries &Asked,
                            const OwnCode &Own, const MappedPool &P) {
  for (const ShownFrame &F : T.shownStack(P.Stack))
    if (F.IsPython && Own.isOwn(F))
      return frameText(F, FP_Binary);
  return purposeOf(T, Asked, P.ScopePath, P.Stack);
}

StringRef memkit::causeKey(OomCause::OomCauseKind Why) {
  switch (Why) {
  case OomCause::Unknown:
    return "unknown";
  case OomCause::Full:
    return "full";
  case OomCause::Scattered:
    return "fragmentation";
  case OomCause::OtherHole:
    return "other_stream_or_pool";
  case OomCause::HasRoom:
    return "room_on_device";
  }
  llvm_unreachable("all causes are listed");
}

StringRef memkit::causeText(OomCause::OomCauseKind Why) {
  switch (Why) {
  case OomCause::Unknown:
    return "the free memory of the device is unknown";
  case OomCause::Full:
    return "the device is full";
  case OomCause::Scattered:
    return "fragmentation";
  case OomCause::OtherHole:
    return "the hole belongs to another stream or pool";
  case OomCause::HasRoom:
    return "a limit that the program set, or memory taken since";
  }
  llvm_unreachable("all causes are listed");
}
