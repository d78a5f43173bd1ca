// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strangers who connect to the server and occupy what they can.

#include "View/HttpServer.h"
#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace memkit;
using namespace llvm;

namespace {
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A connection of a client.
class Client {
public:
  explicit Client(uint16_t Port)
      : Fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in A = {};
    A.sin_family = AF_INET;
    A.sin_port = htons(Port);
    A.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(0, connect(Fd, reinterpret_cast<sockaddr *>(&A), sizeof A));
  }
  ~Client() { close(Fd); }
  Client(const Client &) = delete;

  bool send(StringRef Text) {
    return ::send(Fd, Text.data(), Text.size(), MSG_NOSIGNAL) ==
           ssize_t(Text.size());
  }
  bool ask(StringRef Path) {
    return send(("GET " + Path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").str());
  }
  /// The first line of an answer; `closed`, or `silent` after a time.
  std::string answer(int Ms = 5000) {
    pollfd P = {Fd, POLLIN, 0};
    if (poll(&P, 1, Ms) != 1)
      return "silent";
    char Bytes[4096];
    ssize_t Got = recv(Fd, Bytes, sizeof(Bytes), 0);
    if (Got <= 0)
      return "closed";
    return StringRef(Bytes, size_t(Got)).split('\r').first.str();
  }

private:
  int Fd;
};

/// A server on a thread.
class Serving : public testing::Test {
protected:
  void start(milliseconds MaxWait) {
    Server = cantFail(HttpServer::listen(0, MaxWait));
    Thread = std::thread([this] {
      cantFail(Server->run([](const HttpRequest &) { return HttpAnswer(); }));
    });
    Path = StringRef(Server->address()).split(":").second.split(":").second;
    Path = Path.substr(Path.find('/'));
  }
  void TearDown() override {
    Server->stop();
    Thread.join();
  }
  std::string ownersAnswer() {
    Client Owner(Server->port());
    Owner.ask(Path);
    return Owner.answer();
  }

  std::unique_ptr<HttpServer> Server;
  std::thread Thread;
  std::string Path; ///< with the token
};
constexpr const char *Ok = "HTTP/1.1 200 OK";
} // namespace

TEST_F(Serving, ManySlowStrangersLeaveTheOwnerIn) {
  start(std::chrono::minutes(1));
  std::vector<std::unique_ptr<Client>> Slow;
  for (size_t I = 0; I != 3 * HttpServer::MaxConnections; ++I) {
    Slow.push_back(std::make_unique<Client>(Server->port()));
    Slow.back()->send("G");
    if (I % 16 == 0) {
      EXPECT_EQ(Ok, ownersAnswer()) << I;
    }
  }
  for (unsigned Turn = 0; Turn != 20; ++Turn) {
    for (std::unique_ptr<Client> &Each : Slow)
      Each->send("E");
    EXPECT_EQ(Ok, ownersAnswer());
  }
  // The oldest had to go, the newest are still there.
  EXPECT_EQ("closed", Slow.front()->answer());
  EXPECT_EQ("silent", Slow.back()->answer(0));
}

TEST_F(Serving, AnOpenPageKeepsItsConnection) {
  start(std::chrono::minutes(1));
  Client Owner(Server->port());
  Owner.ask(Path);
  EXPECT_EQ(Ok, Owner.answer());
  std::vector<std::unique_ptr<Client>> Slow;
  for (size_t I = 0; I != 3 * HttpServer::MaxConnections; ++I) {
    Slow.push_back(std::make_unique<Client>(Server->port()));
    Slow.back()->ask("/" + std::string(32, '0') + "/");
    EXPECT_EQ("HTTP/1.1 404 Not Found", Slow.back()->answer());
  }
  Owner.ask(Path);
  EXPECT_EQ(Ok, Owner.answer());
}

/// Connections that come as fast as they can.
/// An owner who is slow to ask can lose a connection, as one among others, and
/// asks again as a browser does.
TEST_F(Serving, AFloodLeavesTheOwnerIn) {
  start(std::chrono::minutes(1));
  std::atomic<bool> IsOver = false;
  std::vector<std::thread> Floods;
  for (unsigned I = 0; I != 3; ++I)
    Floods.emplace_back([&] {
      std::vector<std::unique_ptr<Client>> Open;
      while (!IsOver) {
        Open.push_back(std::make_unique<Client>(Server->port()));
        if (Open.size() == 100)
          Open.clear();
      }
    });
  for (unsigned Turn = 0; Turn != 50; ++Turn) {
    std::string Answer = ownersAnswer();
    for (unsigned Again = 0; Answer == "closed" && Again != 5; ++Again)
      Answer = ownersAnswer();
    EXPECT_EQ(Ok, Answer) << Turn;
  }
  IsOver = true;
  for (std::thread &Each : Floods)
    Each.join();
}

/// A byte now and then does not give a request more time.
TEST_F(Serving, ARequestHasATimeFromItsFirstByte) {
  start(milliseconds(600));
  Client Slow(Server->port());
  std::this_thread::sleep_for(milliseconds(300));
  auto Begin = Clock::now();
  while (Slow.send("x") && Slow.answer(50) == "silent" &&
         Clock::now() - Begin < std::chrono::seconds(20))
    ;
  auto Took = Clock::now() - Begin;
  EXPECT_GE(Took, milliseconds(550)); // not from the connection on
  EXPECT_LT(Took, std::chrono::seconds(10));
}

/// Nor does a request that comes in time take time from the next one.
TEST_F(Serving, EachRequestHasItsTime) {
  start(milliseconds(3000));
  Client Owner(Server->port());
  for (unsigned Turn = 0; Turn != 4; ++Turn) {
    Owner.send("GET " + Path);
    std::this_thread::sleep_for(milliseconds(1000));
    Owner.send(" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    EXPECT_EQ(Ok, Owner.answer()) << Turn;
  }
  EXPECT_EQ("closed", Owner.answer(20000));
}
