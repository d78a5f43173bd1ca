// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Model Context Protocol on standard input and output.
//
// Revisions 2025-06-18 and 2025-11-25, with their handshake, and 2026-07-28,
// which has none: each request says its version. A message is a line of JSON.

#ifndef MEMKIT_LIB_AGENTS_SERVER_H
#define MEMKIT_LIB_AGENTS_SERVER_H

#include "Agents/Folders.h"
#include "Agents/ImportCache.h"
#include "Agents/Questions.h"
#include "Agents/ToolRun.h"
#include "llvm/Support/JSON.h"
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace memkit {

/// Answers requests one after the other, in their order; no state belongs to a
/// client. Requests that wait are bounded: what comes meanwhile stays in the
/// pipe. One thread.
class Server {
public:
  using StartTool = std::function<llvm::Expected<ToolRun>(const ToolPlan &)>;
  struct ServerOptions {
    bool MayRecord = false;    ///< whether clients may run commands
    int Input = 0, Output = 1; ///< descriptors, which stay the caller's
    StartTool Start = ToolRun::start;
  };
  Server(Folders Of, ServerOptions Options);
  ~Server();
  /// Serves until the input ends and all is answered, or the output is closed.
  void run();

private:
  struct Running;

  bool hasRoom() const { return Waiting.size() < MaxWaiting; }
  void wait();
  void readInput();
  void takeLine(llvm::StringRef Line);
  void handle(const llvm::json::Object &Request);
  void handleCall(const llvm::json::Value &Id, const llvm::json::Object &Params,
                  bool IsStateless);
  void cancel(const llvm::json::Object &Params);
  void startRun(const ToolPlan &Plan);
  void startRecording();
  void startAnswer();
  void startImport();
  void lookAtRun();
  void lookAtTime();
  void finishRun();
  void finishRecording(int Status);
  void finishAnswer(int Status);
  void fail(std::string Text);

  void send(llvm::json::Object Message);
  void sendResult(const llvm::json::Value &Id, llvm::json::Object Result,
                  bool IsStateless);
  void sendError(const llvm::json::Value &Id, int Code, llvm::StringRef Text,
                 std::optional<llvm::json::Value> Data = std::nullopt);
  void sendText(const llvm::json::Value &Id, std::string Text, bool IsError,
                bool IsStateless);

  static constexpr size_t MaxWaiting = 256, MaxLine = 1 << 20;
  Folders Of;
  ServerOptions Options;
  ImportCache Imported;
  std::string Input;      ///< the begin of a line
  bool IsTooLong = false; ///< the line is left out up to its end
  bool HasEnded = false;  ///< of the input
  bool IsClosed = false;  ///< the output
  std::deque<llvm::json::Object> Waiting;
  std::unique_ptr<Running> Now;
};

} // namespace memkit

#endif // MEMKIT_LIB_AGENTS_SERVER_H
