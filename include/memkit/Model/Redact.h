// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a trace without what tells where and by whom it was recorded.
//
// The copy has no paths, commands, options with texts of the user, host, boot-
// id, source lines, PCI addresses, UUIDs, or build-ids of binaries outside the
// system. Paths below /usr (but not /usr/local), and the part of a path from
// `site-packages`, `dist-packages` or Python's standard library on, stay. All
// other paths, and names that match a pattern, become pseudonyms: the same name
// gives the same pseudonym in each trace with the same key. Names of functions,
// heaps, scopes, layers, threads and marks stay if no pattern matches, without
// the paths in them.

#ifndef MEMKIT_MODEL_REDACT_H
#define MEMKIT_MODEL_REDACT_H

#include "memkit/Trace/TraceReader.h"
#include "memkit/Trace/TraceWriter.h"
#include <string>
#include <vector>

namespace memkit {

struct RedactOptions {
  /// Patterns (Patterns.h) of names that become pseudonyms, too.
  std::vector<std::string> Names;
  /// Without the key nobody can try names and compare pseudonyms.
  std::string Key;
};

/// The header of the copy: its options say `redacted=1`.
Header redactHeader(Header H);
/// Whether H says so.
bool isRedacted(const Header &H);
/// The pseudonym of a path, which keeps the suffix, or the path itself if it
/// may stay.
std::string redactPath(llvm::StringRef Path, const RedactOptions &Options);

/// Copies all sections of R, a complete trace, to Out, which was created with
/// redactHeader(); finishes Out. Errors: TraceError.
llvm::Error redactTrace(TraceReader &R, TraceWriter &Out,
                        const RedactOptions &Options);

} // namespace memkit

#endif // MEMKIT_MODEL_REDACT_H
