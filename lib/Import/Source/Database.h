// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tables of an SQLite file that may come from anyone.

#ifndef MEMKIT_LIB_IMPORT_DATABASE_H
#define MEMKIT_LIB_IMPORT_DATABASE_H

#include "ByteSource.h"
#include "llvm/Support/FileSystem.h"
#include <functional>
#include <memory>
#include <set>

struct sqlite3;
struct sqlite3_stmt;

namespace memkit {

/// A result row of Database::query(), valid during the call.
class DatabaseRow {
public:
  explicit DatabaseRow(sqlite3_stmt *Row) : Row(Row) {}
  bool isNull(int Column) const;
  int64_t number(int Column) const;
  llvm::StringRef text(int Column) const;

private:
  sqlite3_stmt *Row;
};

/// An SQLite file that is open for reading. Only tables are read: a view, or
/// any other statement that the file brings along, is refused. Pages of a
/// damaged file may refer to one page many times: a query that takes more steps
/// than the file's rows can is an error. Belongs to one thread.
class Database {
public:
  static llvm::Expected<Database> open(const ImportFile &File);
  Database(Database &&);
  ~Database();

  /// Whether the file has a table of this name, and not a view.
  bool hasTable(llvm::StringRef Name) const;
  uint64_t fileBytes() const { return FileBytes; }
  /// The names of a table's columns.
  llvm::Expected<std::set<std::string>> columns(llvm::StringRef Table);
  /// Runs a SELECT, and calls Do with each row, until Do returns an error.
  llvm::Error query(llvm::StringRef Sql,
                    llvm::function_ref<llvm::Error(const DatabaseRow &)> Do);

private:
  Database(llvm::StringRef Name, std::shared_ptr<const TraceBytes> Bytes);
  /// Opens Handle on Bytes: on their file, or on the bytes in memory. The
  /// result is SQLite's.
  int openHandle();
  llvm::Error fail();
  static int countSteps(void *Self);

  std::string Name;
  std::shared_ptr<const TraceBytes> Bytes;
  uint64_t FileBytes; ///< of Bytes
  llvm::sys::fs::mapped_file_region Mapped;
  /// Of SQLite's machine, in the query at work; on the heap, since SQLite keeps
  /// the address.
  struct StepCount {
    uint64_t Done = 0, Max;
  };
  std::unique_ptr<StepCount> Steps;
  sqlite3 *Handle = nullptr;
  std::set<std::string> Tables;
};

} // namespace memkit

#endif // MEMKIT_LIB_IMPORT_DATABASE_H
