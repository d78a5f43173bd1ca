// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live bytes over time.

#include "HttpServer.h"
#include "Support/Json.h"
#include "TraceView.h"
#include "memkit/Analysis/MarkSeries.h"
#include "memkit/Support/RequestError.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace memkit {

using json::OStream;

Expected<std::string> TraceView::curves(StringRef Query) {
  return makeRequestError("no curves yet");
}

} // namespace memkit
