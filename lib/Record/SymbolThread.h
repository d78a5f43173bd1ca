//===- SymbolThread.h - Resolves addresses beside the recorder -*- C++ -*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MEMKIT_LIB_RECORD_SYMBOLTHREAD_H
#define MEMKIT_LIB_RECORD_SYMBOLTHREAD_H

#include "memkit/Symbolize/Symbolizer.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace memkit {

/// A thread that resolves addresses in the order asked, so that the rings never
/// wait for debug information. All functions are the recorder's to call.
class SymbolThread {
public:
  SymbolThread();
  ~SymbolThread();

  /// Names module Id; ids come in order from 1. Arguments as for Symbolizer.
  void addModule(std::vector<uint8_t> BuildId, std::vector<std::string> Places);
  /// Asks for the symbols of Frame.
  void ask(uint32_t Frame, uint32_t Module, uint64_t Address);

  struct Answer {
    uint32_t Frame;
    std::vector<SourceLocation> Locations; ///< never empty
  };
  /// What was resolved, in order, up to Most of what was not taken before.
  std::vector<Answer> takeAnswers(size_t Most);
  /// Whether everything that was asked is answered or was given up.
  bool idle();
  /// Gives up what is not resolved yet.
  void cut();

private:
  struct Module {
    std::vector<uint8_t> BuildId;
    std::vector<std::string> Places;
  };
  struct Question {
    uint32_t Frame, Module;
    uint64_t Address;
  };
  void run();

  std::mutex Lock;
  std::condition_variable Wake;
  std::deque<Module> NewModules;
  std::deque<Question> Questions;
  std::deque<Answer> Answers;
  bool Busy = false, Stop = false;
  std::thread Worker;
};

} // namespace memkit

#endif // MEMKIT_LIB_RECORD_SYMBOLTHREAD_H
