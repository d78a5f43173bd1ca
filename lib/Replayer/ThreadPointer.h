// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register that makes a thread find its thread-local data.

#ifndef MEMKIT_LIB_REPLAYER_THREADPOINTER_H
#define MEMKIT_LIB_REPLAYER_THREADPOINTER_H

namespace memkit {

/// Gives the running thread the thread-local data of other threads: their
/// caches and arenas in an allocator, their pthread_self(). The other threads
/// sleep meanwhile.
class ThreadPointer {
public:
  /// Asks the kernel how the register may be written.
  ThreadPointer();
  static void *get() {
    void *Out;
    // The first word of the data is its own address, by the ABI.
    asm volatile("mov %%fs:0, %0" : "=r"(Out));
    return Out;
  }
  /// Not inlined: the compiler may keep addresses of thread-local data across
  /// the instruction, but not across a call.
  [[gnu::noinline]] void set(void *To) const;

private:
  bool HasInstruction;
};

} // namespace memkit

#endif // MEMKIT_LIB_REPLAYER_THREADPOINTER_H
