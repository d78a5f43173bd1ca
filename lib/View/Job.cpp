// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long work beside the server.

#include "Job.h"
#include "Support/Failure.h"
#include <utility>

using namespace llvm;

namespace memkit {

Job::Job(Work Do) : Do(std::move(Do)) {
  HasThread = pthread_create(&Thread, nullptr, run, this) == 0;
  // Without a thread the server waits.
  if (!HasThread)
    work();
}

Job::~Job() { wait(); }

void Job::wait() {
  if (std::exchange(HasThread, false))
    pthread_join(Thread, nullptr);
}

void Job::waitFor(unsigned Ms) {
  std::unique_lock<std::mutex> Guard(Lock);
  Ended.wait_for(Guard, std::chrono::milliseconds(Ms),
                 [this] { return Done.load(); });
}

void *Job::run(void *Self) {
  static_cast<Job *>(Self)->work();
  return nullptr;
}

void Job::work() {
  auto Tell = [this](StringRef Now, uint64_t Part, uint64_t Whole) {
    Permille = Whole ? unsigned(Part * 1000.0 / double(Whole)) : 0;
    std::lock_guard<std::mutex> Guard(Lock);
    What = Now.str();
  };
  Expected<std::unique_ptr<JobResult>> Made = Do(Tell);
  if (Made)
    Found = std::move(*Made);
  else
    Problem = toString(Made.takeError());
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Done = true;
  }
  Ended.notify_all();
}

std::string Job::what() const {
  std::lock_guard<std::mutex> Guard(Lock);
  return What;
}

Expected<const JobResult *> Job::result() const {
  if (!Problem.empty())
    return makeError(Problem);
  return Found.get();
}

} // namespace memkit
