// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Profiles as a table.

#include "Csv.h"
#include "PathTable.h"
#include "Support/CsvField.h"

using namespace llvm;

namespace memkit {

void writeCsv(raw_ostream &OS, ShownTree T, ArrayRef<Profile> Profiles) {
  OS << "stack";
  for (const Profile &P : Profiles)
    OS << ',' << metricWord(P.M) << (isInBytes(P.M) ? "_bytes" : "");
  OS << '\n';
  PathTable(T, Profiles)
      .forEach([&](StringRef Path, ArrayRef<uint64_t> Values) {
        printField(OS, Path);
        for (uint64_t V : Values)
          OS << ',' << V;
        OS << '\n';
      });
}

void writeCollapsedPair(raw_ostream &OS, ShownTree T, const Profile &Before,
                        const Profile &After) {
  const Profile Both[] = {Before, After};
  PathTable(T, Both).forEach([&](StringRef Path, ArrayRef<uint64_t> Values) {
    OS << Path << ' ' << Values[0] << ' ' << Values[1] << '\n';
  });
}

} // namespace memkit
