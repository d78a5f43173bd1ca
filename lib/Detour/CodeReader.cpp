// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of x86-64, as far as moving them is concerned.

#include "CodeReader.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/TargetSelect.h"

using namespace memkit;
using namespace llvm;

static bool isPrefix(uint8_t Byte) {
  return Byte == 0xf0 || Byte == 0xf2 || Byte == 0xf3 || Byte == 0x66 ||
         Byte == 0x67 || Byte == 0x2e || Byte == 0x36 || Byte == 0x3e ||
         Byte == 0x26 || Byte == 0x64 || Byte == 0x65 || Byte >> 4 == 4;
}

struct CodeReader::Decoder {
  MCTargetOptions Options;
  std::unique_ptr<const MCRegisterInfo> Registers;
  std::unique_ptr<const MCAsmInfo> Syntax;
  std::unique_ptr<const MCSubtargetInfo> Features;
  std::unique_ptr<const MCInstrInfo> Instructions;
  std::unique_ptr<const MCInstrAnalysis> Analysis;
  std::unique_ptr<MCContext> Context;
  std::unique_ptr<const MCDisassembler> Disassembler;
  MCRegister InstructionPointer;

  bool read(ArrayRef<uint8_t> Code, uint64_t Address, MCInst &To,
            uint64_t &Bytes) const {
    To.clear();
    return Disassembler->getInstruction(To, Bytes, Code, Address, nulls()) ==
           MCDisassembler::Success;
  }

  /// As read(). The disassembler takes some prefixes for instructions:
  /// Prefixes are their bytes.
  bool readWhole(ArrayRef<uint8_t> Code, uint64_t Address, MCInst &To,
                 uint64_t &Bytes, size_t &Prefixes) const {
    for (Prefixes = 0; Prefixes < Code.size() && Prefixes < 8; ++Prefixes) {
      if (!read(Code.drop_front(Prefixes), Address + Prefixes, To, Bytes))
        return false;
      if (Bytes > 1 || !isPrefix(Code[Prefixes]))
        return true;
    }
    return false;
  }

  /// The operand that is the distance from the end of the instruction to an
  /// operand in memory; -1: none. An operand in memory is five of MCInst's: a
  /// base, a factor, an index, a distance, a segment.
  int distanceOf(const MCInst &I) const {
    for (unsigned Op = 0; Op + 3 < I.getNumOperands(); ++Op)
      if (I.getOperand(Op).isReg() &&
          I.getOperand(Op).getReg() == InstructionPointer.id() &&
          I.getOperand(Op + 3).isImm())
        return int(Op + 3);
    return -1;
  }
};

CodeReader::CodeReader() : D(std::make_unique<Decoder>()) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  const Triple X86("x86_64-unknown-linux-gnu");
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(X86.str(), Error);
  D->Registers.reset(T->createMCRegInfo(X86.str()));
  D->Syntax.reset(T->createMCAsmInfo(*D->Registers, X86.str(), D->Options));
  D->Features.reset(T->createMCSubtargetInfo(X86.str(), "", ""));
  D->Instructions.reset(T->createMCInstrInfo());
  D->Analysis.reset(T->createMCInstrAnalysis(D->Instructions.get()));
  D->Context = std::make_unique<MCContext>(
      X86, D->Syntax.get(), D->Registers.get(), D->Features.get());
  D->Disassembler.reset(T->createMCDisassembler(*D->Features, *D->Context));
  for (unsigned R = 1; R < D->Registers->getNumRegs(); ++R)
    if (StringRef(D->Registers->getName(R)) == "RIP")
      D->InstructionPointer = MCRegister(R);
}

CodeReader::~CodeReader() = default;

static bool isShort(uint8_t Byte) { return Byte == 0xeb || Byte >> 4 == 7; }
static bool isNear(ArrayRef<uint8_t> Code) {
  return Code[0] == 0xe9 ||
         (Code.size() > 1 && Code[0] == 0x0f && Code[1] >> 4 == 8);
}

static CodeFlow flowOf(const MCInstrDesc &I, ArrayRef<uint8_t> Code) {
  if (I.isCall())
    return CodeFlow::Call;
  if (I.isReturn())
    return CodeFlow::Return;
  if (I.isIndirectBranch())
    return CodeFlow::Elsewhere;
  if (I.isBranch()) {
    // A prefix before a jump has a meaning of its own.
    if (!isShort(Code[0]) && !isNear(Code))
      return (Code[0] & 0xfc) == 0xe0 ? CodeFlow::ShortLoop : CodeFlow::System;
    return Code[0] == 0xeb || Code[0] == 0xe9 ? CodeFlow::Jump
                                              : CodeFlow::Condition;
  }
  if (Code[0] == 0xcc || Code[0] == 0xcd || Code[0] == 0xf4 ||
      (Code.size() > 1 && Code[0] == 0x0f && Code[1] == 0x0b))
    return CodeFlow::Trap;
  if (Code.size() > 1 && Code[0] == 0x0f &&
      (Code[1] == 0x05 || Code[1] == 0x34))
    return CodeFlow::System;
  return I.isTerminator() || I.isBarrier() ? CodeFlow::System : CodeFlow::Plain;
}

bool CodeReader::read(ArrayRef<uint8_t> Code, uint64_t Address,
                      CodeInstruction &To) const {
  MCInst I;
  uint64_t Bytes = 0;
  size_t Prefixes = 0;
  if (!D->readWhole(Code, Address, I, Bytes, Prefixes))
    return false;
  To = CodeInstruction();
  To.Address = Address;
  To.Bytes = uint8_t(Prefixes + Bytes);
  Code = Code.take_front(To.Bytes);
  To.Flow = flowOf(D->Instructions->get(I.getOpcode()), Code);
  if (To.Flow != CodeFlow::Plain && To.Flow != CodeFlow::Elsewhere)
    D->Analysis->evaluateBranch(I, Address + Prefixes, Bytes, To.Target);
  return D->distanceOf(I) < 0 || findOperand(Code, Prefixes, To);
}

// MCInst does not say where an operand lies: four bytes lie there if the
// distance changes with them, and nothing else.
bool CodeReader::findOperand(ArrayRef<uint8_t> Code, size_t Prefixes,
                             CodeInstruction &To) const {
  Code = Code.drop_front(Prefixes);
  MCInst Was;
  uint64_t Bytes = 0;
  if (!D->read(Code, To.Address, Was, Bytes))
    return false;
  int Op = D->distanceOf(Was);
  int64_t Distance = Was.getOperand(Op).getImm();
  for (size_t At = 1; At + 4 <= Code.size(); ++At) {
    if (int32_t(support::endian::read32le(&Code[At])) != Distance)
      continue;
    SmallVector<uint8_t, 16> Changed(Code.begin(), Code.end());
    const int32_t Other = int32_t(Distance) ^ 0x01010101;
    support::endian::write32le(&Changed[At], uint32_t(Other));
    MCInst Is;
    if (!D->read(Changed, To.Address, Is, Bytes) || Bytes != Code.size() ||
        Is.getOpcode() != Was.getOpcode() || D->distanceOf(Is) != Op ||
        Is.getOperand(Op).getImm() != Other)
      continue;
    To.OperandAt = uint8_t(Prefixes + At);
    To.Operand = To.end() + uint64_t(Distance);
    return true;
  }
  return false;
}
