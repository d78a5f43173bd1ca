//===- FailOn.cpp - Findings that make a tool fail -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "memkit/Support/FailOn.h"
#include "memkit/Support/Format.h"
#include "memkit/Support/ToolMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace memkit {

FailOn::FailOn(ArrayRef<Condition> Conditions, StringRef Help)
    : Conditions(Conditions),
      Given("fail-on", cl::value_desc("condition"), cl::CommaSeparated,
            cl::desc(Help), cl::cat(toolCategory())),
      ExitCode("error-exitcode", cl::value_desc("n"),
               cl::desc("The status in place of 3 when --fail-on holds; alone, "
                        "as if with its first condition"),
               cl::cat(toolCategory())) {}

static std::pair<StringRef, StringRef> nameAndSize(StringRef Text) {
  return Text.split(':');
}

Error FailOn::check() const {
  if (ExitCode.getNumOccurrences() && (ExitCode == 0 || ExitCode > 255))
    return makeUsageError("--error-exitcode: not from 1 to 255");
  for (StringRef Text : Given) {
    auto [Name, Size] = nameAndSize(Text);
    const Condition *Known =
        find_if(Conditions, [&](const Condition &C) { return C.Name == Name; });
    bool HasSize = Text.contains(':');
    if (Known == Conditions.end() || (HasSize && !Known->TakesSize)) {
      std::vector<std::string> All;
      for (const Condition &C : Conditions)
        All.push_back(C.Name.str() + (C.TakesSize ? "[:SIZE]" : ""));
      return makeUsageError("--fail-on: '" + Text + "' is none of " +
                            join(All, ", "));
    }
    if (!HasSize)
      continue;
    if (Expected<uint64_t> Bytes = parseSize(Size); !Bytes)
      return makeUsageError("--fail-on: " + toString(Bytes.takeError()));
  }
  return Error::success();
}

bool FailOn::asksFor(StringRef Name) const {
  if (Given.empty())
    return ExitCode.getNumOccurrences() && Name == Conditions.front().Name;
  return any_of(
      Given, [&](StringRef Text) { return nameAndSize(Text).first == Name; });
}

uint64_t FailOn::size(StringRef Name) const {
  uint64_t Bytes = 0;
  for (StringRef Text : Given)
    if (nameAndSize(Text).first == Name && Text.contains(':'))
      Bytes = cantFail(parseSize(nameAndSize(Text).second));
  return Bytes;
}

int FailOn::status() const {
  return ExitCode.getNumOccurrences() ? static_cast<int>(ExitCode)
                                      : ExitCondition;
}

} // namespace memkit
