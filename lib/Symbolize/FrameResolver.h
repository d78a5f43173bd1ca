// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Resolves the native frames of a trace.

#ifndef MEMKIT_LIB_SYMBOLIZE_FRAMERESOLVER_H
#define MEMKIT_LIB_SYMBOLIZE_FRAMERESOLVER_H

#include "NameProcess.h"
#include "Symbolize/SymbolizeOptions.h"
#include "Trace/NameTable.h"
#include <map>

namespace memkit {

/// Resolves the frames of Trace and adds the symbols to Names, binary by
/// binary.
class FrameResolver {
public:
  FrameResolver(const TraceFrames &Trace, const SymbolizeOptions &Options,
                NameTable &Names)
      : Trace(Trace), Options(Options), Names(Names), Finder(Options.Places) {}

  /// Checks the named files. PageSize is the recorded machine's. Errors: as
  /// for chooseTwins().
  llvm::Error chooseFiles(uint64_t PageSize);
  /// Adds the counts of each binary to Stats.
  void resolve(SymbolizeStats &Stats);

private:
  struct FrameToResolve {
    uint64_t Address;
    uint32_t Id;
    bool HasFunction; ///< only the line is missing
    auto operator<=>(const FrameToResolve &) const = default;
  };
  using FrameList = std::vector<FrameToResolve>;

  void resolveBinary(uint32_t Id, FrameList Open, BinarySymbolCounts &Counts);
  std::string resolveWith(const SymbolFiles &Files, FrameList &Open,
                          BinarySymbolCounts &Counts);
  void takeSymbols(const FrameToResolve &F,
                   const std::vector<SourceLocation> &Locations,
                   BinarySymbolCounts &Counts);
  void report(uint64_t Done) const {
    if (Options.OnProgress)
      Options.OnProgress("resolving frames", Done, Total);
  }

  const TraceFrames &Trace;
  const SymbolizeOptions &Options;
  NameTable &Names;
  SymbolFinder Finder;
  NameProcess Process;
  std::map<uint32_t, TwinFile> Twins; ///< by binary
  uint64_t Done = 0, Total = 0;       ///< frames
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_FRAMERESOLVER_H
