// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings as SARIF.

#ifndef MEMKIT_LIB_EXPORT_SARIF_H
#define MEMKIT_LIB_EXPORT_SARIF_H

#include "memkit/Model/Trace.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace memkit {

struct SarifRule {
  llvm::StringRef Id;
  llvm::StringRef Level; ///< `error`, `warning` or `note`
  llvm::StringRef Text;  ///< what findings of it are, a sentence
};

struct SarifResult {
  size_t Rule = 0;
  std::string Message;
  std::vector<ShownFrame> Stack; ///< innermost first
  /// The same for the same finding in another run: who shows results knows by
  /// it which are new.
  uint64_t Fingerprint = 0;
  llvm::json::Object Properties;
};

/// Writes a log of SARIF 2.1.0 with one run of Tool. A result's place is the
/// innermost frame with a line, of the program's own files where it has such.
void writeSarif(llvm::raw_ostream &OS, llvm::StringRef Tool,
                llvm::ArrayRef<SarifRule> Rules,
                llvm::MutableArrayRef<SarifResult> Results);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SARIF_H
