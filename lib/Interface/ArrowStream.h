// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table as Arrow's C structures.
//
// https://arrow.apache.org/docs/format/CDataInterface.html and
// CStreamInterface.html, Arrow 15.

#ifndef MEMKIT_LIB_INTERFACE_ARROWSTREAM_H
#define MEMKIT_LIB_INTERFACE_ARROWSTREAM_H

#include "Tables/Table.h"
#include "memkit/trace.h"

namespace memkit {

/// Sets Out to a stream of all rows of Of. The stream keeps Of. Its functions
/// return errno values and throw nothing. Errors: of TypedTable::stream().
llvm::Error openArrowStream(TableRef Of, ArrowArrayStream &Out);

} // namespace memkit

#endif // MEMKIT_LIB_INTERFACE_ARROWSTREAM_H
