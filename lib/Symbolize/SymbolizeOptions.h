// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How symbols are added to a trace.

#ifndef MEMKIT_LIB_SYMBOLIZE_SYMBOLIZEOPTIONS_H
#define MEMKIT_LIB_SYMBOLIZE_SYMBOLIZEOPTIONS_H

#include "SymbolReport.h"
#include "TwinFiles.h"
#include "memkit/Support/ProgressCallback.h"
#include "memkit/Trace/Sections.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <vector>

namespace memkit {

struct SymbolizeOptions {
  SymbolPlaces Places;
  std::vector<NamedFile> Named; ///< files that stand for binaries
  PerfMapChoice PerfMaps;
  ProgressCallback OnProgress;
};

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SYMBOLIZEOPTIONS_H
