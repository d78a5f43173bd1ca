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
  llvm::StringRef Text;  ///< a description of findings of this rule, a sentence
};

struct SarifResult {
  size_t Rule = 0;
  std::string Message;
  std::vector<ShownFrame> Stack; ///< innermost first
  /// Equal for the same finding in another run, so that viewers of results can
  /// mark new findings.
  uint64_t Fingerprint = 0;
  llvm::json::Object Properties;
};

/// Writes a log of SARIF 2.1.0 with one run of Tool. The location of a result
/// is its innermost frame with a line, preferably in the program's own files.
void writeSarif(llvm::raw_ostream &OS, llvm::StringRef Tool,
                llvm::ArrayRef<SarifRule> Rules,
                llvm::MutableArrayRef<SarifResult> Results);

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SARIF_H
