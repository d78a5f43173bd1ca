// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format that the name of the output file asks for.

#ifndef MEMKIT_LIB_CLI_OUTPUTFORMAT_H
#define MEMKIT_LIB_CLI_OUTPUTFORMAT_H

namespace memkit {

/// Where -o names a file and --format is not given, sets --format by the file's
/// extension, if the tool has such a format: `-o peak.svg` is a picture. Call
/// after the command line was parsed. NumOfProject: the first arguments, which
/// are the project's; a name on the command line wins over its --format.
void chooseFormatByOutput(unsigned NumOfProject);

} // namespace memkit

#endif // MEMKIT_LIB_CLI_OUTPUTFORMAT_H
