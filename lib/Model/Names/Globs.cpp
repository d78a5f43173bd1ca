// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of which one must match.

#include "Globs.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace memkit {

Expected<Globs> Globs::create(RequestField Of, ArrayRef<std::string> Texts) {
  Globs G;
  for (const std::string &Text : Texts) {
    Expected<GlobPattern> P = GlobPattern::create(Text);
    if (!P)
      return make_error<RequestError>(RequestError::RequestErrorKind::Malformed,
                                      RequestPart{Of, Text},
                                      ": " + toString(P.takeError()));
    G.Patterns.push_back(std::move(*P));
  }
  return G;
}

bool Globs::match(StringRef Text) const {
  return any_of(Patterns, [&](const GlobPattern &P) { return P.match(Text); });
}

Error nothingMatches(StringRef What, ArrayRef<std::string> Patterns,
                     ArrayRef<std::string> There) {
  const size_t Max = 20;
  StringSet<> Seen;
  SmallVector<StringRef, 8> Names;
  for (const std::string &Name : There)
    if (Seen.insert(Name).second)
      Names.push_back(Name);
  std::string Text =
      ("no " + What + " matches '" + join(Patterns, "', '") + "'").str();
  if (Names.empty())
    return makeError(Text + "; the trace has none");
  size_t Left = Names.size() > Max ? Names.size() - Max : 0;
  Names.truncate(std::min(Names.size(), Max));
  Text += "; " + What.str() + (What.ends_with("s") ? "es: " : "s: ") +
          join(Names, ", ");
  if (Left)
    Text += " and " + std::to_string(Left) + " more";
  return makeError(Text);
}

} // namespace memkit
