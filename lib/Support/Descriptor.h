// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An owned file descriptor.

#ifndef MEMKIT_LIB_SUPPORT_DESCRIPTOR_H
#define MEMKIT_LIB_SUPPORT_DESCRIPTOR_H

#include <unistd.h>
#include <utility>

namespace memkit {

/// An owned file descriptor; closed at the end. -1: none.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int Fd) : Fd(Fd) {}
  Descriptor(Descriptor &&Other) : Fd(std::exchange(Other.Fd, -1)) {}
  Descriptor &operator=(Descriptor &&Other) {
    std::swap(Fd, Other.Fd);
    return *this;
  }
  ~Descriptor() {
    if (Fd >= 0)
      close(Fd);
  }
  int get() const { return Fd; }
  explicit operator bool() const { return Fd >= 0; }
  int release() { return std::exchange(Fd, -1); }

private:
  int Fd = -1;
};

} // namespace memkit

#endif // MEMKIT_LIB_SUPPORT_DESCRIPTOR_H
