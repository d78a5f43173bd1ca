// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes tar archives to a stream.

#include "TarStream.h"
#include <cassert>
#include <cstring>

using namespace llvm;
using namespace memkit;

namespace {
constexpr size_t BlockBytes = 512;

/// A header block of ustar.
struct TarHeader {
  char Name[100];
  char Mode[8];
  char User[8];
  char Group[8];
  char Size[12];
  char Time[12];
  char Checksum[8];
  char Kind;
  char Link[100];
  char Magic[6];
  char Version[2];
  char UserName[32];
  char GroupName[32];
  char Major[8];
  char Minor[8];
  char Prefix[155];
  char Pad[12];
};
static_assert(sizeof(TarHeader) == BlockBytes);
} // namespace

/// Octal digits, and NUL at the end; numbers too large as GNU tar and others
/// write them, in base 256.
template <size_t N> static void setNumber(char (&To)[N], uint64_t Value) {
  constexpr unsigned BitsOfDigit = 3;
  if (Value >> (BitsOfDigit * (N - 1))) {
    for (size_t I = N; I-- != 1; Value >>= 8)
      To[I] = char(Value & 0xFF);
    To[0] = char(0x80);
    return;
  }
  To[N - 1] = 0;
  for (size_t I = N - 1; I-- != 0; Value >>= BitsOfDigit)
    To[I] = char('0' + (Value & 7));
}

void TarStream::add(StringRef Name, StringRef Bytes, uint64_t TimeS) {
  TarHeader H;
  std::memset(&H, 0, sizeof H);
  std::string Path = Folder + "/" + Name.str();
  assert(Path.size() <= sizeof H.Name && "a name is short");
  std::memcpy(H.Name, Path.data(), std::min(Path.size(), sizeof H.Name));
  constexpr uint64_t Mode = 0644;
  setNumber(H.Mode, Mode);
  setNumber(H.User, 0);
  setNumber(H.Group, 0);
  setNumber(H.Size, Bytes.size());
  setNumber(H.Time, TimeS);
  H.Kind = '0';
  std::memcpy(H.Magic, "ustar", sizeof H.Magic);
  std::memcpy(H.Version, "00", sizeof H.Version);
  // The sum is taken with blanks in its own place.
  std::memset(H.Checksum, ' ', sizeof H.Checksum);
  uint64_t Sum = 0;
  const auto *At = reinterpret_cast<const unsigned char *>(&H);
  for (size_t I = 0; I != sizeof H; ++I)
    Sum += At[I];
  char Digits[7];
  setNumber(Digits, Sum);
  std::memcpy(H.Checksum, Digits, sizeof Digits);
  OS.write(reinterpret_cast<const char *>(&H), sizeof H);
  OS << Bytes;
  OS.write_zeros(
      unsigned((BlockBytes - Bytes.size() % BlockBytes) % BlockBytes));
}

void TarStream::finish() { OS.write_zeros(2 * BlockBytes); }
