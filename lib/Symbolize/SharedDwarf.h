// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information that several files share.
//
// dwz moves what the debug files of a package have in common into another file,
// and references the other file by offset: forms that LLVM does not follow. So
// the sections of both files are joined, with plain references.

#ifndef MEMKIT_LIB_SYMBOLIZE_SHAREDDWARF_H
#define MEMKIT_LIB_SYMBOLIZE_SHAREDDWARF_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>

namespace llvm {
class DWARFContext;
namespace object {
class ObjectFile;
} // namespace object
} // namespace llvm

namespace memkit {

/// Sections of debug information by name: `debug_info`.
using DwarfSections = llvm::StringMap<std::string>;

/// Whether a part of File's debug information is in another file.
bool usesSharedDwarf(const llvm::object::ObjectFile &File);

/// The debug information of Main joined with that of Alt; null: entries that
/// are in the other file have no name. Joined gets a copy of both files'
/// sections, which the result uses. OnError gets what LLVM finds wrong later.
llvm::Expected<std::unique_ptr<llvm::DWARFContext>>
joinSharedDwarf(const llvm::object::ObjectFile &Main,
                const llvm::object::ObjectFile *Alt, DwarfSections &Joined,
                std::function<void(llvm::Error)> OnError);

} // namespace memkit

#endif // MEMKIT_LIB_SYMBOLIZE_SHAREDDWARF_H
