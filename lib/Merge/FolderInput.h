// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of traces as an input.

#ifndef MEMKIT_LIB_MERGE_FOLDERINPUT_H
#define MEMKIT_LIB_MERGE_FOLDERINPUT_H

namespace memkit {

/// From now on a folder opens as the merged trace of the files *.fb in the
/// folder and below it (MergeKind::Sums), through a temporary file in $TMPDIR,
/// else /tmp. Traces that cannot be read are left out with a warning. Call
/// before any trace is opened.
void acceptFolders();

} // namespace memkit

#endif // MEMKIT_LIB_MERGE_FOLDERINPUT_H
