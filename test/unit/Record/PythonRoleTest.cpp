// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Roles of Python processes.

#include "Session/PythonRole.h"
#include <gtest/gtest.h>
#include <random>

using namespace memkit;

namespace {

std::string role(std::vector<std::string> Command,
                 const char *Exe = "/usr/bin/python3.11",
                 const char *Parent = "") {
  return pythonRole(Exe, Command, Parent);
}

TEST(PythonRole, ScriptsModulesAndCode) {
  EXPECT_EQ("train.py", role({"python", "train.py", "--lr", "1"}));
  EXPECT_EQ("train.py", role({"python3", "-u", "/home/me/train.py", "-c"}));
  EXPECT_EQ("pkg.mod", role({"python", "-m", "pkg.mod", "x.py"}));
  EXPECT_EQ("pkg.mod", role({"python", "-Impkg.mod"}));
  EXPECT_EQ("http.server", role({"python", "-uBm", "http.server"}));
  EXPECT_EQ("-c", role({"python", "-c", "print()", "x.py"}));
  EXPECT_EQ("-c", role({"python", "-Ic", "print()"}));
  EXPECT_EQ("a.py", role({"python", "-W", "ignore", "-X", "dev", "a.py"}));
  EXPECT_EQ("a.py", role({"python", "-Wignore", "-Xdev", "-OO", "a.py"}));
  EXPECT_EQ("a.py",
            role({"python", "--check-hash-based-pycs", "never", "a.py"}));
  EXPECT_EQ("app", role({"python", "/opt/app/"}));
  EXPECT_EQ("python", role({"python"}));
  EXPECT_EQ("python", role({"python", "-i"}));
  EXPECT_EQ("python", role({"python", "-", "x.py"}));
}

TEST(PythonRole, WhatIsPython) {
  EXPECT_EQ("black", role({"/venv/bin/python", "/venv/bin/black", "."},
                          "/usr/bin/python3.11"));
  EXPECT_EQ("x.py", role({"python3", "x.py"}, ""));
  EXPECT_EQ("x.py", role({"worker", "x.py"}));
  EXPECT_EQ("", role({"make", "x.py"}, "/usr/bin/make"));
  EXPECT_EQ("", role({"pythonize", "x.py"}, "/usr/bin/pythonize"));
  EXPECT_EQ("", role({}, "/usr/bin/python3"));
}

TEST(PythonRole, Multiprocessing) {
  std::string Spawn = "from multiprocessing.spawn import spawn_main; "
                      "spawn_main(tracker_fd=5, pipe_handle=7)";
  EXPECT_EQ("train.py (spawn)",
            role({"python", "-c", Spawn, "--multiprocessing-fork"},
                 "/usr/bin/python3", "train.py"));
  EXPECT_EQ("train.py (spawn)", role({"python", "-c", Spawn},
                                     "/usr/bin/python3", "train.py (fork)"));
  EXPECT_EQ("python (spawn)", role({"python", "-c", Spawn}));
  EXPECT_EQ("a (resource_tracker)",
            role({"python", "-c",
                  "from multiprocessing.resource_tracker import main;main(4)"},
                 "/usr/bin/python3", "a"));
  EXPECT_EQ("a (forkserver)",
            role({"python", "-E", "-c",
                  "from multiprocessing.forkserver import main; main(6)"},
                 "/usr/bin/python3", "a"));
}

TEST(PythonRole, Forked) {
  EXPECT_EQ("", forkedRole(""));
  EXPECT_EQ("train.py (fork)", forkedRole("train.py"));
  EXPECT_EQ("train.py (fork)", forkedRole("train.py (fork)"));
  EXPECT_EQ("a (forkserver child)", forkedRole("a (forkserver)"));
  EXPECT_EQ("a (forkserver child)", forkedRole("a (forkserver child)"));
  EXPECT_EQ("a (fork)", forkedRole("a (spawn)"));
}

TEST(PythonRole, AnyCommandLine) {
  std::mt19937 Random(1);
  const char Letters[] = "-cmWX=/. \xff"
                         "a";
  for (int I = 0; I != 20000; ++I) {
    std::vector<std::string> Command(1, "python3");
    for (unsigned N = Random() % 4; N; --N) {
      Command.emplace_back();
      for (unsigned C = Random() % 5; C; --C)
        Command.back() += Letters[Random() % (sizeof(Letters) - 1)];
    }
    role(Command);
  }
  EXPECT_EQ(200u, role({"python", std::string(5000, 'x')}).size());
}

} // namespace
