// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Shared/Software.h"
#include "gtest/gtest.h"

using namespace memkit;
using Texts = std::vector<std::string>;

TEST(Software, FindsThePackageOfAModule) {
  Texts Folder = {"numpy-2.4.0.dist-info", "numpydoc-1.0.dist-info",
                  "jaxlib-0.10.2.dist-info", "jax-0.10.2.dist-info",
                  "torch-2.13.0+cpu.dist-info"};
  EXPECT_EQ(packageVersions("numpy", Folder), Texts{"numpy=2.4.0"});
  EXPECT_EQ(packageVersions("numpy.libs", Folder), Texts{"numpy=2.4.0"});
  EXPECT_EQ(packageVersions("jaxlib", Folder),
            (Texts{"jax=0.10.2", "jaxlib=0.10.2"}));
  EXPECT_EQ(packageVersions("torch", Folder), Texts{"torch=2.13.0+cpu"});
  EXPECT_EQ(packageVersions("scipy", Folder), Texts());
}

TEST(Software, ComparesNamesAsPipDoes) {
  EXPECT_EQ(packageVersions("ml_dtypes", {"ML.Dtypes-0.6.0.dist-info"}),
            Texts{"ml_dtypes=0.6.0"});
  EXPECT_EQ(packageVersions("yaml", {"PyYAML-6.0.dist-info"}), Texts());
  EXPECT_EQ(packageVersions("cv2", {"opencv_python-4.10.dist-info"}),
            Texts{"opencv_python=4.10"});
  EXPECT_EQ(packageVersions("numpy", {"numpy-1.24.2-py3.11.egg-info"}),
            Texts{"numpy=1.24.2"});
}

TEST(Software, KnowsTheRuntimeOfCuda) {
  Texts Folder = {"nvidia_cuda_runtime_cu12-12.6.77.dist-info",
                  "nvidia_cublas_cu12-12.6.4.1.dist-info",
                  "nvidia_cuda_runtime_cux-1.dist-info"};
  EXPECT_EQ(packageVersions("nvidia/cuda_runtime", Folder),
            Texts{"cuda-runtime=12.6.77"});
}

TEST(Software, PassesOverOddNames) {
  EXPECT_EQ(packageVersions("numpy",
                            {"numpy-.dist-info", "numpy.dist-info",
                             "-1.dist-info", ".dist-info",
                             "numpy-\x1b[2J.dist-info", "numpy-1=2.dist-info",
                             "numpy-" + std::string(101, '1') + ".dist-info"}),
            Texts());
  EXPECT_EQ(packageVersions("", {"numpy-1.dist-info", "-1.dist-info"}),
            Texts());
}

TEST(Software, ReadsNothingForOtherBinaries) {
  EXPECT_TRUE(mayHaveVersion("/v/site-packages/numpy/core.so"));
  EXPECT_TRUE(mayHaveVersion("/src/torch/lib/libtorch_python.so"));
  EXPECT_TRUE(mayHaveVersion("/usr/local/cuda/lib64/libcudart.so.12"));
  EXPECT_TRUE(mayHaveVersion("/opt/python/jaxlib/libjax_common.so"));
  EXPECT_FALSE(mayHaveVersion("/usr/lib/libc.so.6"));
  EXPECT_FALSE(mayHaveVersion("site-packages/numpy/core.so"));
  EXPECT_FALSE(mayHaveVersion(""));
  EXPECT_EQ(packageOf("/v/site-packages/numpy/a.so"),
            packageOf("/v/site-packages/numpy/b/c.so"));
  EXPECT_EQ(versionsOf("/nowhere", "/v/site-packages/numpy/a.so"), Texts());
}
