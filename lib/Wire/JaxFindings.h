// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is recorded of JAX.

#ifndef MEMKIT_LIB_WIRE_JAXFINDINGS_H
#define MEMKIT_LIB_WIRE_JAXFINDINGS_H

#include "Findings.h"

namespace memkit::wire {

/// What is recorded of JAX.
enum class JaxState : uint32_t {
  None = 0,      ///< JAX has not been seen
  Searching = 1, ///< its library is being examined
  Recorded = 2,  ///< buffers and calls of compiled programs
  NoRunner = 3,  ///< calls, but not the work that a pool does for them later
  NoCalls = 4,   ///< buffers alone: memkit does not know this version
  UnknownVersion = 5, ///< nothing: memkit does not know this version
  NoSymbols = 6,      ///< nothing: the library has no symbol table
};

inline constexpr FindingText JaxTexts[] = {
    {uint32_t(JaxState::Recorded), FindingLevel::Note,
     "JAX: its buffers and compiled programs are recorded"},
    {uint32_t(JaxState::NoRunner), FindingLevel::Alert,
     "JAX: what a program allocates after its call, on another thread, is not "
     "assigned to the program",
     "memkit does not know this version"},
    {uint32_t(JaxState::NoCalls), FindingLevel::Alert,
     "JAX: its compiled programs are not recorded",
     "memkit does not know this version"},
    {uint32_t(JaxState::UnknownVersion), FindingLevel::Alert,
     "JAX: its buffers are blocks of malloc only",
     "memkit does not know this version"},
    {uint32_t(JaxState::NoSymbols), FindingLevel::Alert,
     "JAX: its buffers are blocks of malloc only",
     "its library has no symbol table"},
};

} // namespace memkit::wire

#endif // MEMKIT_LIB_WIRE_JAXFINDINGS_H
