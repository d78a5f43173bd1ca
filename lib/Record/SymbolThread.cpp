//===- SymbolThread.cpp - Resolves addresses beside the recorder -*- C++
//-*-===//
//
// Part of memkit, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolThread.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace memkit;

SymbolThread::SymbolThread() {
  // Signals are the recorder's.
  sigset_t All, Old;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Old);
  Worker = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &Old, nullptr);
}

SymbolThread::~SymbolThread() {
  {
    std::lock_guard<std::mutex> Guard(Lock);
    Stop = true;
  }
  Wake.notify_one();
  Worker.join();
}

void SymbolThread::addModule(std::vector<uint8_t> BuildId,
                             std::vector<std::string> Places) {
  std::lock_guard<std::mutex> Guard(Lock);
  NewModules.push_back({std::move(BuildId), std::move(Places)});
}

void SymbolThread::ask(uint32_t Frame, uint32_t Module, uint64_t Address) {
  bool First;
  {
    std::lock_guard<std::mutex> Guard(Lock);
    First = Questions.empty();
    Questions.push_back({Frame, Module, Address});
  }
  if (First)
    Wake.notify_one();
}

std::vector<SymbolThread::Answer> SymbolThread::takeAnswers(size_t Most) {
  std::lock_guard<std::mutex> Guard(Lock);
  auto End = Answers.begin() + std::min(Most, Answers.size());
  std::vector<Answer> Out(std::make_move_iterator(Answers.begin()),
                          std::make_move_iterator(End));
  Answers.erase(Answers.begin(), End);
  return Out;
}

bool SymbolThread::idle() {
  std::lock_guard<std::mutex> Guard(Lock);
  return Questions.empty() && !Busy;
}

void SymbolThread::cut() {
  std::lock_guard<std::mutex> Guard(Lock);
  Questions.clear();
}

void SymbolThread::run() {
  // The program and the recorder come first.
  setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), 5);
  Symbolizer Symbols;
  std::unique_lock<std::mutex> Guard(Lock);
  for (;;) {
    Wake.wait(Guard, [this] { return Stop || !Questions.empty(); });
    if (Stop)
      return;
    std::deque<Module> Modules = std::exchange(NewModules, {});
    Question Q = Questions.front();
    Questions.pop_front();
    Busy = true;
    Guard.unlock();
    for (Module &M : Modules)
      Symbols.addModule(M.BuildId, std::move(M.Places));
    std::vector<SourceLocation> Locations =
        Symbols.resolve(Q.Module - 1, Q.Address);
    Guard.lock();
    Busy = false;
    if (!Locations.empty())
      Answers.push_back({Q.Frame, std::move(Locations)});
  }
}
