// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that several threads make, written in order.

#ifndef MEMKIT_LIB_EXPORT_ORDEREDTEXT_H
#define MEMKIT_LIB_EXPORT_ORDEREDTEXT_H

#include "llvm/Support/raw_ostream.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

namespace memkit {

/// Writes the texts of parts 0, 1, ... to a stream, one part after the other.
/// A thread works on one part at a time and takes parts in rising order. The
/// text of a part whose turn has not come is kept, at most MaxKept bytes; then
/// the thread waits.
class OrderedText {
public:
  static constexpr size_t UsuallyKept = 32 << 20;
  /// Failed: To accepts no more. The thread whose turn it is uses To and calls
  /// Failed.
  OrderedText(llvm::raw_ostream &To, std::function<bool()> Failed,
              size_t MaxKept = UsuallyKept)
      : To(To), Failed(std::move(Failed)), MaxKept(MaxKept) {}
  /// Whether no text is wanted any more.
  bool isStopped() {
    std::lock_guard<std::mutex> Guard(Lock);
    return IsStopped;
  }

  /// One part. A part that ends without finish() (an exception) ends all.
  class TextPart {
  public:
    TextPart(OrderedText &Of, size_t Number)
        : Of(Of), Number(Number), OS(Text) {}
    ~TextPart();
    llvm::raw_ostream &os() { return OS; }
    /// Writes what may be written. Call often. False: no text is wanted any
    /// more.
    bool advance() { return Text.size() < NextLook || flush(); }
    /// Waits for the part's turn and writes the remainder.
    void finish();

  private:
    static constexpr size_t Step = 64 << 10;
    bool flush();
    bool waitForTurn();
    void write();

    OrderedText &Of;
    size_t Number;
    std::string Text;
    size_t NextLook = Step; ///< bytes of Text until the next flush()
    llvm::raw_string_ostream OS;
    bool HasTurn = false, IsFinished = false;
  };

private:
  void stop();

  llvm::raw_ostream &To;
  std::function<bool()> Failed;
  size_t MaxKept;
  std::mutex Lock; ///< for the members below
  std::condition_variable Changed;
  size_t Turn = 0;
  bool IsStopped = false;
};

} // namespace memkit

#endif // MEMKIT_LIB_EXPORT_ORDEREDTEXT_H
