// Four threads free most of their blocks; then the program prints how much
// resident memory malloc_trim(0) gives back.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <malloc.h>
#include <thread>
#include <unistd.h>
#include <vector>

static long residentBytes() {
  long Size = 0, Resident = 0;
  FILE *F = std::fopen("/proc/self/statm", "r");
  if (std::fscanf(F, "%ld %ld", &Size, &Resident) != 2)
    std::abort();
  std::fclose(F);
  return Resident * sysconf(_SC_PAGESIZE);
}

static void work(std::promise<void> &Done, std::shared_future<void> End) {
  constexpr size_t Count = 40000, Block = 700;
  std::vector<char *> Blocks;
  for (size_t I = 0; I != Count; ++I)
    Blocks.push_back(
        static_cast<char *>(std::memset(std::malloc(Block), 1, Block)));
  // One block in two hundred stays.
  for (size_t I = 0; I != Count; ++I)
    if (I % 200 != 199)
      std::free(Blocks[I]);
  Done.set_value();
  End.wait();
}

int main(int Argc, char **Argv) {
  std::promise<void> End;
  std::shared_future<void> AtEnd(End.get_future());
  std::vector<std::thread> Threads;
  for (int I = 0; I != 4; ++I) {
    std::promise<void> Done;
    Threads.emplace_back([&] { work(Done, AtEnd); });
    Done.get_future().wait();
  }
  usleep(useconds_t(std::atof(Argv[1]) * 1e6)); // a sample or two
  long Before = residentBytes();
  malloc_trim(0);
  std::printf("%ld\n", Before - residentBytes());
  std::fflush(stdout);
  _exit(0); // no sample of what is left
}
