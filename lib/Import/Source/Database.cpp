// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads tables of an SQLite file that may come from anyone.

#include "Database.h"
#include "memkit/Trace/TraceError.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

bool DatabaseRow::isNull(int Column) const {
  return sqlite3_column_type(Row, Column) == SQLITE_NULL;
}
int64_t DatabaseRow::number(int Column) const {
  return sqlite3_column_int64(Row, Column);
}
StringRef DatabaseRow::text(int Column) const {
  const unsigned char *Text = sqlite3_column_text(Row, Column);
  if (!Text)
    return "";
  return {reinterpret_cast<const char *>(Text),
          size_t(sqlite3_column_bytes(Row, Column))};
}

/// Allows nothing but reading tables, with the functions that the queries use.
static int authorize(void *, int Action, const char *First, const char *Second,
                     const char *, const char *View) {
  // The name of the view or trigger that wants to read.
  if (View)
    return SQLITE_DENY;
  switch (Action) {
  case SQLITE_SELECT:
  case SQLITE_READ:
    return SQLITE_OK;
  case SQLITE_PRAGMA:
    return StringRef(First) == "table_info" ? SQLITE_OK : SQLITE_DENY;
  case SQLITE_FUNCTION:
    return StringRef(Second) == "min" || StringRef(Second) == "max"
               ? SQLITE_OK
               : SQLITE_DENY;
  default:
    return SQLITE_DENY;
  }
}

/// A row takes at least 5 bytes, and a query some 50 steps for a row.
static constexpr uint64_t StepsOfByte = 20;
static constexpr uint64_t MinSteps = 10'000'000;
static constexpr int StepsOfLook = 10'000;

Database::Database(StringRef Name, std::shared_ptr<const TraceBytes> From)
    : Name(Name.str()), Bytes(std::move(From)), FileBytes(Bytes->size()),
      Steps(std::make_unique<StepCount>(
          StepCount{0, MinSteps + FileBytes * StepsOfByte})) {}

Database::Database(Database &&Other)
    : Name(std::move(Other.Name)), Bytes(std::move(Other.Bytes)),
      FileBytes(Other.FileBytes), Mapped(std::move(Other.Mapped)),
      Steps(std::move(Other.Steps)),
      Handle(std::exchange(Other.Handle, nullptr)),
      Tables(std::move(Other.Tables)) {}

/// SQLite calls it each StepsOfLook steps. Not 0: the query ends.
int Database::countSteps(void *Self) {
  auto *Steps = static_cast<StepCount *>(Self);
  return (Steps->Done += StepsOfLook) > Steps->Max;
}

Database::~Database() { sqlite3_close(Handle); }

Error Database::fail() {
  if (sqlite3_errcode(Handle) == SQLITE_INTERRUPT)
    return makeFileError(Name, "SQLite: a table has more rows than a file of " +
                                   Twine(FileBytes) + " bytes can have");
  return makeFileError(Name, "SQLite: " + Twine(sqlite3_errmsg(Handle)));
}

/// Whether the file of Fd is in a folder, where SQLite looks for it.
static bool isLinked(int Fd) {
  struct stat Status;
  return ::fstat(Fd, &Status) == 0 && Status.st_nlink != 0;
}

int Database::openHandle() {
  int Flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_PRIVATECACHE;
  if (Bytes->fd() >= 0 && isLinked(Bytes->fd())) {
    // Immutable: no lock, no journal that lies beside the file.
    std::string Uri =
        "file:/proc/self/fd/" + std::to_string(Bytes->fd()) + "?immutable=1";
    return sqlite3_open_v2(Uri.c_str(), &Handle, Flags, nullptr);
  }
  int Status =
      sqlite3_open_v2(":memory:", &Handle, SQLITE_OPEN_READWRITE, nullptr);
  if (Status != SQLITE_OK)
    return Status;
  auto Size = int64_t(FileBytes);
  // A temporary file, which no other program makes shorter, can be mapped.
  if (Bytes->fd() >= 0) {
    using sys::fs::mapped_file_region;
    std::error_code Code;
    Mapped =
        mapped_file_region(sys::fs::convertFDToNativeFile(Bytes->fd()),
                           mapped_file_region::readonly, FileBytes, 0, Code);
    if (Code)
      return SQLITE_IOERR;
    // SQLite does not write into what is SQLITE_DESERIALIZE_READONLY.
    auto *Data = reinterpret_cast<unsigned char *>(
        const_cast<char *>(Mapped.const_data()));
    return sqlite3_deserialize(Handle, "main", Data, Size, Size,
                               SQLITE_DESERIALIZE_READONLY);
  }
  std::vector<uint8_t> Scratch;
  auto All = Bytes->read(0, FileBytes, Scratch);
  if (!All) {
    consumeError(All.takeError());
    return SQLITE_IOERR;
  }
  auto *Copy = static_cast<unsigned char *>(sqlite3_malloc64(All->size() + 1));
  if (!Copy)
    return SQLITE_NOMEM;
  copy(*All, Copy);
  return sqlite3_deserialize(Handle, "main", Copy, Size, Size,
                             SQLITE_DESERIALIZE_FREEONCLOSE |
                                 SQLITE_DESERIALIZE_READONLY);
}

/// The file, or what a compressed file becomes, in an unlinked temporary file.
static Expected<std::shared_ptr<const TraceBytes>>
plainBytes(const ImportFile &File) {
  Expected<StringRef> Packed = File.compression();
  if (!Packed)
    return Packed.takeError();
  if (Packed->empty())
    return File.bytes();
  auto Source = File.decompressed();
  if (!Source)
    return Source.takeError();
  int Fd;
  SmallString<128> Path;
  if (std::error_code Code =
          sys::fs::createTemporaryFile("memimport", "sqlite", Fd, Path))
    return makeFileError(File.name(),
                         "cannot make a temporary file: " + Code.message());
  auto Close = make_scope_exit([&] { ::close(Fd); });
  (void)sys::fs::remove(Path);
  raw_fd_ostream Out(Fd, /*shouldClose=*/false);
  std::vector<uint8_t> Buffer(1 << 20);
  uint64_t Size = 0;
  while (true) {
    Expected<size_t> Part = (*Source)->read(Buffer);
    if (!Part)
      return Part.takeError();
    if (!*Part)
      break;
    Out.write(reinterpret_cast<const char *>(Buffer.data()), *Part);
    Size += *Part;
  }
  Out.flush();
  if (std::error_code Code = Out.error()) {
    Out.clear_error();
    return makeFileError(File.name(),
                         "cannot write a temporary file: " + Code.message());
  }
  Close.release();
  return std::make_shared<const TraceBytes>(Fd, Size, "", File.name());
}

Expected<Database> Database::open(const ImportFile &File) {
  auto Bytes = plainBytes(File);
  if (!Bytes)
    return Bytes.takeError();
  Database D(File.name(), std::move(*Bytes));
  if (D.openHandle() != SQLITE_OK)
    return D.fail();
  sqlite3_db_config(D.Handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(D.Handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(D.Handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(D.Handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  // A text of a file may be as long as the file says, up to this.
  sqlite3_limit(D.Handle, SQLITE_LIMIT_LENGTH, 16 << 20);
  sqlite3_hard_heap_limit64(int64_t(1) << 30);
  sqlite3_progress_handler(D.Handle, StepsOfLook, countSteps, D.Steps.get());
  sqlite3_set_authorizer(D.Handle, authorize, nullptr);
  Error E = D.query("SELECT name FROM sqlite_master WHERE type = 'table'",
                    [&](const DatabaseRow &Row) {
                      D.Tables.insert(Row.text(0).str());
                      return Error::success();
                    });
  if (E)
    return std::move(E);
  return D;
}

bool Database::hasTable(StringRef Table) const {
  return Tables.count(Table.str()) != 0;
}

Expected<std::set<std::string>> Database::columns(StringRef Table) {
  std::set<std::string> Names;
  Error E = query(("PRAGMA table_info(" + Table + ")").str(),
                  [&](const DatabaseRow &Row) {
                    Names.insert(Row.text(1).str());
                    return Error::success();
                  });
  if (E)
    return std::move(E);
  return Names;
}

Error Database::query(StringRef Sql,
                      function_ref<Error(const DatabaseRow &)> Do) {
  sqlite3_stmt *Statement = nullptr;
  Steps->Done = 0;
  if (sqlite3_prepare_v2(Handle, Sql.data(), int(Sql.size()), &Statement,
                         nullptr) != SQLITE_OK)
    return fail();
  Error Result = Error::success();
  int Status;
  while ((Status = sqlite3_step(Statement)) == SQLITE_ROW) {
    Result = Do(DatabaseRow(Statement));
    if (Result)
      break;
  }
  if (!Result && Status != SQLITE_DONE)
    Result = joinErrors(std::move(Result), fail());
  sqlite3_finalize(Statement);
  return Result;
}
