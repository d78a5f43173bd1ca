// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the memory map of a device.

#ifndef MEMKIT_TOOLS_MEMDUMP_MAPPRINTER_H
#define MEMKIT_TOOLS_MEMDUMP_MAPPRINTER_H

#include "memkit/Analysis/DeviceMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace memkit {

/// Prints for people: held, live and free bytes of each device, then a line for
/// each segment, block and hole. IsOver is called now and then; true stops
/// printing.
void printMaps(llvm::raw_ostream &OS, const Trace &T,
               llvm::ArrayRef<DeviceMap> Maps,
               llvm::function_ref<bool()> IsOver);

/// `{"devices": [...]}`.
void writeMapJson(llvm::raw_ostream &OS, const Trace &T,
                  llvm::ArrayRef<DeviceMap> Maps,
                  llvm::function_ref<bool()> IsOver);

} // namespace memkit

#endif // MEMKIT_TOOLS_MEMDUMP_MAPPRINTER_H
