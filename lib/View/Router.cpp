// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers of a page about one trace or several.

#include "Router.h"
#include "FileAnswers.h"
#include "HttpServer.h"
#include "Support/RunBoth.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace memkit {

Expected<std::unique_ptr<TraceView>> Router::openTrace(size_t Of) const {
  return TraceView::open(Paths[Of], Spec, OnProgress, Commands(Paths[Of]));
}

Expected<std::unique_ptr<Router>>
Router::open(ArrayRef<std::string> Paths, size_t NumBefore,
             const SelectionSpec &Spec, ProgressCallback OnProgress,
             const CommandsOf &Commands, CompareCommand Command) {
  std::unique_ptr<Router> R(new Router);
  R->Paths = Paths;
  R->NumBefore = NumBefore;
  R->Spec = Spec;
  R->OnProgress = std::move(OnProgress);
  R->Commands = Commands;
  R->Command = std::move(Command);
  R->Traces.resize(Paths.size());
  for (size_t I = 0; I < Paths.size(); I += 2) {
    Error Failed[] = {Error::success(), Error::success()};
    auto Open = [&](size_t N) {
      ErrorAsOutParameter Checked(&Failed[N]);
      if (I + N < Paths.size())
        Failed[N] = R->openTrace(I + N).moveInto(R->Traces[I + N]);
    };
    runBoth([&] { Open(0); }, [&] { Open(1); });
    // The caller gets one error; llvm::Error requires both to be examined.
    if (Failed[0] && Failed[1])
      consumeError(std::move(Failed[1]));
    for (Error &E : Failed)
      if (E)
        return std::move(E);
  }
  R->compareTraces();
  return R;
}

/// Sets up the comparison of several traces.
void Router::compareTraces() {
  if (Paths.size() == 1)
    return;
  std::vector<std::string> Names;
  std::vector<const SelectedStats *> Stats;
  for (size_t I = 0; I != Paths.size(); ++I) {
    Names.push_back(sys::path::filename(Paths[I]).str());
    Stats.push_back(&Traces[I]->stats());
  }
  for (size_t I = 0; I != Paths.size(); ++I)
    Traces[I]->setCompared(Names, I);
  Comparison.emplace(Stats, NumBefore, Spec, Command);
}

/// Opens changed traces again. If one cannot be read, all stay as they are: a
/// file that is being replaced may be incomplete for a moment.
Error Router::refresh() {
  std::vector<std::unique_ptr<TraceView>> New(Traces.size());
  for (size_t I = 0; I != Traces.size(); ++I)
    if (Traces[I]->hasChanged())
      if (Error E = openTrace(I).moveInto(New[I]))
        return E;
  HasNews = any_of(New, [](const auto &T) { return T != nullptr; });
  if (!HasNews)
    return Error::success();
  Comparison.reset();
  for (size_t I = 0; I != Traces.size(); ++I)
    if (New[I])
      Traces[I] = std::move(New[I]);
  compareTraces();
  return Error::success();
}

/// All traces show the same frames: stacks of a trace with other frames than
/// another's would match none there.
Expected<std::string> Router::compare(const Question &Q) {
  for (std::unique_ptr<TraceView> &T : Traces)
    if (T->showUsualFrames())
      Comparison->forgetFrames();
  return Comparison->answer(Q);
}

Expected<std::string> Router::answer(const Question &Q) {
  Waits = false;
  if (Q.name() == "start" && Q.isOn("fresh")) {
    if (Error E = refresh())
      return std::move(E);
    return formatv("{0}", json::Value(json::Object{{"changed", HasNews}}))
        .str();
  }
  if (Comparison && Q.name() == "compare")
    return compare(Q);
  size_t Of = Traces.size() - 1;
  StringRef Wanted = Q.text("trace");
  if (!Wanted.empty() && (Wanted.getAsInteger(10, Of) || Of >= Traces.size()))
    return makeRequestError("trace=" + Wanted + ": not a number up to " +
                            Twine(Traces.size() - 1));
  Expected<std::string> Text = Traces[Of]->answer(Q);
  Waits = Traces[Of]->isWaiting();
  if (Text || Text.errorIsA<RequestError>() || !Traces[Of]->hasChanged())
    return Text;
  consumeError(Text.takeError());
  return makeRequestError(sys::path::filename(Paths[Of]) +
                          " has changed since memview opened the file: choose "
                          "Refresh");
}

bool Router::isWorking() const {
  return any_of(Traces, [](const auto &T) { return T->isWorking(); });
}

Expected<std::string> Router::fileAnswers(uint64_t MaxBytes) {
  if (!Comparison)
    return memkit::fileAnswers(*Traces.back(), MaxBytes);
  return memkit::fileAnswers(*Traces.back(), MaxBytes,
                             [&](const Question &Q) { return compare(Q); });
}

} // namespace memkit
