// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packets of a trace of Perfetto.

#include "PerfettoWriter.h"

using namespace llvm;

namespace memkit {

// Numbers of fields and values from Perfetto's trace_packet.proto,
// track_event.proto, track_descriptor.proto and others.
namespace {

namespace trace {
enum : unsigned { Packet = 1 };
}
namespace packet {
enum : unsigned {
  ClockSnapshot = 6,
  Timestamp = 8,
  SequenceId = 10,
  TrackEvent = 11,
  InternedData = 12,
  SequenceFlags = 13,
  ProfilePacket = 37,
  TrackDescriptor = 60,
};
enum : uint64_t { StateCleared = 1, NeedsState = 2 };
} // namespace packet
namespace clock_snapshot {
enum : unsigned { Clocks = 1, PrimaryTraceClock = 2 };
enum : uint64_t { Realtime = 1, MonotonicCoarse = 4, Boottime = 6 };
} // namespace clock_snapshot
namespace clock_value {
enum : unsigned { ClockId = 1, Timestamp = 2 };
}
namespace interned {
enum : unsigned { Iid = 1, Name = 2 };
}
namespace descriptor {
enum : unsigned {
  Uuid = 1,
  Name = 2,
  Process = 3,
  Thread = 4,
  Parent = 5,
  Counter = 8,
};
}
namespace process {
enum : unsigned { Pid = 1, Name = 6 };
}
namespace thread {
enum : unsigned { Pid = 1, Tid = 2, Name = 5 };
}
namespace counter {
enum : unsigned { Unit = 3 };
enum : uint64_t { SizeBytes = 3 };
} // namespace counter
namespace track_event {
enum : unsigned {
  CategoryIids = 3,
  DebugAnnotations = 4,
  Type = 9,
  NameIid = 10,
  TrackUuid = 11,
  CounterValue = 30,
};
enum : unsigned { Begin = 1, End = 2, Instant = 3, Counter = 4 };
} // namespace track_event
namespace annotation {
enum : unsigned { UintValue = 3, Name = 10 };
}

} // namespace

void PerfettoWriter::packet(function_ref<void(ProtoWriter &)> Fill) {
  Packet.clear();
  Packet.message(trace::Packet, [&](ProtoWriter &P) {
    Fill(P);
    P.number(packet::SequenceId, 1);
    uint64_t Flags = packet::NeedsState;
    if (std::exchange(First, false))
      Flags |= packet::StateCleared;
    P.number(packet::SequenceFlags, Flags);
  });
  OS << Packet.bytes();
}

void PerfettoWriter::clocks(uint64_t RealtimeNs) {
  Packet.clear();
  Packet.message(trace::Packet, [&](ProtoWriter &P) {
    P.message(packet::ClockSnapshot, [&](ProtoWriter &S) {
      // Packets have boot time, heap profiles coarse monotonic time.
      for (auto [Clock, TimeNs] :
           {std::pair(clock_snapshot::Boottime, uint64_t(0)),
            std::pair(clock_snapshot::MonotonicCoarse, uint64_t(0)),
            std::pair(clock_snapshot::Realtime, RealtimeNs)})
        S.message(clock_snapshot::Clocks,
                  [&, Clock = Clock, TimeNs = TimeNs](ProtoWriter &C) {
                    C.number(clock_value::ClockId, Clock);
                    C.number(clock_value::Timestamp, TimeNs);
                  });
      S.number(clock_snapshot::PrimaryTraceClock, clock_snapshot::Boottime);
    });
    P.number(packet::SequenceId, 1);
  });
  OS << Packet.bytes();
}

void PerfettoWriter::heapProfile(uint64_t TimeNs, StringRef Interned,
                                 function_ref<void(ProtoWriter &)> Fill) {
  packet([&](ProtoWriter &P) {
    P.number(packet::Timestamp, TimeNs);
    if (!Interned.empty())
      P.text(packet::InternedData, Interned);
    P.message(packet::ProfilePacket, Fill);
  });
}

PerfettoWriter::Track
PerfettoWriter::describe(function_ref<void(ProtoWriter &)> Fill, Track Parent,
                         StringRef Name) {
  packet([&](ProtoWriter &P) {
    P.message(packet::TrackDescriptor, [&](ProtoWriter &D) {
      D.number(descriptor::Uuid, Next);
      if (!Name.empty())
        D.text(descriptor::Name, Name);
      if (Parent)
        D.number(descriptor::Parent, Parent);
      Fill(D);
    });
  });
  return Next++;
}

PerfettoWriter::Track PerfettoWriter::process(uint32_t Pid, StringRef Name) {
  return describe(
      [&](ProtoWriter &D) {
        D.message(descriptor::Process, [&](ProtoWriter &P) {
          P.number(process::Pid, Pid);
          P.text(process::Name, Name);
        });
      },
      0, "");
}

PerfettoWriter::Track PerfettoWriter::thread(uint32_t Pid, uint32_t Tid,
                                             StringRef Name) {
  return describe(
      [&](ProtoWriter &D) {
        D.message(descriptor::Thread, [&](ProtoWriter &P) {
          P.number(thread::Pid, Pid);
          P.number(thread::Tid, Tid);
          P.text(thread::Name, Name);
        });
      },
      0, "");
}

PerfettoWriter::Track PerfettoWriter::track(Track Parent, StringRef Name) {
  return describe([](ProtoWriter &) {}, Parent, Name);
}

PerfettoWriter::Track PerfettoWriter::counter(Track Parent, StringRef Name) {
  return describe(
      [](ProtoWriter &D) {
        D.message(descriptor::Counter, [](ProtoWriter &C) {
          C.number(counter::Unit, counter::SizeBytes);
        });
      },
      Parent, Name);
}

uint64_t PerfettoWriter::intern(InternedTexts &In, StringRef Text,
                                SmallVectorImpl<DefinedText> &New) {
  auto [At, IsNew] = In.Ids.try_emplace(Text, In.Ids.size() + 1);
  if (IsNew)
    New.push_back({&In, At->second, At->first()});
  return At->second;
}

void PerfettoWriter::event(Track On, uint64_t TimeNs, unsigned Type,
                           StringRef Name, StringRef Category,
                           function_ref<void(ProtoWriter &)> Rest) {
  SmallVector<DefinedText, 2> New;
  uint64_t NameId = Name.empty() ? 0 : intern(Names, Name, New);
  uint64_t CategoryId =
      Category.empty() ? 0 : intern(Categories, Category, New);
  packet([&](ProtoWriter &P) {
    P.number(packet::Timestamp, TimeNs);
    if (!New.empty())
      P.message(packet::InternedData, [&](ProtoWriter &I) {
        for (const DefinedText &T : New)
          I.message(T.Of->Field, [&](ProtoWriter &E) {
            E.number(interned::Iid, T.Id);
            E.text(interned::Name, T.Text);
          });
      });
    P.message(packet::TrackEvent, [&](ProtoWriter &E) {
      E.number(track_event::Type, Type);
      E.number(track_event::TrackUuid, On);
      if (NameId)
        E.number(track_event::NameIid, NameId);
      if (CategoryId)
        E.number(track_event::CategoryIids, CategoryId);
      Rest(E);
    });
  });
}

void PerfettoWriter::begin(Track On, uint64_t TimeNs, StringRef Name,
                           StringRef Category, std::optional<uint64_t> Bytes) {
  event(On, TimeNs, track_event::Begin, Name, Category, [&](ProtoWriter &E) {
    if (Bytes)
      E.message(track_event::DebugAnnotations, [&](ProtoWriter &A) {
        A.text(annotation::Name, "bytes");
        A.number(annotation::UintValue, *Bytes);
      });
  });
}

void PerfettoWriter::end(Track On, uint64_t TimeNs,
                         ArrayRef<Annotation> Values) {
  event(On, TimeNs, track_event::End, "", "", [&](ProtoWriter &E) {
    for (const Annotation &V : Values)
      E.message(track_event::DebugAnnotations, [&](ProtoWriter &A) {
        A.text(annotation::Name, V.Name);
        A.number(annotation::UintValue, V.Value);
      });
  });
}

void PerfettoWriter::instant(Track On, uint64_t TimeNs, StringRef Name,
                             StringRef Category) {
  event(On, TimeNs, track_event::Instant, Name, Category, [](ProtoWriter &) {});
}

void PerfettoWriter::count(Track On, uint64_t TimeNs, uint64_t Value) {
  event(On, TimeNs, track_event::Counter, "", "",
        [&](ProtoWriter &E) { E.number(track_event::CounterValue, Value); });
}

} // namespace memkit
