// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads numbers, texts and lines from the bytes of another tool's file.

#include "ByteReader.h"
#include "memkit/Trace/TraceError.h"
#include <algorithm>
#include <cstring>

using namespace llvm;
using namespace memkit;

static constexpr size_t BufferBytes = 1 << 20;

ByteReader::ByteReader(std::unique_ptr<ByteSource> From, StringRef Name)
    : From(std::move(From)), Name(Name), Buffer(BufferBytes) {}

Expected<ByteReader> ByteReader::open(const ImportFile &File,
                                      ProgressCallback OnProgress) {
  auto Source = File.decompressed(std::move(OnProgress));
  if (!Source)
    return Source.takeError();
  ByteReader In(std::move(*Source), File.name());
  In.Bounds = ImportBounds(File.size());
  return In;
}

bool ByteReader::fill(size_t Size) {
  if (End - At >= Size)
    return true;
  if (Failed)
    return false;
  // What is left moves to the front.
  std::memmove(Buffer.data(), Buffer.data() + At, End - At);
  Base += At;
  End -= At;
  At = 0;
  while (End < Size && !IsLast) {
    // The buffer grows with what is there, not with what a file claims.
    if (End == Buffer.size())
      Buffer.resize(std::min(Buffer.size() * 2, MaxText + BufferBytes));
    Expected<size_t> Made =
        From->read(MutableArrayRef(Buffer).slice(End, Buffer.size() - End));
    if (!Made) {
      IsDamage = true;
      EndsEarly = From->endsEarly();
      setFailed(Made.takeError());
      return false;
    }
    IsLast = *Made == 0;
    End += *Made;
  }
  return End >= Size;
}

bool ByteReader::fillOrFail(size_t Size) {
  if (fill(Size))
    return true;
  if (!Failed) {
    At = End;
    EndsEarly = true;
    setFailed(createStringError(inconvertibleErrorCode(),
                                "the file ends in the middle of a record"));
  }
  return false;
}

void ByteReader::setFailed(Error E) {
  Failed = true;
  What = toString(std::move(E));
  WhatAt = offset();
  At = End = 0;
  Base = WhatAt;
}

uint64_t ByteReader::varint() {
  uint64_t Value = 0;
  for (unsigned Shift = 0;; Shift += 7) {
    uint8_t Byte = u8();
    if (Shift == 63 && Byte > 1) {
      if (!Failed)
        setFailed(createStringError(inconvertibleErrorCode(),
                                    "a number has more than 64 bits"));
      return 0;
    }
    Value |= uint64_t(Byte & 0x7f) << Shift;
    if (!(Byte & 0x80))
      return Value;
  }
}

StringRef ByteReader::take(uint64_t Size) {
  if (Size > MaxText) {
    if (!Failed)
      setFailed(createStringError(inconvertibleErrorCode(),
                                  "a text of " + Twine(Size) +
                                      " bytes is longer than " +
                                      Twine(MaxText) + " bytes"));
    return "";
  }
  if (!fillOrFail(size_t(Size)))
    return "";
  StringRef Text(reinterpret_cast<const char *>(Buffer.data()) + At,
                 size_t(Size));
  At += size_t(Size);
  return Text;
}

StringRef ByteReader::lookAhead(size_t Size) {
  fill(std::min<size_t>(Size, 1 << 16));
  return StringRef(reinterpret_cast<const char *>(Buffer.data()) + At,
                   std::min(Size, End - At));
}

void ByteReader::skip(uint64_t Size) {
  while (Size > End - At) {
    Size -= End - At;
    At = End;
    if (!fillOrFail(1))
      return;
  }
  At += size_t(Size);
}

StringRef ByteReader::zeroTerminated(size_t Max) {
  for (size_t Size = 0; Size <= Max; ++Size) {
    if (End - At <= Size && !fill(Size + 1)) {
      fillOrFail(Size + 1);
      return "";
    }
    if (!Buffer[At + Size]) {
      StringRef Text = take(Size);
      // The bytes of Text stay where they are: the NUL is in the buffer.
      ++At;
      return Text;
    }
  }
  if (!Failed)
    setFailed(
        createStringError(inconvertibleErrorCode(),
                          "a text is longer than " + Twine(Max) + " bytes"));
  return "";
}

std::optional<StringRef> ByteReader::line(size_t Max) {
  if (atEnd())
    return std::nullopt;
  size_t Seen = 0;
  while (true) {
    const uint8_t *Begin = Buffer.data() + At;
    if (const void *Found = std::memchr(Begin + Seen, '\n', End - At - Seen)) {
      size_t Size = size_t(static_cast<const uint8_t *>(Found) - Begin);
      if (Size > Max)
        break;
      At += Size + 1;
      ++Line;
      return StringRef(reinterpret_cast<const char *>(Begin), Size).rtrim('\r');
    }
    Seen = End - At;
    if (Seen > Max)
      break;
    if (!fill(Seen + 1)) {
      if (Failed)
        return std::nullopt;
      // The last line may have no end.
      Begin = Buffer.data() + At;
      At = End;
      ++Line;
      return StringRef(reinterpret_cast<const char *>(Begin), Seen).rtrim('\r');
    }
  }
  setFailed(
      createStringError(inconvertibleErrorCode(),
                        "a line is longer than " + Twine(Max) + " bytes"));
  return std::nullopt;
}

Error ByteReader::fail(const Twine &What, uint64_t At) const {
  return makeTraceError(Name, At, What);
}

Error ByteReader::takeError() {
  if (!Failed)
    return Error::success();
  // The source's own message has the file and the offset in the file.
  if (IsDamage)
    return createStringError(inconvertibleErrorCode(), What);
  return fail(What, WhatAt);
}

Error ByteReader::takeErrorOr(const Twine &What) {
  if (Error E = takeError())
    return E;
  return fail(What);
}
