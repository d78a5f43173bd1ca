// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose code the frames of a drawn tree are.

#include "FrameOwners.h"

using namespace llvm;

namespace memkit {

FrameOwners::FrameOwners(const Trace &T, const Places &Where, GroupBy By) {
  for (const ShownFrame &F : T.allShown()) {
    // A marker is no code.
    if (!F.IsPython && F.Binary.empty())
      continue;
    CodeOwner Owner = Where.isOwn(F) ? CodeOwner::User : CodeOwner::Library;
    // Other groupings have markers of the same names as functions.
    StringRef Label = By == GroupBy::Function ? F.Label : StringRef();
    for (StringRef Text : {Label, F.File, F.Binary}) {
      if (Text.empty())
        continue;
      auto [At, New] = ByEnd.try_emplace(Text.end(), Owner);
      if (Owner == CodeOwner::User)
        At->second = Owner;
    }
  }
}

CodeOwner FrameOwners::of(StringRef Function, StringRef Place) const {
  if (Place.empty() &&
      (Function == "imports" || Function.starts_with("import ")))
    return CodeOwner::Import;
  StringRef Text = Place.empty() ? Function : Place;
  auto At = ByEnd.find(Text.end());
  return At == ByEnd.end() ? CodeOwner::Other : At->second;
}

} // namespace memkit
