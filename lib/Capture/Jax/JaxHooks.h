// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records JAX's buffers and compiled programs on the CPU.
//
// All code of jaxlib is in one library without exports, so nothing can be
// interposed. memkit finds four classes in the library (ClassFinder) and
// replaces single virtual functions in their tables:
//
// - the allocator of buffers, and the memory that the allocator makes: each
//   buffer is one block of posix_memalign. Other parts of the library (oneDNN)
//   call posix_memalign, too.
// - the loaded executable: a call of a compiled program, with the program's
//   name.
// - the runner of asynchronous work: a call may allocate and compute later, on
//   a thread of a pool. The closure of the work leads to the call.
//
// A function is replaced only if the library's symbol table gives the expected
// name, types of the parameters included. Otherwise nothing is replaced, and
// buffers count as blocks of malloc alone.

#ifndef MEMKIT_CAPTURE_JAX_JAXHOOKS_H
#define MEMKIT_CAPTURE_JAX_JAXHOOKS_H

#include "CallTable.h"
#include "JaxPrograms.h"
#include "Runtime/Pieces.h"
#include "Runtime/Source.h"

namespace memkit::capture {

/// The state of a thread.
struct JaxThread {
  /// The call that the thread makes now; Number 0: none.
  ProgramCall Call;
  uint64_t NextNumber, EndNumber; ///< numbers of scopes of the thread
};
extern __thread JaxThread ThisJax __attribute__((tls_model("initial-exec")));

struct JaxProcess {
  wire::Control *Ctl = nullptr;
  uint32_t Bits = 0; ///< wire::TorchBits
  CallTable Calls;
  JaxPrograms Programs;

  bool wantsBuffers() const { return Bits & wire::TB_Heaps; }
  bool wantsCalls() const { return Bits & wire::TB_Contexts; }
};

/// Fork wipes the page.
struct alignas(PageBytes) ProcessJax : JaxProcess {};
extern ProcessJax Jax;

/// Looks for JAX's classes in the binary of \p Pc, and replaces their
/// functions, once in a program. Called while no other thread runs code of the
/// library.
void attachJax(uintptr_t Pc);

extern const Source JaxSource;

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_JAX_JAXHOOKS_H
