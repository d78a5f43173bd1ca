// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a table as Arrow's C structures.

#include "ArrowStream.h"
#include <cerrno>
#include <new>

using namespace llvm;

namespace memkit {

//===----------------------------------------------------------------------===//
// Schemas
//===----------------------------------------------------------------------===//

namespace {
/// What a schema points to.
struct SchemaParts {
  std::string Name;
  std::vector<ArrowSchema> Children;
  std::vector<ArrowSchema *> ChildPointers;
  ArrowSchema Dictionary = {};
};

/// Releases the parts that a consumer has not moved away.
void releaseSchema(ArrowSchema *S) {
  auto *Parts = static_cast<SchemaParts *>(S->private_data);
  for (ArrowSchema &Child : Parts->Children)
    if (Child.release)
      Child.release(&Child);
  if (Parts->Dictionary.release)
    Parts->Dictionary.release(&Parts->Dictionary);
  S->release = nullptr;
  delete Parts;
}
} // namespace

static const char *formatOf(ColumnType Type) {
  switch (Type) {
  case ColumnType::Int64:
    return "l";
  case ColumnType::UInt32:
    return "I";
  case ColumnType::Float64:
    return "g";
  case ColumnType::Flag:
    return "b";
  case ColumnType::Text:
    return "u";
  case ColumnType::Choice:
    return "i";
  }
  llvm_unreachable("all types are handled");
}

static SchemaParts &startSchema(ArrowSchema &S, const char *Format,
                                StringRef Name) {
  auto Parts = std::make_unique<SchemaParts>();
  Parts->Name = Name.str();
  S = ArrowSchema();
  S.format = Format;
  S.name = Parts->Name.c_str();
  S.private_data = Parts.get();
  S.release = releaseSchema;
  return *Parts.release();
}

static void columnSchema(const ColumnInfo &C, ArrowSchema &Out) {
  SchemaParts &Parts = startSchema(Out, formatOf(C.Type), C.Name);
  Out.flags = C.IsNullable ? ARROW_FLAG_NULLABLE : 0;
  if (C.Type != ColumnType::Choice)
    return;
  startSchema(Parts.Dictionary, "u", "");
  Out.dictionary = &Parts.Dictionary;
}

static void tableSchema(ArrayRef<ColumnInfo> Columns, ArrowSchema &Out) {
  SchemaParts &Parts = startSchema(Out, "+s", "");
  Parts.Children.resize(Columns.size());
  for (ArrowSchema &Child : Parts.Children)
    Parts.ChildPointers.push_back(&Child);
  for (size_t I = 0; I != Columns.size(); ++I)
    columnSchema(Columns[I], Parts.Children[I]);
  Out.n_children = int64_t(Columns.size());
  Out.children = Parts.ChildPointers.data();
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

namespace {
/// What an array points to.
struct ArrayParts {
  ColumnData Data;
  std::shared_ptr<const TextList> Texts; ///< of a dictionary
  const void *Buffers[3] = {};
  std::vector<ArrowArray> Children;
  std::vector<ArrowArray *> ChildPointers;
  ArrowArray Dictionary = {};
};

void releaseArray(ArrowArray *A) {
  auto *Parts = static_cast<ArrayParts *>(A->private_data);
  for (ArrowArray &Child : Parts->Children)
    if (Child.release)
      Child.release(&Child);
  if (Parts->Dictionary.release)
    Parts->Dictionary.release(&Parts->Dictionary);
  A->release = nullptr;
  delete Parts;
}
} // namespace

static ArrayParts &startArray(ArrowArray &A, size_t Length) {
  auto *Parts = new ArrayParts;
  A = ArrowArray();
  A.length = int64_t(Length);
  A.buffers = Parts->Buffers;
  A.private_data = Parts;
  A.release = releaseArray;
  return *Parts;
}

static void dictionaryArray(std::shared_ptr<const TextList> Texts,
                            ArrowArray &Out) {
  ArrayParts &Parts = startArray(Out, Texts->size());
  Parts.Buffers[1] = Texts->Offsets.data();
  // Not null, also without any text.
  static const char Nothing = 0;
  Parts.Buffers[2] = Texts->Bytes.empty() ? &Nothing : Texts->Bytes.data();
  Out.n_buffers = 3;
  Parts.Texts = std::move(Texts);
}

static void columnArray(const ColumnInfo &Info, ColumnData Data, size_t Rows,
                        ArrowArray &Out) {
  ArrayParts &Parts = startArray(Out, Rows);
  Out.null_count = int64_t(Data.Nulls);
  Parts.Buffers[0] = Data.Valid.get();
  bool IsText = Info.Type == ColumnType::Text;
  Parts.Buffers[1] = IsText ? Data.Offsets.get() : Data.Values.get();
  Parts.Buffers[2] = IsText ? Data.Values.get() : nullptr;
  Out.n_buffers = IsText ? 3 : 2;
  Parts.Data = std::move(Data);
  if (Info.Type != ColumnType::Choice)
    return;
  dictionaryArray(Info.Choices, Parts.Dictionary);
  Out.dictionary = &Parts.Dictionary;
}

static void batchArray(ArrayRef<ColumnInfo> Columns, TableBatch Batch,
                       ArrowArray &Out) {
  ArrayParts &Parts = startArray(Out, Batch.Rows);
  Parts.Children.resize(Columns.size());
  for (ArrowArray &Child : Parts.Children)
    Parts.ChildPointers.push_back(&Child);
  for (size_t I = 0; I != Columns.size(); ++I)
    columnArray(Columns[I], std::move(Batch.Columns[I]), Batch.Rows,
                Parts.Children[I]);
  Out.n_buffers = 1; // no row of a table is null
  Out.n_children = int64_t(Columns.size());
  Out.children = Parts.ChildPointers.data();
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

namespace {
struct StreamParts {
  TableRef Of;
  std::unique_ptr<TableStream> Rows;
  std::string LastError;
  const char *Message = nullptr; ///< LastError, or a constant
};
} // namespace

/// Runs Body, which fills Out; Out is released again if Body fails.
template <class T, class F>
static int guarded(ArrowArrayStream *S, T *Out, F &&Body) {
  auto &Parts = *static_cast<StreamParts *>(S->private_data);
  Parts.Message = nullptr;
  *Out = T();
  try {
    if (Error E = Body(Parts)) {
      Parts.LastError = toString(std::move(E));
      Parts.Message = Parts.LastError.c_str();
      return EIO;
    }
    return 0;
  } catch (const std::bad_alloc &) {
    Parts.Message = "out of memory";
  } catch (...) {
    Parts.Message = "an internal limit was reached";
  }
  if (Out->release)
    Out->release(Out);
  return ENOMEM;
}

static int getSchema(ArrowArrayStream *S, ArrowSchema *Out) {
  return guarded(S, Out, [&](StreamParts &Parts) -> Error {
    tableSchema(Parts.Of->columns(), *Out);
    return Error::success();
  });
}

static int getNext(ArrowArrayStream *S, ArrowArray *Out) {
  return guarded(S, Out, [&](StreamParts &Parts) -> Error {
    Expected<std::optional<TableBatch>> Batch = Parts.Rows->next();
    if (!Batch)
      return Batch.takeError();
    if (*Batch) // else a released array: the end
      batchArray(Parts.Of->columns(), std::move(**Batch), *Out);
    return Error::success();
  });
}

static const char *getLastError(ArrowArrayStream *S) {
  return static_cast<StreamParts *>(S->private_data)->Message;
}

static void releaseStream(ArrowArrayStream *S) {
  delete static_cast<StreamParts *>(S->private_data);
  S->release = nullptr;
}

Error openArrowStream(TableRef Of, ArrowArrayStream &Out) {
  Expected<std::unique_ptr<TableStream>> Rows = Of->stream();
  if (!Rows)
    return Rows.takeError();
  auto Parts = std::make_unique<StreamParts>();
  Parts->Of = std::move(Of);
  Parts->Rows = std::move(*Rows);
  Out = ArrowArrayStream();
  Out.get_schema = getSchema;
  Out.get_next = getNext;
  Out.get_last_error = getLastError;
  Out.release = releaseStream;
  Out.private_data = Parts.release();
  return Error::success();
}

} // namespace memkit
