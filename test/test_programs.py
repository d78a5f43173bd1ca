# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs and libraries that only tests need. A build of the tools (utils/quickstart) has
none of them. Then a test that needs one does not run, and lit says why."""

import os
import re

import lit.formats
import lit.Test

# By the folder of the build.
NAMES = {
    "bin": ("memkit-gentrace", "memkit-gengrowth", "memkit-recbench"),
    "test/unit": ("wiredrain", "TorchAnswers", "libmemrec-oracle.so", "libmemrec-python-oracle.so",
                  "libinstance-dict.so"),
}


def missing(build, folders):
    """The names of what is not in the folders of the build."""
    return [name for folder in folders for name in NAMES[folder]
            if not os.path.exists(os.path.join(build, folder, name))]


def sentence(names):
    return "not built: %s; `ninja memkit-test-deps` in the build folder builds what the tests need" % ", ".join(names)


class ShTest(lit.formats.ShTest):
    """lit's tests of shell commands, without those that need something that is missing."""

    def __init__(self, names):
        super().__init__(execute_external=True)
        self.names = names

    def execute(self, test, lit_config):
        with open(test.getSourcePath(), encoding="utf-8", errors="replace") as file:
            text = file.read()
        # A substitution may stand for a command of the program.
        text += "".join(value for key, value in test.config.substitutions if re.search(key, text))
        needed = [name for name in self.names if name in text]
        if needed:
            return lit.Test.Result(lit.Test.UNSUPPORTED, sentence(needed))
        return super().execute(test, lit_config)
