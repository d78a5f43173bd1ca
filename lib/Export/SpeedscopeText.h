// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of profiles, fast.

#ifndef MEMKIT_LIB_EXPORT_SPEEDSCOPETEXT_H
#define MEMKIT_LIB_EXPORT_SPEEDSCOPETEXT_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <charconv>
#include <cstring>

namespace memkit {

/// Text under construction. Calls of a stream would cost more than the text.
using Text = llvm::SmallVector<char, 0>;

inline char *put(char *At, llvm::StringRef S) {
  std::memcpy(At, S.data(), S.size());
  return At + S.size();
}
inline char *put(char *At, uint64_t Number) {
  return std::to_chars(At, At + 20, Number).ptr;
}

/// Writes an event of a profile, at most MaxEvent bytes.
inline constexpr size_t MaxEvent = 64;
inline char *putEvent(char *At, bool Opens, uint32_t Name, uint64_t Where) {
  At = put(At, Opens ? R"({"type":"O","frame":)" : R"({"type":"C","frame":)");
  return put(put(put(put(At, uint64_t(Name)), R"(,"at":)"), Where), "},");
}

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_SPEEDSCOPETEXT_H
