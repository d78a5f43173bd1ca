// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of a file for the Firefox Profiler.

#ifndef MEMKIT_LIB_EXPORT_FIREFOXTEXT_H
#define MEMKIT_LIB_EXPORT_FIREFOXTEXT_H

#include "llvm/Support/raw_ostream.h"

namespace memkit {

/// Writes a column of a table, `"Name":[..]`. Put writes a value.
template <typename ListT, typename PutT>
void putColumn(llvm::raw_ostream &OS, llvm::StringRef Name, const ListT &List,
               PutT Put) {
  OS << '"' << Name << "\":[";
  bool First = true;
  for (const auto &Value : List) {
    if (!First)
      OS << ',';
    First = false;
    Put(Value);
  }
  OS << "]";
}

/// Writes a time as milliseconds, exact.
inline void putMilliseconds(llvm::raw_ostream &OS, uint64_t Ns) {
  OS << Ns / 1'000'000;
  uint64_t Rest = Ns % 1'000'000;
  if (!Rest)
    return;
  char Digits[7] = {'.'};
  for (int At = 6; At; --At, Rest /= 10)
    Digits[At] = static_cast<char>('0' + Rest % 10);
  OS << llvm::StringRef(Digits, 7).rtrim('0');
}

/// Writes Value, or null.
inline void putOrNull(llvm::raw_ostream &OS, bool IsKnown, uint64_t Value) {
  if (IsKnown)
    OS << Value;
  else
    OS << "null";
}

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_FIREFOXTEXT_H
