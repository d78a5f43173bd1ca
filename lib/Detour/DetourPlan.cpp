// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a function is replaced in memory.

#include "DetourPlan.h"

#include "CodeReader.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

#include <cstring>

using namespace memkit;
using namespace llvm;

/// Marks the target of an indirect jump or call, where a processor checks that.
static constexpr uint8_t Landing[] = {0xf3, 0x0f, 0x1e, 0xfa};

namespace {

/// Moves the first instructions of one function.
class Mover {
public:
  Mover(const CodeReader &Reader, const CodeImage &Image, const CodeSymbol &Of,
        PlannedFunction &To)
      : Reader(Reader), Image(Image), Of(Of), To(To), Plan(To.Plan) {}

  void run();

private:
  bool refuse(const Twine &Why) {
    To.Refusal = Why.str();
    return false;
  }
  uint64_t replaced() const { return Next - Plan.At; }
  bool move(const CodeInstruction &I);
  void moveJump(ArrayRef<uint8_t> Opcode, uint64_t Target);
  bool moveCall(const CodeInstruction &I, ArrayRef<uint8_t> Bytes);
  void skipPadding(uint64_t End);

  const CodeReader &Reader;
  const CodeImage &Image;
  const CodeSymbol &Of;
  PlannedFunction &To;
  DetourPlan &Plan;
  uint64_t Next = 0;  ///< the instruction that is read next
  bool GoesOn = true; ///< the last moved instruction leads to the next one
};

} // namespace

void Mover::moveJump(ArrayRef<uint8_t> Opcode, uint64_t Target) {
  Plan.Moved.append(Opcode.begin(), Opcode.end());
  uint8_t At = uint8_t(Plan.Moved.size());
  Plan.Moved.append(4, 0);
  Plan.Words.push_back({At, uint8_t(At + 4), Target});
}

/// A call that the caller's stack places in the function, not in moved code:
///   push *Return; jmp Target; Return: the address behind the call
/// A call is the last instruction that moves, as it has at least as many bytes
/// as a jump.
bool Mover::moveCall(const CodeInstruction &I, ArrayRef<uint8_t> Bytes) {
  constexpr uint8_t Direct = 0xe8;
  static constexpr uint8_t ByWord[] = {0xff, 0x15}, JumpByWord[] = {0xff, 0x25};
  // Prefixes of a direct call only fill space.
  bool IsDirect =
      I.Target && I.Bytes >= JumpBytes && Bytes[I.Bytes - JumpBytes] == Direct;
  bool IsByWord = Bytes.take_front(2) == ArrayRef<uint8_t>(ByWord) &&
                  I.OperandAt == sizeof(ByWord);
  if (!IsDirect && !IsByWord)
    return false;
  const uint8_t Way = IsDirect ? 5 : 6;
  Plan.Moved.append({0xff, 0x35, Way, 0, 0, 0});
  if (IsDirect)
    moveJump(0xe9, I.Target);
  else
    moveJump(JumpByWord, I.Operand);
  Plan.Words.push_back({uint8_t(Plan.Moved.size()), 0, I.end()});
  Plan.Moved.append(sizeof(uint64_t), 0);
  return true;
}

bool Mover::move(const CodeInstruction &I) {
  ArrayRef<uint8_t> Bytes = Image.from(I.Address).take_front(I.Bytes);
  const std::string At = ("byte " + Twine(I.Address - Of.Address)).str();
  switch (I.Flow) {
  case CodeFlow::Call:
    return moveCall(I, Bytes) || refuse(At + " calls a function");
  case CodeFlow::ShortLoop:
    return refuse(At + " is a loop instruction");
  case CodeFlow::System:
    return refuse(At + " leaves the program's code");
  case CodeFlow::Jump:
    moveJump(0xe9, I.Target);
    return true;
  case CodeFlow::Condition:
    moveJump({0x0f, uint8_t(0x80 | (Bytes[Bytes[0] == 0x0f] & 0xf))}, I.Target);
    return true;
  case CodeFlow::Plain:
  case CodeFlow::Elsewhere:
  case CodeFlow::Return:
  case CodeFlow::Trap:
    break;
  }
  uint8_t Begin = uint8_t(Plan.Moved.size());
  Plan.Moved.append(Bytes.begin(), Bytes.end());
  if (I.OperandAt)
    Plan.Words.push_back(
        {uint8_t(Begin + I.OperandAt), uint8_t(Begin + I.Bytes), I.Operand});
  return true;
}

/// Skips what fills the space up to the next function, at most up to End, and
/// is never run.
void Mover::skipPadding(uint64_t End) {
  const uint64_t Last = Image.nextBegin(Of.Address);
  CodeInstruction I;
  while (Next < End && Next < Last) {
    ArrayRef<uint8_t> Code = Image.from(Next);
    // 0x66, 0x2e, 0x0f begin longer instructions that do nothing.
    static constexpr uint8_t Fills[] = {0x90, 0x66, 0x0f, 0x2e};
    if (Code[0] == 0xcc || Code[0] == 0)
      ++Next;
    else if (is_contained(Fills, Code[0]) && Reader.read(Code, Next, I) &&
             I.Flow == CodeFlow::Plain)
      Next = I.end();
    else
      return;
  }
}

void Mover::run() {
  ArrayRef<uint8_t> Code = Image.from(Of.Address);
  if (Of.IsChosen)
    return (void)refuse("the loader chooses it");
  bool Lands = Code.take_front(4) == ArrayRef<uint8_t>(Landing);
  Plan.At = Next = Of.Address + (Lands ? sizeof(Landing) : 0);
  if (Lands)
    Plan.Moved.append(std::begin(Landing), std::end(Landing));
  const uint64_t End = Plan.At + JumpBytes;
  while (Next < End) {
    if (!GoesOn) {
      skipPadding(End);
      break;
    }
    CodeInstruction I;
    if (!Reader.read(Image.from(Next), Next, I))
      return (void)refuse("byte " + Twine(Next - Of.Address) +
                          " is no known instruction");
    if (!move(I))
      return;
    Next = I.end();
    GoesOn = I.Flow == CodeFlow::Plain || I.Flow == CodeFlow::Condition;
  }
  if (Next < End || Next > Image.nextBegin(Of.Address))
    return (void)refuse("it has only " + Twine(replaced()) + " bytes");
  Plan.Replaced = uint8_t(replaced());
  if (GoesOn)
    moveJump(0xe9, Next);
}

namespace {

/// Finds jumps into the middle of what is replaced, and jumps of a function to
/// its own begin: a loop, which may keep values where a call may not.
class JumpSearch {
public:
  JumpSearch(const CodeReader &Reader, const CodeImage &Image,
             ArrayRef<CodeSymbol> Functions,
             MutableArrayRef<PlannedFunction> Plans);
  void run();

private:
  struct FirstBytes {
    uint64_t Begin, End; ///< of the function's first bytes
    const CodeSymbol *Of;
    PlannedFunction *Plan;
  };
  void search(const CodeBytes &Section);
  void look(const CodeBytes &Section, size_t I);
  void note(uint64_t Jump, uint64_t Target, bool IsCall);
  bool isOwn(uint64_t Jump, const CodeSymbol &Of) const;
  bool isInstruction(uint64_t Address) const;

  const CodeReader &Reader;
  const CodeImage &Image;
  std::vector<FirstBytes> Places; ///< by Begin
};

} // namespace

JumpSearch::JumpSearch(const CodeReader &Reader, const CodeImage &Image,
                       ArrayRef<CodeSymbol> Functions,
                       MutableArrayRef<PlannedFunction> Plans)
    : Reader(Reader), Image(Image) {
  for (auto [F, P] : zip_equal(Functions, Plans))
    if (P.Refusal.empty())
      Places.push_back({F.Address, P.Plan.At + P.Plan.Replaced, &F, &P});
  sort(Places, [](const FirstBytes &A, const FirstBytes &B) {
    return A.Begin < B.Begin;
  });
}

/// Whether a jump is in a function, or in the part of it that seldom runs.
bool JumpSearch::isOwn(uint64_t Jump, const CodeSymbol &Of) const {
  const CodeSymbol *In = Image.before(Jump);
  return In && (In->Address == Of.Address ||
                In->Name.starts_with((Of.Name + ".cold").str()));
}

// Code is read from the function's begin on: bytes that look like a jump may be
// the middle of an instruction.
bool JumpSearch::isInstruction(uint64_t Address) const {
  const CodeSymbol *F = Image.before(Address);
  if (!F)
    return true;
  CodeInstruction I;
  for (uint64_t At = F->Address; At < Address; At = I.end())
    if (!Reader.read(Image.from(At), At, I))
      return true;
    else if (I.end() > Address)
      return false;
  return true;
}

void JumpSearch::note(uint64_t Jump, uint64_t Target, bool IsCall) {
  auto Next = partition_point(
      Places, [&](const FirstBytes &P) { return P.Begin <= Target; });
  if (Next == Places.begin())
    return;
  const FirstBytes &P = *std::prev(Next);
  bool IsBegin = Target == P.Begin || Target == P.Plan->Plan.At;
  if (Target >= P.End || !P.Plan->Refusal.empty() ||
      (IsBegin && (IsCall || !isOwn(Jump, *P.Of))) || !isInstruction(Jump))
    return;
  P.Plan->Refusal = "a jump leads to byte " + utostr(Target - P.Begin);
}

/// Whether one of Count words that begin at Code leads to a place, if it is the
/// distance of a jump: the last distance that leads to First is Last. Compiles
/// to a few instructions for sixteen bytes.
static bool anyLeads(const uint8_t *Code, size_t Count, uint32_t Last,
                     uint32_t Bytes) {
  uint32_t Any = 0;
  for (uint32_t I = 0; I < Count; ++I) {
    uint32_t Word;
    memcpy(&Word, Code + 4 * size_t(I), 4);
    Any |= uint32_t(Word + 4 * I - Last < Bytes);
  }
  return Any;
}

/// The byte at I is the first of a jump's distance.
void JumpSearch::look(const CodeBytes &Section, size_t I) {
  ArrayRef<uint8_t> Code = Section.Bytes;
  bool IsJump = Code[I - 1] == 0xe8 || Code[I - 1] == 0xe9;
  bool IsCondition = I > 1 && Code[I - 1] >> 4 == 8 && Code[I - 2] == 0x0f;
  if (IsJump || IsCondition)
    note(Section.Address + I - (IsJump ? 1 : 2),
         Section.Address + I + 4 +
             uint64_t(int64_t(int32_t(support::endian::read32le(&Code[I])))),
         Code[I - 1] == 0xe8);
}

void JumpSearch::search(const CodeBytes &Section) {
  constexpr size_t Block = 256;
  const uint64_t First = Places.front().Begin,
                 Bytes = Places.back().End - First;
  ArrayRef<uint8_t> Code = Section.Bytes;
  if (Code.size() < JumpBytes)
    return;
  const size_t End = Code.size() - 3;
  for (size_t Begin = 1; Begin < End; Begin += 4 * Block)
    for (size_t At = Begin; At < Begin + 4 && At < End; ++At) {
      size_t Count = std::min(Block, (End - At + 3) / 4);
      uint32_t Last = uint32_t(First - (Section.Address + At + 4));
      if (anyLeads(&Code[At], Count, Last, uint32_t(Bytes)))
        for (size_t I = 0; I < Count; ++I)
          look(Section, At + 4 * I);
    }
}

void JumpSearch::run() {
  if (Places.empty())
    return;
  if (Places.back().End - Places.front().Begin >= INT32_MAX) {
    for (const FirstBytes &P : Places)
      P.Plan->Refusal = "the code is larger than jumps reach";
    return;
  }
  for (const CodeBytes &S : Image.sections())
    search(S);
  // Jumps of two bytes reach 127 bytes.
  constexpr uint64_t Near = 130;
  for (const FirstBytes &P : Places)
    for (uint64_t At = P.Begin - std::min(P.Begin, Near); At < P.End + Near;
         ++At) {
      ArrayRef<uint8_t> Code = Image.from(At);
      if (Code.size() > 1 &&
          (Code[0] == 0xeb || Code[0] >> 4 == 7 || (Code[0] & 0xfc) == 0xe0))
        note(At, At + 2 + uint64_t(int64_t(int8_t(Code[1]))), false);
    }
}

std::vector<PlannedFunction>
memkit::planDetours(const CodeImage &Image, ArrayRef<CodeSymbol> Functions) {
  CodeReader Reader;
  std::vector<PlannedFunction> Plans(Functions.size());
  for (size_t I = 0; I < Functions.size(); ++I)
    Mover(Reader, Image, Functions[I], Plans[I]).run();
  JumpSearch(Reader, Image, Functions, Plans).run();
  return Plans;
}
