// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tools ask about a running recording.

#ifndef MEMKIT_LIB_RECORD_SESSION_DOOR_H
#define MEMKIT_LIB_RECORD_SESSION_DOOR_H

#include "Live/Descriptors.h"
#include "Output/LiveCopy.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <poll.h>
#include <string>
#include <vector>

namespace memkit {

class ChildList;
class Recording;
class RecordingControl;
struct RecordOptions;

/// Listens on the socket of this recorder (Live/Places.h) and answers the
/// requests of Live/Client.h, only to processes of this user and of root. A
/// request takes the recorder some microseconds; a copy of the trace is made in
/// steps between the passes. Belongs to the recorder's thread.
class Door {
public:
  /// TraceFd: the file of the trace, or a copy of what is written; the door
  /// opens it anew for each reader. Errors: no socket can be made.
  static llvm::Expected<std::unique_ptr<Door>>
  open(const RecordOptions &O, Recording &R, RecordingControl &Control,
       ChildList &Children, int TraceFd);
  ~Door();

  const std::string &path() const { return Path; }
  /// Appends what take() waits for.
  void addPolls(std::vector<pollfd> &To) const;
  /// Whether take() has work without a request.
  bool isCopying() const { return Copy != nullptr; }
  /// Takes connections and requests, and goes on with a copy. Called once a
  /// pass; IsReady: a descriptor of addPolls() is readable.
  void take(uint64_t NowNs, bool IsReady);

  /// Called when a copy for a tool has begun.
  std::function<void()> OnCopy = [] {};

private:
  static constexpr size_t MaxClients = 32;
  Door(const RecordOptions &O, Recording &R, RecordingControl &Control,
       ChildList &Children, int TraceFd)
      : O(O), R(R), Control(Control), Children(Children), TraceFd(TraceFd) {}
  struct Peer {
    Descriptor Socket;
    bool WantsTrace = false; ///< waits for a copy that has not begun
    bool GetsCopy = false;   ///< waits for the copy that is being made
    uint64_t Since = 0;      ///< the event of the peer's copy before; 0: none
  };
  void accept();
  bool hear(Peer &P);
  std::string answer(llvm::StringRef Request);
  std::string hello() const;
  void mark(llvm::StringRef Name);
  void goOnCopying(uint64_t NowNs);
  void sendCopy();
  void failCopy(llvm::Error E);

  const RecordOptions &O;
  Recording &R;
  RecordingControl &Control;
  ChildList &Children;
  int TraceFd;
  std::string Path;
  Descriptor Listener;
  std::vector<Peer> Peers;
  std::unique_ptr<LiveCopy> Copy;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SESSION_DOOR_H
