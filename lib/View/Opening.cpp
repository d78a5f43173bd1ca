// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens traces beside the server.

#include "Opening.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace memkit {

Opening::Opening(Open How, std::function<void()> Failed,
                 std::chrono::milliseconds ErrorTime)
    : Work([this, How = std::move(How), Failed = std::move(Failed), ErrorTime](
               ProgressCallback Tell) -> Expected<std::unique_ptr<JobResult>> {
        open(How, Tell);
        std::unique_lock<std::mutex> Guard(Lock);
        if (!Problem.empty() &&
            !Ends.wait_for(Guard, ErrorTime, [this] { return IsLeaving; }))
          Failed();
        return nullptr;
      }) {}

Opening::~Opening() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    IsLeaving = true;
  }
  Ends.notify_all();
  Work.wait();
  if (Failure)
    consumeError(std::move(*Failure));
}

/// On the job's thread.
void Opening::open(const Open &How, const ProgressCallback &Tell) {
  Expected<std::unique_ptr<Router>> R = How(Tell);
  if (R) {
    Made = std::move(*R);
    // The page has waited for long: what its first question needs is made here,
    // while the page shows the progress.
    if (IsAwaited)
      consumeError(Made->answer(Question("start")).takeError());
  } else {
    Failure = R.takeError();
    visitErrors(*Failure,
                [&](const ErrorInfoBase &B) { Problem = B.message(); });
  }
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Ended = true;
  }
  Ends.notify_all();
}

bool Opening::waitFor(unsigned Ms) {
  std::unique_lock<std::mutex> Guard(Lock);
  IsAwaited = !Ends.wait_for(Guard, std::chrono::milliseconds(Ms),
                             [this] { return Ended.load(); });
  return !IsAwaited;
}

Error Opening::takeError() {
  return isDone() && Failure ? *std::exchange(Failure, std::nullopt)
                             : Error::success();
}

Expected<std::string> Opening::answer(const Question &Q) {
  Waits = !isDone();
  if (Waits)
    return formatv("{0}", json::Value(json::Object{{"progress", Work.share()},
                                                   {"what", Work.what()}}))
        .str();
  if (!Made)
    return createStringError(inconvertibleErrorCode(), Problem);
  Expected<std::string> Text = Made->answer(Q);
  Waits = Made->isWaiting();
  return Text;
}

bool Opening::isWorking() const {
  return !isDone() || (Made && Made->isWorking());
}

} // namespace memkit
