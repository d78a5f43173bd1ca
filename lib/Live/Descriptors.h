// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages with file descriptors over a UNIX socket.

#ifndef MEMKIT_LIB_LIVE_DESCRIPTORS_H
#define MEMKIT_LIB_LIVE_DESCRIPTORS_H

#include "Support/Descriptor.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace memkit {

/// The longest message in bytes, and the most descriptors of one.
inline constexpr size_t MaxMessage = 65536;
inline constexpr size_t MaxDescriptors = 4;

/// Sends Text with copies of Fds in one packet, without waiting. False: errno
/// has the reason.
bool sendMessage(int Socket, llvm::StringRef Text, llvm::ArrayRef<int> Fds);

struct LiveMessage {
  std::string Text;
  std::vector<Descriptor> Fds;
};
enum class Received {
  Nothing, ///< no packet has come yet
  Packet,
  End, ///< the peer has gone, or sent more than fits
};
/// Takes the next packet, without waiting.
Received receiveMessage(int Socket, LiveMessage &Out);

} // namespace memkit

#endif // MEMKIT_LIB_LIVE_DESCRIPTORS_H
