// Jobs of 1 KiB, of which 200 wait at a time; leaking, one in sixteen is kept. SIGTERM has it
// free what it has, in 0.3 s.
#include <atomic>
#include <csignal>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

static std::atomic<bool> Stop;
static std::deque<std::unique_ptr<char[]>> Waiting;
static std::vector<char *> Kept;

__attribute__((noinline)) static void keepJob() {
  Kept.push_back(new char[1024]);
}

int main(int, char **Args) {
  bool Leaks = !std::strcmp(Args[1], "leak");
  std::signal(SIGTERM, [](int) { Stop = true; });
  for (unsigned N = 0; !Stop; ++N) {
    Waiting.push_back(std::make_unique<char[]>(1024));
    if (Waiting.size() > 200)
      Waiting.pop_front();
    if (Leaks && N % 16 == 0)
      keepJob();
    std::this_thread::sleep_for(2ms);
  }
  auto Pause = 300'000us / (Kept.size() + Waiting.size() + 1);
  for (char *K : Kept) {
    delete[] K;
    std::this_thread::sleep_for(Pause);
  }
  while (!Waiting.empty()) {
    Waiting.pop_front();
    std::this_thread::sleep_for(Pause);
  }
}
