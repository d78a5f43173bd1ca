// Holds blocks by variables, by a stack, by a container that a thread has, and by nothing.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

struct Base {
  virtual ~Base() {}
  int Number = 1;
};
struct Session : Base {
  std::string Name = std::string(100, 's');
  std::vector<int> Values = std::vector<int>(50);
};
struct Message : Base {
  char Body[200] = {};
};
namespace {
struct Hidden : Base {
  char Body[400] = {};
};
} // namespace

std::unordered_map<int, std::unique_ptr<Base>> Sessions;
static std::map<std::string, std::string> Cache;
std::vector<std::string> *Log;
void *Arrays[8];

static void lose() {
  for (int I = 0; I != 3000; ++I) {
    auto *Lost = new Message;
    Lost->Number = I;
  }
  // The freed ones wait in caches and bins.
  std::vector<void *> Freed;
  for (int I = 0; I != 20000; ++I)
    Freed.push_back(std::malloc(size_t(16 + I % 2000)));
  for (void *P : Freed)
    std::free(P);
}

int main() {
  sigset_t Ends;
  sigemptyset(&Ends);
  sigaddset(&Ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &Ends, nullptr);
  Log = new std::vector<std::string>;
  for (int I = 0; I != 20000; ++I) {
    if (I % 2)
      Sessions[I] = std::make_unique<Session>();
    else
      Sessions[I] = std::make_unique<Hidden>();
    Cache[std::to_string(I)] = std::string(64, 'c');
    Log->push_back(std::string(30, 'l'));
  }
  std::thread(lose).join();
  // Mappings of their own: a plain one, and with alignments.
  size_t Alignments[] = {16, 64, 4096, 1 << 21};
  for (int I = 0; I != 8; ++I) {
    size_t Bytes = size_t(300000 + I * 4096);
    Arrays[I] = I < 4 ? std::malloc(Bytes)
                      : std::aligned_alloc(Alignments[I - 4], Bytes);
    std::memset(Arrays[I], 1, 5000);
  }
  std::vector<std::string> Local(1000, std::string(50, 'w'));
  std::thread Other([] {
    std::vector<std::string> Held(1000, std::string(60, 't'));
    std::printf("ready\n");
    std::fflush(stdout);
    pause();
  });
  Other.detach();
  int Signal;
  sigwait(&Ends, &Signal);
  // Of a mapping, malloc counts what lies before an aligned block, too: so many
  // bytes as its header says.
  struct mallinfo2 Info = mallinfo2();
  size_t Mapped = Info.hblkhd;
  for (void *P : Arrays)
    if (static_cast<size_t *>(P)[-1] & 2)
      Mapped -= static_cast<size_t *>(P)[-2];
  std::printf("in use %zu, mapped %zu, %zu held\n", Info.uordblks, Mapped,
              Local.size());
  std::fflush(stdout);
  _exit(0);
}
