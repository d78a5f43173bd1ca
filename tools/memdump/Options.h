// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memdump's options.

#ifndef MEMKIT_TOOLS_MEMDUMP_OPTIONS_H
#define MEMKIT_TOOLS_MEMDUMP_OPTIONS_H

#include "Export/EventRows.h"
#include "llvm/Support/CommandLine.h"
#include <string>

namespace memkit {

enum class DumpFormat {
  Text,
  Markdown,
  Asm,
  Json,
  Csv,
  Parquet,
  Arrow,
  TorchSnapshot
};
enum class DumpTable : unsigned {}; ///< index in namedAnswers()
enum class DumpJob {
  Print,
  Summary,
  Layers,
  Operators,
  Kernels,
  Programs,
  Arrays,
  Scopes,
  Steps,
  Processes,
  Categories,
  Oom,
  Holders,
  Map,
  Check,
  Symbolize,
  Redact
};

extern llvm::cl::list<std::string> Inputs;
extern std::string Input; ///< of Inputs, as one trace; -: standard input
extern llvm::cl::opt<std::string> Output; ///< -: standard output
extern llvm::cl::opt<DumpFormat> OutputFormat;
extern llvm::cl::opt<DumpJob> What;
extern llvm::cl::list<DumpTable> WhatTables;
extern llvm::cl::list<EventColumn> Columns;
extern llvm::cl::list<std::string> RedactNames;
extern llvm::cl::opt<std::string> RedactKey;

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_OPTIONS_H
