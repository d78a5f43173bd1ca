// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The frames of a trace, and what the trace knows of each.

#include "TraceFrames.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace memkit;

/// The path of a file that was deleted before it was recorded.
static StringRef withoutDeleted(StringRef Path) {
  Path.consume_back(" (deleted)");
  return Path;
}

void TraceFrames::add(const Dictionary &D) {
  append_range(Strings, D.Strings);
  append_range(Binaries, D.Binaries);
  append_range(Loads, D.Loads);
  append_range(Processes, D.Processes);
  for (const ProcessRecord &P : D.Processes)
    if (P.Recorded)
      Programs.insert(withoutDeleted(string(P.Exe)));
  append_range(Frames, D.Frames);
  Known.resize(Frames.size());
  for (const Function &F : D.Functions)
    HasFile.push_back(F.File != 0);
  for (const FrameSymbols &S : D.Symbols) {
    if (!S.Frame || S.Frame > Known.size())
      continue;
    bool HasLine = any_of(S.Locations, [&](const Location &L) {
      return L.Line || (L.Function && L.Function <= HasFile.size() &&
                        HasFile[L.Function - 1]);
    });
    Known[S.Frame - 1] =
        HasLine ? FrameKnowledge::Line : FrameKnowledge::Function;
  }
}

uint32_t TraceFrames::binaryOf(const Frame &F) const {
  return F.Kind == FrameKind::Native && F.Container <= Binaries.size()
             ? F.Container
             : 0;
}

StringRef TraceFrames::string(uint32_t Id) const {
  return Id && Id <= Strings.size() ? StringRef(Strings[Id - 1]) : "";
}

StringRef TraceFrames::path(uint32_t Binary) const {
  return withoutDeleted(string(Binaries[Binary - 1].Path));
}

bool TraceFrames::isProgram(uint32_t Binary) const {
  StringRef Path = path(Binary);
  return !Path.empty() && Programs.contains(Path);
}
