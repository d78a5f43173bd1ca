// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sentence for a finding of the capture library.

#ifndef MEMKIT_LIB_RECORD_SESSION_FINDINGSENTENCE_H
#define MEMKIT_LIB_RECORD_SESSION_FINDINGSENTENCE_H

#include "Wire/Findings.h"
#include <string>

namespace memkit {

/// A copy of a wire::SourceFinding.
struct FindingFacts {
  uint32_t Code = 0, Why = 0, Argument = 0;
  std::string Name;  ///< printable
  std::string Parts; ///< that the user wants recorded, or that are missing

  static FindingFacts read(const wire::SourceFinding &Of);
};

/// `3.11.4`, from PY_VERSION_HEX.
std::string pythonVersion(uint32_t Hex);

/// The text of a finding, of AnyCode if none has the code; null: the user does
/// not hear of the finding.
const wire::FindingText *findText(const wire::FindingTexts &Of, uint32_t Code,
                                  uint32_t Why);

/// T: one of Of, of the finding F.
std::string findingSentence(const wire::FindingText &T,
                            const wire::FindingTexts &Of,
                            const FindingFacts &F);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_FINDINGSENTENCE_H
