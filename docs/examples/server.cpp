// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers requests as fast as it can, with many small allocations.
//
//     g++ -g -O2 -o server server.cpp
//     memrec --sample=512K -- ./server
//     memleak trace.fb
//
// Each request makes a table of 20 headers and frees the table. One request of
// 100 opens a session, and the server forgets to close sessions.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

struct Session {
  std::vector<char> Buffer;
  long Request;
};

static std::map<long, Session> Sessions;
static std::vector<std::string> Pages;

static std::map<std::string, std::string> parseHeaders(long Request) {
  std::map<std::string, std::string> Headers;
  for (int I = 0; I < 20; ++I)
    Headers["x-header-with-a-name-" + std::to_string(I)] =
        "a value of some length, " + std::to_string(Request + I);
  return Headers;
}

static void openSession(long Request) {
  Session &Opened = Sessions[Request];
  Opened.Buffer.resize(4096);
  Opened.Request = Request;
}

static size_t answer(long Request) {
  std::map<std::string, std::string> Headers = parseHeaders(Request);
  if (Request % 100 == 0)
    openSession(Request);
  const std::string &Page = Pages[Request % Pages.size()];
  return Page.size() + Headers.size();
}

static void loadPages() {
  for (int I = 0; I < 1000; ++I)
    Pages.emplace_back(64 * 1024, 'a' + I % 26);
}

int main(int Argc, char **Argv) {
  using Clock = std::chrono::steady_clock;
  double Seconds = Argc > 1 ? atof(Argv[1]) : 5;
  loadPages();
  size_t Bytes = 0;
  long Request = 0;
  Clock::time_point Start = Clock::now();
  while (std::chrono::duration<double>(Clock::now() - Start).count() < Seconds)
    Bytes += answer(++Request);
  printf("%ld requests a second, %zu MB\n", long(Request / Seconds),
         Bytes / 1000000);
  return 0;
}
