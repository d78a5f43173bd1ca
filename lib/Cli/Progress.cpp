// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows a bar during long work.

#include "Progress.h"
#include "ToolMain.h"
#include <algorithm>
#include <memory>
#include <optional>
#include <unistd.h>

using namespace llvm;
using namespace std::chrono_literals;

namespace memkit {

Progress::Progress(const Twine &What)
    : What(What.str()),
      OS(isatty(STDERR_FILENO) && !isQuiet() ? &errs() : nullptr),
      Next(std::chrono::steady_clock::now() + 1s) {}

Progress::Progress(const Twine &What, raw_ostream &OS,
                   std::chrono::milliseconds After)
    : What(What.str()), OS(&OS),
      Next(std::chrono::steady_clock::now() + After) {}

Progress::~Progress() {
  if (Drawn)
    *OS << '\r' << std::string(Drawn, ' ') << '\r';
}

void Progress::update(uint64_t Done, uint64_t Total) {
  if (!OS || Total == 0 || std::chrono::steady_clock::now() < Next)
    return;
  Next = std::chrono::steady_clock::now() + 100ms;
  constexpr size_t Bar = 30;
  double Share = std::min(1.0, double(Done) / double(Total));
  std::string Line = What + " ";
  Line += std::to_string(static_cast<unsigned>(Share * 100)) + " % [";
  Line.append(static_cast<size_t>(Share * Bar), '#');
  Line.append(Bar - static_cast<size_t>(Share * Bar), '.');
  Line += ']';
  Drawn = std::max(Drawn, Line.size());
  Line.resize(Drawn, ' ');
  *OS << '\r' << Line;
  OS->flush();
}

ProgressCallback showProgress() {
  auto Bar = std::make_shared<std::optional<Progress>>();
  return [Bar](StringRef What, uint64_t Done, uint64_t Total) {
    if (Done == 0)
      Bar->emplace(What);
    if (Done == Total)
      Bar->reset();
    else if (*Bar)
      (*Bar)->update(Done, Total);
  };
}

} // namespace memkit
