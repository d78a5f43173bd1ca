// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers requests, and loses the session of each request that fails.
//
//     g++ -g -O2 -o sessions sessions.cpp
//     memrec -- ./sessions
//     memleak trace.fb
//
// With -DFIXED a unique_ptr owns the session, so that the two builds can be
// compared.

#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

struct Session {
  std::string User;
  std::vector<char> Buffer;
};

static std::map<std::string, int> Visits;

static Session *openSession(int Number) {
  auto *Opened = new Session;
  Opened->User = "user" + std::to_string(Number % 100);
  Opened->Buffer.resize(16 * 1024);
  return Opened;
}

static bool answer(const Session &S, int Number) {
  ++Visits[S.User];
  std::string Page(1024, '.');
  std::snprintf(Page.data(), Page.size(), "request %d of %s", Number,
                S.User.c_str());
  return Number % 4 != 0;
}

static bool serve(int Number) {
#ifdef FIXED
  std::unique_ptr<Session> S(openSession(Number));
  return answer(*S, Number);
#else
  Session *S = openSession(Number);
  if (!answer(*S, Number))
    return false; // nobody deletes the session
  delete S;
  return true;
#endif
}

int main() {
  int Failed = 0;
  for (int Number = 0; Number < 2000; ++Number) {
    Failed += !serve(Number);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::printf("%d of 2000 requests failed\n", Failed);
}
