// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recording's machine is.

#include "Options.h"
#include "Sections.h"
#include "memkit/Support/Format.h"

using namespace llvm;

namespace memkit {

std::optional<PageSection> machineSection(const PageInput &F) {
  const Header &H = F.R.Run;
  if (H.Machine.empty() && F.O.Versions.empty())
    return std::nullopt;
  Table T({{"machine", Table::Side::Left}, {"", Table::Side::Left, true}});
  auto Add = [&](StringRef Name, const std::string &Value) {
    if (!Value.empty())
      T.add({Name.str(), Value});
  };
  // A page for others does not say whose machine it was.
  if (!Explain)
    Add("host", H.Host);
  Add("kernel", H.Os);
  Add("cpus", std::to_string(H.Cpus));
  for (StringRef Fact : H.Machine) {
    auto [Name, Value] = Fact.split('=');
    uint64_t Bytes = 0;
    bool IsSize = Name == "memory" || Name == "swap" || Name == "memory-limit";
    Add(Name, IsSize && !Value.getAsInteger(10, Bytes) ? formatSize(Bytes)
                                                       : Value.str());
  }
  for (StringRef Version : F.O.Versions) {
    auto [Name, Value] = Version.split('=');
    Add(Name, Value.str());
  }
  PageSection S;
  S.Rows = std::move(T);
  return S;
}

} // namespace memkit
