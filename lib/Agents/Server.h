// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Model Context Protocol on standard input and output.
//
// Revisions 2025-06-18 and 2025-11-25, with their handshake, and 2026-07-28,
// which has none: each request says its version. A message is a line of JSON.

#ifndef MEMKIT_TOOLS_MEMMCP_SERVER_H
#define MEMKIT_TOOLS_MEMMCP_SERVER_H

#include "Folders.h"
#include "Questions.h"
#include "ToolRun.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <deque>
#include <optional>
#include <string>

namespace memkit {

/// Answers requests one after the other, in their order; no state belongs to a
/// client. Requests that wait are bounded: what comes meanwhile stays in the
/// pipe. One thread.
class Server {
public:
  explicit Server(Folders Of) : Of(std::move(Of)) {}
  /// Serves until the input ends and all is answered, or the output is closed.
  void run();

private:
  using SteadyClock = std::chrono::steady_clock;
  /// A question whose tool runs.
  struct Running {
    llvm::json::Value Id;
    std::optional<llvm::json::Value> ProgressToken;
    bool IsStateless; ///< of revision 2026-07-28
    PlannedAnswer Plan;
    ToolRun Run;
    SteadyClock::time_point Begin, NextProgress;
    unsigned Seconds = 0; ///< of the last progress
  };

  bool hasRoom() const { return Waiting.size() < MaxWaiting; }
  void wait();
  void readInput();
  void takeLine(llvm::StringRef Line);
  void handle(const llvm::json::Object &Request);
  void handleCall(const llvm::json::Value &Id, const llvm::json::Object &Params,
                  bool IsStateless);
  void cancel(const llvm::json::Object &Params);
  void lookAtRun();
  void finishRun();

  void send(llvm::json::Object Message);
  void sendResult(const llvm::json::Value &Id, llvm::json::Object Result,
                  bool IsStateless);
  void sendError(const llvm::json::Value &Id, int Code, llvm::StringRef Text,
                 std::optional<llvm::json::Value> Data = std::nullopt);
  void sendText(const llvm::json::Value &Id, std::string Text, bool IsError,
                bool IsStateless);

  static constexpr size_t MaxWaiting = 256, MaxLine = 1 << 20;
  Folders Of;
  std::string Input;      ///< the begin of a line
  bool IsTooLong = false; ///< the line is left out up to its end
  bool HasEnded = false;  ///< of the input
  bool IsClosed = false;  ///< the output
  std::deque<llvm::json::Object> Waiting;
  std::optional<Running> Now;
};

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMMCP_SERVER_H
