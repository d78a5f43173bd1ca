// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paths of modules without wrappers.

#include "Torch/PlainPath.h"
#include "gtest/gtest.h"
#include <cstring>
#include <string>

using memkit::capture::PlainPath;

TEST(PlainPath, NoWrapper) {
  PlainPath P;
  EXPECT_STREQ("", P.of("", "Net", false));
  EXPECT_STREQ("module", P.of("module", "Net", false));
  EXPECT_STREQ("module.fc", P.of("module.fc", "Linear", false));
  EXPECT_STREQ("a._orig_mode", P.of("a._orig_mode", "Net", false));
}

TEST(PlainPath, WhatAWrapperHoldsHasItsClass) {
  PlainPath P;
  EXPECT_STREQ("", P.of("", "OptimizedModule", false));
  EXPECT_STREQ("Net", P.of("_orig_mod", "Net", false));
  EXPECT_STREQ("fc", P.of("_orig_mod.fc", "Linear", false));
  EXPECT_STREQ("a.0", P.of("a.0", "CheckpointWrapper", false));
  EXPECT_STREQ("a.0.Block",
               P.of("a.0._checkpoint_wrapped_module", "Block", false));
  EXPECT_STREQ("a.0.fc",
               P.of("a.0._fsdp_wrapped_module._checkpoint_wrapped_module.fc",
                    "Linear", false));
}

TEST(PlainPath, TheModelOfOneThatSpreads) {
  PlainPath P;
  EXPECT_STREQ("", P.of("", "DataParallel", true));
  EXPECT_STREQ("Net", P.of("module", "Net", false));
  EXPECT_STREQ("fc", P.of("module.fc", "Linear", false));
  // A submodule named `module`, and a name that only starts with `module`.
  EXPECT_STREQ("module", P.of("module.module", "Net", false));
  EXPECT_STREQ("modules.fc", P.of("modules.fc", "Linear", false));
}

TEST(PlainPath, OneThatSpreadsWithin) {
  PlainPath P;
  EXPECT_STREQ("", P.of("", "OptimizedModule", false));
  EXPECT_STREQ("DistributedDataParallel",
               P.of("_orig_mod", "DistributedDataParallel", true));
  EXPECT_STREQ("Net", P.of("_orig_mod.module", "Net", false));
  EXPECT_STREQ("fc", P.of("_orig_mod.module.fc", "Linear", false));
  EXPECT_STREQ("other.module.fc", P.of("other.module.fc", "Linear", false));
}

TEST(PlainPath, LongPathsAreCut) {
  PlainPath P;
  std::string Long;
  for (int I = 0; I != 200; ++I)
    Long += "segment.";
  EXPECT_LT(strlen(P.of((Long + "_orig_mod").c_str(), "Net", true)),
            PlainPath::MaxBytes);
  EXPECT_STREQ("fc", P.of("fc", std::string(600, 'x').c_str(), false));
  EXPECT_STREQ("", P.of("_orig_mod", std::string(600, 'x').c_str(), false));
}
