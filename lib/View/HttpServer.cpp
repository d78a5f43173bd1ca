// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A web server for one user on the same machine.

#include "HttpServer.h"
#include "Question.h"
#include "Support/Failure.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace llvm;

namespace memkit {

using ServerClock = std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// Text of the protocol
//===----------------------------------------------------------------------===//

/// The value of a header field; empty: not there. Head: the lines of a request.
static StringRef headerOf(StringRef Head, StringRef Name) {
  for (StringRef Line : split(Head.split('\n').second, '\n')) {
    auto [Field, Value] = Line.split(':');
    if (Field.equals_insensitive(Name))
      return Value.trim();
  }
  return "";
}

/// Whether Host names this machine's loopback: `127.0.0.1:8000`, also through a
/// tunnel, whose port differs.
static bool isLoopback(StringRef Host) {
  StringRef Name = Host;
  if (auto [Before, Port] = Host.rsplit(':');
      !Port.empty() && all_of(Port, isDigit))
    Name = Before;
  return Name == "127.0.0.1" || Name == "localhost" || Name == "[::1]";
}

static StringRef reasonOf(unsigned Status) {
  switch (Status) {
  case 200:
    return "OK";
  case 202:
    return "Accepted";
  case 400:
    return "Bad Request";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 431:
    return "Request Header Fields Too Large";
  default:
    return "Internal Server Error";
  }
}

static HttpAnswer plain(unsigned Status, StringRef Text) {
  return {Status, "text/plain; charset=utf-8", "", (Text + "\n").str()};
}

static std::string textOf(const HttpAnswer &A, bool IsHead, bool Closes) {
  std::string Policy = A.Policy.empty()
                           ? "default-src 'none'; frame-ancestors 'none'"
                           : A.Policy;
  std::string Text =
      ("HTTP/1.1 " + Twine(A.Status) + " " + reasonOf(A.Status) +
       "\r\nContent-Type: " + A.Type + "\r\nContent-Length: " +
       Twine(A.Body.size()) + "\r\nContent-Security-Policy: " + Policy +
       "\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY"
       "\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store"
       "\r\nCross-Origin-Opener-Policy: same-origin"
       "\r\nCross-Origin-Resource-Policy: same-origin" +
       (Closes ? "\r\nConnection: close" : "") + "\r\n\r\n")
          .str();
  if (!IsHead)
    Text += A.Body;
  return Text;
}

//===----------------------------------------------------------------------===//
// Connections
//===----------------------------------------------------------------------===//

/// A connection of a browser. Reads requests and writes answers as the socket
/// allows; no call blocks.
class HttpServer::Connection {
public:
  explicit Connection(int Fd) : Fd(Fd) {}
  ~Connection() { close(Fd); }
  Connection(const Connection &) = delete;
  Connection &operator=(const Connection &) = delete;

  int fd() const { return Fd; }
  short events() const { return Out.empty() ? POLLIN : POLLOUT; }
  bool isOver() const { return Over; }
  /// What the connection waits for has begun: the next request, the rest of a
  /// request, a reader of the answer.
  ServerClock::time_point waitsSince() const { return Since; }
  bool hasShownToken() const { return HasToken; }
  void showToken() { HasToken = true; }

  /// Reads what is there.
  void read() {
    std::array<char, 4096> Bytes;
    ssize_t Got = recv(Fd, Bytes.data(), Bytes.size(), 0);
    if (Got < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (Got <= 0) {
      Over = true;
      return;
    }
    if (In.empty()) // other bytes of a request give no more time
      Since = ServerClock::now();
    In.append(Bytes.data(), static_cast<size_t>(Got));
  }
  /// The head of the next request, without the empty line at its end.
  std::optional<std::string> takeHead() {
    if (!Out.empty() || Over)
      return std::nullopt;
    size_t End = In.find("\r\n\r\n");
    if (End > MaxRequestBytes) // also: not there
      return std::nullopt;
    std::string Head = In.substr(0, End);
    In.erase(0, End + 4);
    erase(Head, '\r');
    return Head;
  }
  bool isTooLong() const { return In.size() > MaxRequestBytes; }
  void answer(std::string Text, bool Closes) {
    Out = std::move(Text);
    Written = 0;
    CloseAfter = Closes;
    Since = ServerClock::now();
    if (Closes)
      In.clear();
    write();
  }
  void write() {
    while (Written != Out.size()) {
      ssize_t Sent =
          send(Fd, Out.data() + Written, Out.size() - Written, MSG_NOSIGNAL);
      if (Sent < 0 && errno == EINTR)
        continue;
      if (Sent < 0 && errno == EAGAIN)
        return;
      if (Sent <= 0) {
        Over = true;
        return;
      }
      Since = ServerClock::now();
      Written += static_cast<size_t>(Sent);
    }
    Out.clear();
    Over |= CloseAfter;
  }

private:
  int Fd;
  std::string In, Out;
  size_t Written = 0;
  bool CloseAfter = false, Over = false, HasToken = false;
  ServerClock::time_point Since = ServerClock::now();
};

//===----------------------------------------------------------------------===//
// Server
//===----------------------------------------------------------------------===//

static Error socketError(const Twine &What) {
  return makeError(What + ": " + std::strerror(errno));
}

/// 128 random bits.
static Expected<std::string> makeToken() {
  std::array<uint8_t, 16> Bytes;
  if (getrandom(Bytes.data(), Bytes.size(), 0) != ssize_t(Bytes.size()))
    return socketError("cannot make a token for the page's address");
  return toHex(Bytes, /*LowerCase=*/true);
}

Expected<std::unique_ptr<HttpServer>>
HttpServer::listen(uint16_t Port, std::chrono::milliseconds MaxWait) {
  std::unique_ptr<HttpServer> S(new HttpServer);
  S->MaxWait = MaxWait;
  if (pipe2(S->Stop, O_CLOEXEC | O_NONBLOCK) != 0)
    return socketError("cannot make a pipe");
  S->Listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (S->Listener < 0)
    return socketError("cannot make a socket");
  // A port that was used a moment ago may be taken again.
  int One = 1;
  setsockopt(S->Listener, SOL_SOCKET, SO_REUSEADDR, &One, sizeof One);
  sockaddr_in Address = {};
  Address.sin_family = AF_INET;
  Address.sin_port = htons(Port);
  Address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto *Plain = reinterpret_cast<sockaddr *>(&Address);
  if (bind(S->Listener, Plain, sizeof Address) != 0 ||
      ::listen(S->Listener, SOMAXCONN) != 0)
    return socketError("port " + Twine(Port));
  socklen_t Size = sizeof Address;
  if (getsockname(S->Listener, Plain, &Size) != 0)
    return socketError("cannot find the port");
  S->Port = ntohs(Address.sin_port);
  if (Error E = makeToken().moveInto(S->Token))
    return std::move(E);
  return S;
}

HttpServer::~HttpServer() {
  for (int Fd : {Listener, Stop[0], Stop[1]})
    if (Fd >= 0)
      close(Fd);
}

std::string HttpServer::address() const {
  return "http://127.0.0.1:" + std::to_string(Port) + "/" + Token + "/";
}

void HttpServer::stop() {
  char Byte = 0;
  // The pipe is full only if the server was stopped before.
  if (write(Stop[1], &Byte, 1) < 0)
    return;
}

/// Compares in a time that does not tell how much is equal.
static bool isSame(StringRef A, StringRef B) {
  if (A.size() != B.size())
    return false;
  unsigned Differs = 0;
  for (size_t I = 0; I != A.size(); ++I)
    Differs |= static_cast<uint8_t>(A[I]) ^ static_cast<uint8_t>(B[I]);
  return Differs == 0;
}

/// What a request shows before its answer.
struct HttpServer::Seen {
  bool IsHead = false, HasToken = false;
};

HttpAnswer HttpServer::answerTo(StringRef Head, Answerer Answer,
                                Seen &Of) const {
  SmallVector<StringRef, 3> Words;
  Head.split('\n').first.split(Words, ' ');
  if (Words.size() != 3 || !Words[2].starts_with("HTTP/1."))
    return plain(400, "This is not a request of HTTP/1.1.");
  Of.IsHead = Words[0] == "HEAD";
  if (Words[0] != "GET" && !Of.IsHead)
    return plain(405, "The server answers GET and HEAD only.");
  StringRef Length = headerOf(Head, "Content-Length");
  if ((!Length.empty() && Length != "0") ||
      !headerOf(Head, "Transfer-Encoding").empty())
    return plain(400, "The server takes no request body.");
  StringRef Host = headerOf(Head, "Host");
  if (!isLoopback(Host))
    return plain(403, "Open the page by the address that memview printed.");
  StringRef Origin = headerOf(Head, "Origin");
  if (!Origin.empty() && Origin != "http://" + Host.str())
    return plain(403, "Another page may not ask this server.");
  auto [Path, Query] = Words[1].split('?');
  auto [Given, Below] = Path.drop_front(Path.starts_with("/")).split('/');
  if (!isSame(Given, Token) || Path.count('/') < 2)
    return plain(404, "Open the page by the address that memview printed.");
  Of.HasToken = true;
  return Answer({decoded(Below), Query.str()});
}

void HttpServer::accept() {
  int Fd = accept4(Listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (Fd < 0)
    return;
  auto New = std::make_unique<Connection>(Fd);
  if (Open.size() == MaxConnections) {
    auto Stranger = find_if_not(Open, [](const std::unique_ptr<Connection> &C) {
      return C->hasShownToken();
    });
    if (Stranger == Open.end())
      return; // all are of whom the server is for
    Open.erase(Stranger);
  }
  Open.push_back(std::move(New));
}

/// Reads and writes what a connection allows now, and answers its requests.
void HttpServer::serve(Connection &C, short Events, Answerer Answer) const {
  if (Events & (POLLIN | POLLHUP | POLLERR))
    C.read();
  if (Events & POLLOUT)
    C.write();
  while (std::optional<std::string> Head = C.takeHead()) {
    Seen Of;
    HttpAnswer A = answerTo(*Head, Answer, Of);
    if (Of.HasToken)
      C.showToken();
    bool Closes = A.Status == 400 ||
                  headerOf(*Head, "Connection").equals_insensitive("close");
    C.answer(textOf(A, Of.IsHead, Closes), Closes);
  }
  if (C.isTooLong() && C.events() == POLLIN)
    C.answer(textOf(plain(431, "The request is too long."), false, true), true);
}

/// The time until a connection has waited for too long.
int HttpServer::untilNextEndMs() const {
  auto Next = ServerClock::now() + MaxWait;
  for (const std::unique_ptr<Connection> &C : Open)
    Next = std::min(Next, C->waitsSince() + MaxWait);
  auto Ms =
      std::chrono::ceil<std::chrono::milliseconds>(Next - ServerClock::now());
  return static_cast<int>(std::max<int64_t>(Ms.count(), 0));
}

Error HttpServer::run(Answerer Answer) {
  std::vector<pollfd> Polled;
  for (;;) {
    Polled.assign({{Stop[0], POLLIN, 0}, {Listener, POLLIN, 0}});
    for (const std::unique_ptr<Connection> &C : Open)
      Polled.push_back({C->fd(), C->events(), 0});
    if (poll(Polled.data(), Polled.size(), untilNextEndMs()) < 0 &&
        errno != EINTR)
      return socketError("cannot wait for requests");
    if (Polled[0].revents)
      return Error::success();
    for (size_t I = 2; I != Polled.size(); ++I)
      serve(*Open[I - 2], Polled[I].revents, Answer);
    auto Now = ServerClock::now();
    erase_if(Open, [&](const std::unique_ptr<Connection> &C) {
      return C->isOver() || Now - C->waitsSince() >= MaxWait;
    });
    if (Polled[1].revents)
      accept();
  }
}

} // namespace memkit
