// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables in which launchers of distributed jobs tell a process its
// place.

#ifndef MEMKIT_LIB_RECORD_LAUNCHERS_H
#define MEMKIT_LIB_RECORD_LAUNCHERS_H

#include "memkit/Trace/Dictionary.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace memkit {

/// Looks up an environment variable.
using GetEnv = llvm::function_ref<std::optional<std::string>(llvm::StringRef)>;
std::optional<std::string> getProcessEnv(llvm::StringRef Name);

struct LaunchedPlace {
  JobPlace Place;  ///< without strings
  std::string Job; ///< empty: not known
};

/// The place of a process with the environment Env. Of two launchers the inner
/// one counts: torchrun's RANK before the SLURM_PROCID of the task that started
/// torchrun. A value that is no number from 0 is passed over.
LaunchedPlace findPlace(GetEnv Env);

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_LAUNCHERS_H
