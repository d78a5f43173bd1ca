// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memkit-replay: repeats the requests of a recorded program to the malloc that
// is preloaded. memsim starts memkit-replay, and says how on a socket
// (Wire/ReplayCommands.h).

#include "Player.h"
#include <cerrno>
#include <csignal>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace memkit;
using namespace memkit::wire;

/// Reads Size bytes. False: the stream ended.
static bool readAll(char *To, size_t Size) {
  while (Size) {
    ssize_t Got = read(ReplaySocket, To, Size);
    if (Got < 0 && errno == EINTR)
      continue;
    if (Got <= 0)
      return false;
    To += Got;
    Size -= size_t(Got);
  }
  return true;
}

int main() {
  // Nothing stays behind where memsim is killed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  ReplayStart Start;
  if (!readAll(reinterpret_cast<char *>(&Start), sizeof(Start))) {
    static constexpr char Text[] =
        "memkit-replay: error: memsim starts this program\n";
    (void)!write(STDERR_FILENO, Text, sizeof(Text) - 1);
    return 2;
  }
  rlimit Addresses = {Start.AddressBytes, Start.AddressBytes};
  setrlimit(RLIMIT_AS, &Addresses);
  rlimit NoCore = {0, 0};
  setrlimit(RLIMIT_CORE, &NoCore);
  static Player P(Start);
  P.run();
}
