// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A web server for one user on the same machine.
//
// The server listens on the loopback address only. Every address below
// address() has a random token, so no other user or web page can guess an
// address. Requests are answered one after the other on the thread of run().
// The server understands GET and HEAD of HTTP/1.1; a request body is an error.
//
// Other protections, since a browser's user visits foreign pages, too:
//   - a request must name 127.0.0.1, localhost or [::1] as its Host. A foreign
//     name that resolves to this machine (DNS rebinding) gets status 403;
//   - a request with an Origin other than the Host gets status 403;
//   - answers carry a Content-Security-Policy and may not be framed or shared.
//
// Other users of the machine can connect, too. A request must be complete some
// time after its first byte, and with the most connections open the oldest one
// that has never shown the token makes room for a new one: who has the token
// gets in, and asks again if 64 strangers came before the request did.

#ifndef MEMKIT_LIB_VIEW_HTTPSERVER_H
#define MEMKIT_LIB_VIEW_HTTPSERVER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <memory>
#include <string>

namespace memkit {

struct HttpRequest {
  std::string Path;  ///< below the token: "", "api/start"
  std::string Query; ///< after `?`, still encoded
};

struct HttpAnswer {
  unsigned Status = 200;
  std::string Type = "application/json";
  /// The value of Content-Security-Policy; empty: nothing may be loaded.
  std::string Policy;
  std::string Body;
};

class HttpServer {
public:
  static constexpr size_t MaxRequestBytes = 16 << 10;
  static constexpr size_t MaxConnections = 64;

  /// Port: 0 chooses a free one. MaxWait: for a request from its first byte to
  /// its end, for the next request, and for a reader of an answer. Errors: the
  /// port is taken, or sockets fail.
  static llvm::Expected<std::unique_ptr<HttpServer>>
  listen(uint16_t Port,
         std::chrono::milliseconds MaxWait = std::chrono::seconds(30));
  ~HttpServer();

  /// `http://127.0.0.1:PORT/TOKEN/`.
  std::string address() const;
  uint16_t port() const { return Port; }

  using Answerer = llvm::function_ref<HttpAnswer(const HttpRequest &)>;
  /// Answers requests until stop(). Errors: sockets fail.
  llvm::Error run(Answerer Answer);
  /// Ends run(). May be called from a signal handler or another thread.
  void stop();

private:
  class Connection;

  HttpServer() = default;
  struct Seen;
  void accept();
  void serve(Connection &C, short Events, Answerer Answer) const;
  HttpAnswer answerTo(llvm::StringRef Head, Answerer Answer, Seen &Of) const;
  int untilNextEndMs() const;

  int Listener = -1;
  int Stop[2] = {-1, -1}; ///< a pipe
  uint16_t Port = 0;
  std::chrono::milliseconds MaxWait{};
  std::string Token;
  std::vector<std::unique_ptr<Connection>> Open; ///< the oldest first
};

} // namespace memkit

#endif // MEMKIT_LIB_VIEW_HTTPSERVER_H
