// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file behind an address.

#include "MappedPath.h"

#include "Runtime/Syscall.h"

using namespace memkit;
using namespace memkit::capture;

namespace {
/// /proc/self/maps, a byte at a time.
class MapsFile {
public:
  MapsFile() : Fd(sys::open("/proc/self/maps", O_RDONLY)) {}
  ~MapsFile() {
    if (Fd >= 0)
      sys::close(Fd);
  }
  MapsFile(const MapsFile &) = delete;
  MapsFile &operator=(const MapsFile &) = delete;

  /// -1 at the end.
  int next() {
    if (At == Count) {
      long N = Fd < 0 ? 0 : sys::read(Fd, Bytes, sizeof(Bytes));
      Count = N > 0 ? size_t(N) : 0;
      At = 0;
    }
    return At == Count ? -1 : static_cast<unsigned char>(Bytes[At++]);
  }

  /// Reads the hexadecimal number here, and the byte after the number.
  uint64_t number() {
    for (uint64_t N = 0;;) {
      int C = next();
      if (C >= '0' && C <= '9')
        N = N << 4 | uint64_t(C - '0');
      else if (C >= 'a' && C <= 'f')
        N = N << 4 | uint64_t(C - 'a' + 10);
      else
        return N;
    }
  }

  /// Skips to the first '/' of the line, or to its end.
  int toPath() {
    int C = next();
    while (C != '/' && C != '\n' && C >= 0)
      C = next();
    return C;
  }

private:
  int Fd;
  size_t At = 0, Count = 0;
  char Bytes[512]; // stacks may be small
};
} // namespace

static bool takePath(MapsFile &Maps, char *To, size_t Room) {
  size_t N = 0;
  for (int C = '/'; C != '\n' && C >= 0; C = Maps.next()) {
    if (N + 1 >= Room)
      return false;
    To[N++] = char(C);
  }
  To[N] = 0;
  return true;
}

bool capture::mappedPath(uint64_t Start, char *To, size_t Room) {
  MapsFile Maps;
  for (;;) {
    uint64_t Here = Maps.number();
    int C = Maps.toPath();
    if (C < 0)
      return false;
    if (Here == Start)
      return C == '/' && takePath(Maps, To, Room);
    while (C != '\n' && C >= 0)
      C = Maps.next();
  }
}
