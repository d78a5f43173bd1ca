//===- FailOn.h - Findings that make a tool fail -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_SUPPORT_FAILON_H
#define MEMKIT_SUPPORT_FAILON_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace memkit {

/// The flags --fail-on=CONDITION,... and --error-exitcode=N of a tool. A
/// condition is a name, or NAME:SIZE where the tool compares bytes.
class FailOn {
public:
  struct Condition {
    llvm::StringRef Name;
    bool TakesSize;
  };
  /// Registers the flags; Help describes the conditions. The first condition is
  /// the one that --error-exitcode alone asks for. Both must live as long.
  FailOn(llvm::ArrayRef<Condition> Conditions, llvm::StringRef Help);

  /// Checks what was given; a UsageError. Before the others.
  llvm::Error check() const;
  /// Whether a condition was asked for.
  bool asksFor(llvm::StringRef Name) const;
  /// The SIZE given with it, 0 without.
  uint64_t size(llvm::StringRef Name) const;
  /// The exit status when a condition that was asked for holds.
  int status() const;

private:
  llvm::ArrayRef<Condition> Conditions;
  llvm::cl::list<std::string> Given;
  llvm::cl::opt<unsigned> ExitCode;
};

} // namespace memkit

#endif // MEMKIT_SUPPORT_FAILON_H
