// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader of pickles: values, the memo, lists that stream, damaged bytes.

#include "Import/Pickle/Pickle.h"
#include "Import/Source/ByteSource.h"
#include "gtest/gtest.h"
#include <map>

using namespace llvm;
using namespace memkit;

namespace {

enum Role : uint8_t { Top = 1, Rows, Row, Groups, Group };
constexpr StringLiteral Names[] = {"rows", "groups", "stack"};
constexpr PickleRule Rules[] = {
    {PickleRule::Root, PickleRule::Element, PickleKind::Dict, Top, false},
    {Top, 0, PickleKind::List, Rows, true},
    {Rows, PickleRule::Element, PickleKind::Dict, Row, false},
    {Top, 1, PickleKind::List, Groups, true},
    {Groups, PickleRule::Element, PickleKind::List, Group, true},
};

/// Keeps a line for each element and for the whole.
class Lines : public PickleConsumer {
public:
  Error element(uint8_t R, uint64_t List, PickleValue V) override {
    Text += std::to_string(R) + "@" + std::to_string(List) + " " +
            V.print(200) + "\n";
    V.forEachEntry([&](PickleValue Key, PickleValue Value) {
      if (Key.name() != 2)
        return;
      if (uint32_t Note = Value.note())
        Text += "note " + std::to_string(Note) + "\n";
      else
        Value.setNote(++Notes);
    });
    ++Count;
    return Error::success();
  }
  Error root(PickleValue V) override {
    Text += V.print(4000);
    return Error::success();
  }
  std::string Text;
  uint32_t Notes = 0;
  unsigned Count = 0;
};

/// What the reader finds in the pickle Bytes, or the error.
std::string readLines(StringRef Bytes) {
  Lines To;
  ImportFile File = ImportFile::ofMemory(Bytes, "p");
  if (Error E = readPickle(File, Names, Rules, To))
    return toString(std::move(E));
  return To.Text;
}

/// Bytes with NULs inside.
template <size_t N> std::string bytes(const char (&Text)[N]) {
  return std::string(Text, N - 1);
}

std::string little(uint64_t Value, unsigned Size) {
  std::string Out;
  for (unsigned I = 0; I != Size; ++I)
    Out += char(Value >> 8 * I);
  return Out;
}

std::string shortText(StringRef Text) {
  return "\x8c" + little(Text.size(), 1) + Text.str();
}

} // namespace

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

TEST(Pickle, PrintsValues) {
  EXPECT_EQ(readLines(bytes("\x80\x02N.")), "None");
  EXPECT_EQ(readLines(bytes("\x80\x02(\x88\x89t.")), "(True, False)");
  EXPECT_EQ(readLines(bytes("\x80\x04](K\xffM\xff\xffJ\xff\xff\xff\xff"
                            "e.")),
            "[255, 65535, -1]");
  EXPECT_EQ(readLines(bytes("\x80\x02G\x3f\xf8\x00\x00\x00\x00\x00\x00.")),
            "1.5");
  EXPECT_EQ(readLines("\x80\x04" + shortText("a") + shortText("rows") + "X" +
                      little(2, 4) + "bc\x8d" + little(1, 8) + "d(" +
                      bytes("C\1ee.")),
            "p: offset 32: no list to append to");
  EXPECT_EQ(readLines(bytes("\x80\x02})K\1\x85K\1K\2\x86K\1K\2K\3\x87\x87s.")),
            "{(): ((1), (1, 2), (1, 2, 3))}");
  EXPECT_EQ(readLines(bytes("\x80\x02})K\1s.")), "{(): 1}");
  EXPECT_EQ(readLines(bytes("\x80\x02}(K\1K\2K\3N\x88]u.")),
            "{1: 2, 3: None, True: []}");
}

TEST(Pickle, Integers) {
  auto Long = [](StringRef Digits) {
    return readLines("\x80\x02\x8a" + little(Digits.size(), 1) + Digits.str() +
                     ".");
  };
  EXPECT_EQ(Long(""), "0");
  EXPECT_EQ(Long("\xff"), "-1");
  EXPECT_EQ(Long(bytes("\xff\x00")), "255");
  EXPECT_EQ(Long(bytes("\x00\x00\x00\x00\x00\x00\x00\x10")),
            "1152921504606846976");
  EXPECT_EQ(Long(bytes("\x00\x00\x00\x00\x00\x00\x00\x80")),
            "-9223372036854775808");
  EXPECT_EQ(Long(bytes("\xff\xff\xff\xff\xff\xff\xff\xff\x00")),
            "18446744073709551615");
  // Of more than 64 bits.
  EXPECT_EQ(Long(bytes("\x00\x00\x00\x00\x00\x00\x00\x00\x01")), "...");
  EXPECT_EQ(Long(bytes("\x00\x00\x00\x00\x00\x00\x00\x00\xff")), "...");
}

TEST(Pickle, IntegersBeforeManyBytes) {
  // The last bytes of a file take another way than those before.
  auto Long = [](StringRef Digits) {
    return "\x8a" + little(Digits.size(), 1) + Digits.str();
  };
  std::string Bytes =
      bytes("\x80\x02(K\xffM\xff\xffJ\xff\xff\xff\x7fJ\0\0\0\x80") + Long("") +
      Long("\x7f") + Long("\x80") + Long(bytes("\x00\x80")) +
      Long(bytes("\x01\x02\x03\x04\x05\x06\x07\x08")) +
      Long(bytes("\xff\xff\xff\xff\xff\xff\xff\x0f")) +
      Long(bytes("\x00\x00\x00\x00\x00\x00\x00\x10")) +
      Long(bytes("\xff\xff\xff\xff\xff\xff\xff\xef")) +
      Long(bytes("\x00\x00\x00\x00\x00\x00\x00\x80")) +
      Long(bytes("\xff\xff\xff\xff\xff\xff\xff\xff\x00")) +
      shortText("a text behind them") + "t.";
  EXPECT_EQ(readLines(Bytes),
            "(255, 65535, 2147483647, -2147483648, 0, 127, -128, -32768, "
            "578437695752307201, 1152921504606846975, 1152921504606846976, "
            "-1152921504606846977, -9223372036854775808, "
            "18446744073709551615, 'a text behind them')");
}

TEST(Pickle, LongTexts) {
  std::string Long(100000, 'x');
  EXPECT_EQ(readLines("\x80\x04X" + little(Long.size(), 4) + Long + "."),
            "'" + Long.substr(0, 3999));
  EXPECT_EQ(readLines("\x80\x04X" + little(1u << 31, 4) + Long + "."),
            "p: offset 100008: the file ends in the middle of a record");
}

//===----------------------------------------------------------------------===//
// The memo
//===----------------------------------------------------------------------===//

TEST(Pickle, MemoSharesValues) {
  // [[1], the same list, 'abc', the same text]
  std::string Shared = bytes("\x80\x04]\x94(]\x94K\1ah\1") + shortText("abc") +
                       bytes("\x94h\2e.");
  EXPECT_EQ(readLines(Shared), "[[1], [1], 'abc', 'abc']");
  // torch::jit::Pickler numbers a container after its elements.
  EXPECT_EQ(readLines(bytes("\x80\x02](](K\1K\2eq\0h\0e.")),
            "[[1, 2], [1, 2]]");
}

TEST(Pickle, MemoOfAListInItself) {
  EXPECT_EQ(readLines(bytes("\x80\x04]\x94h\0a.")), "[[[[[[[[[...]]]]]]]]]");
}

TEST(Pickle, MemoNumbersAreChecked) {
  EXPECT_EQ(readLines(bytes("\x80\x04]\x94(h\1e.")),
            "p: offset 7: the pickle uses value 1 of its memo, which has 1 "
            "values so far");
  EXPECT_EQ(readLines(bytes("\x80\x04]\x94j\xff\xff\xff\xff"
                            "e.")),
            "p: offset 9: the pickle uses value 4294967295 of its memo, which "
            "has 1 values so far");
  // Value 5 has no definition; value 0 has.
  EXPECT_EQ(readLines(bytes("\x80\x02]q\6]q\0]q\1h\0h\5e.")),
            "p: offset 15: the pickle uses value 5 of its memo, which has 3 "
            "values so far");
  EXPECT_EQ(readLines(bytes("\x80\x02]q\2]q\0]q\3h\1e.")),
            "p: offset 11: the pickle uses a value of its memo before its "
            "definition");
  std::string Behind = shortText("a text behind them") + "e.";
  EXPECT_EQ(readLines(bytes("\x80\x04]\x94(h\0h\1") + Behind),
            "p: offset 9: the pickle uses value 1 of its memo, which has 1 "
            "values so far");
  EXPECT_EQ(readLines(bytes("\x80\x04]\x94(j\0\0\0\0j\1\0\0\0") + Behind),
            "p: offset 15: the pickle uses value 1 of its memo, which has 1 "
            "values so far");
  EXPECT_EQ(readLines(bytes("\x80\x02]q\2]q\0]q\3h\1") + Behind),
            "p: offset 11: the pickle uses a value of its memo before its "
            "definition");
}

//===----------------------------------------------------------------------===//
// Lists that stream
//===----------------------------------------------------------------------===//

/// {'rows': [{1: N}, ...]} in batches of Batch elements, as Python writes.
static std::string rowsInBatches(unsigned Rows, unsigned Batch) {
  std::string Out = bytes("\x80\x04}") + shortText("rows") + "]";
  for (unsigned I = 0; I != Rows; ++I) {
    if (I % Batch == 0)
      Out += "(";
    Out += bytes("}(K\1M") + little(I, 2) + "u";
    if (I % Batch == Batch - 1 || I == Rows - 1)
      Out += "e";
  }
  return Out + "s.";
}

static std::string expectedRows(unsigned Rows) {
  std::string Out;
  for (unsigned I = 0; I != Rows; ++I)
    Out += "2@9 {1: " + std::to_string(I) + "}\n";
  return Out + "{'rows': []}";
}

TEST(Pickle, ElementsStreamInOrder) {
  EXPECT_EQ(readLines(rowsInBatches(7, 3)), expectedRows(7));
  EXPECT_EQ(readLines(rowsInBatches(3000, 1000)), expectedRows(3000));
  // torch::jit::Pickler: all elements in one batch.
  EXPECT_EQ(readLines(rowsInBatches(10000, 10000)), expectedRows(10000));
}

TEST(Pickle, ElementsOfMoreThanTheBuffer) {
  // Numbers lie across the ends of the reader's buffer, which has 1 MiB.
  constexpr unsigned Count = 150000;
  std::string Out = bytes("\x80\x02}") + shortText("rows") + "](", Expected;
  for (unsigned I = 0; I != Count; ++I) {
    uint64_t Value = 0x7f0000000000 + I * uint64_t(4096);
    Out += bytes("}(K\1\x8a\x08") + little(Value, 8) + "u";
    Expected += "2@9 {1: " + std::to_string(Value) + "}\n";
  }
  EXPECT_TRUE(readLines(Out + "es.") == Expected + "{'rows': []}");
}

TEST(Pickle, OneElementComesWithoutAMark) {
  EXPECT_EQ(readLines(bytes("\x80\x04}") + shortText("rows") +
                      bytes("]}K\1K\2saK\7s.")),
            "p: offset 19: no dict for keys and values");
  EXPECT_EQ(
      readLines(bytes("\x80\x04}") + shortText("rows") + bytes("]}K\1K\2sas.")),
      "2@9 {1: 2}\n{'rows': []}");
  // A list of lists, the first ones empty.
  EXPECT_EQ(readLines(bytes("\x80\x04}") + shortText("groups") +
                      bytes("](]](K\1K\2e]K\3aes.")),
            "5@14 1\n5@14 2\n5@21 3\n4@11 []\n4@11 []\n4@11 []\n"
            "{'groups': []}");
}

TEST(Pickle, NotesStayWhenNodesAreReleased) {
  // Two batches; the second uses the stack of the first.
  std::string Stack = shortText("stack") + bytes("\x94");
  std::string Pickle = bytes("\x80\x04}\x94(") + shortText("rows") +
                       bytes("\x94]\x94(}\x94(") + Stack +
                       bytes("]\x94(K\1K\2euM\1\1e(}\x94(h\4h\5ue") +
                       bytes("(}\x94(h\4h\5K\1h\5ueu.");
  EXPECT_EQ(readLines(Pickle),
            "2@12 {'stack': [1, 2]}\n2@12 257\n"
            "2@12 {'stack': ...}\nnote 1\n"
            "2@12 {'stack': ..., 1: ...}\nnote 1\n{'rows': []}");
}

TEST(Pickle, SharedValuesStayWhenNodesAreReleased) {
  // A dict of the first batch, with a text, in a later batch.
  std::string Pickle = bytes("\x80\x04}") + shortText("rows") +
                       bytes("](}(K\1]\x94(") + shortText("long text") +
                       bytes("\x94K\2}K\7Nseue");
  for (unsigned I = 0; I != 3; ++I)
    Pickle += bytes("(}(K\1h\0K\3h\1u}(K\5K\6ue");
  std::string Row = "2@9 {1: ['long text', 2, {7: None}], 3: 'long text'}\n"
                    "2@9 {5: 6}\n";
  EXPECT_EQ(readLines(Pickle + "s."), "2@9 {1: ['long text', 2, {7: None}]}\n" +
                                          Row + Row + Row + "{'rows': []}");
}

TEST(Pickle, AListThatIsUsedAgainDoesNotStream) {
  // Python numbers a list before its elements: the list stays whole.
  EXPECT_EQ(readLines(bytes("\x80\x04}(") + shortText("rows") +
                      bytes("]\x94(}(K\1K\2ueK\1h\0u.")),
            "{'rows': [{1: 2}], 1: [{1: 2}]}");
  // torch::jit::Pickler numbers it afterwards.
  EXPECT_EQ(readLines(bytes("\x80\x02}(") + shortText("rows") +
                      bytes("](}(K\1K\2ueq\0K\1h\0u.")),
            "p: offset 24: the pickle uses the list of offset 10 a second "
            "time");
  EXPECT_EQ(readLines(bytes("\x80\x02}(") + shortText("rows") +
                      bytes("](}(K\1K\2ueq\0K\1h\0K\2K\3K\4K\5K\6K\7u.")),
            "p: offset 24: the pickle uses the list of offset 10 a second "
            "time");
}

//===----------------------------------------------------------------------===//
// Bad input
//===----------------------------------------------------------------------===//

TEST(Pickle, RefusesCode) {
  EXPECT_EQ(readLines(bytes("\x80\x02](K\1cos\nsystem\n(S'ls'\ntRe.")),
            "p: offset 6: the pickle has the opcode GLOBAL, which a memory "
            "snapshot has no use for");
  EXPECT_EQ(readLines(bytes("\x80\x04\x8c\2os\x8c\6system\x93.")),
            "p: offset 14: the pickle has the opcode STACK_GLOBAL, which a "
            "memory snapshot has no use for");
  for (auto [Byte, Name] : std::map<char, std::string>{{'R', "REDUCE"},
                                                       {'b', "BUILD"},
                                                       {'i', "INST"},
                                                       {'o', "OBJ"},
                                                       {'\x81', "NEWOBJ"},
                                                       {'\x92', "NEWOBJ_EX"},
                                                       {'P', "PERSID"},
                                                       {'Q', "BINPERSID"},
                                                       {'\x82', "EXT1"},
                                                       {'\x83', "EXT2"},
                                                       {'\x84', "EXT4"},
                                                       {'2', "DUP"},
                                                       {'0', "POP"},
                                                       {'\x97', "NEXT_BUFFER"}})
    EXPECT_EQ(readLines(bytes("\x80\x02N") + Byte + "."),
              "p: offset 3: the pickle has the opcode " + Name +
                  ", which a memory snapshot has no use for");
  EXPECT_EQ(readLines(bytes("\x80\x02\xff.")),
            "p: offset 2: 0xff is no opcode of a pickle");
}

TEST(Pickle, RefusesOtherProtocols) {
  EXPECT_EQ(readLines("(lp0\n."), "p: offset 0: no pickle of protocol 2 to 5");
  EXPECT_EQ(readLines(""), "p: offset 0: no pickle of protocol 2 to 5");
  EXPECT_EQ(readLines("\x80\x01N."),
            "p: offset 1: the pickle has protocol 1; this memkit reads "
            "protocols 2 to 5");
  EXPECT_EQ(readLines("\x80\x06N."),
            "p: offset 1: the pickle has protocol 6; this memkit reads "
            "protocols 2 to 5");
}

TEST(Pickle, RefusesStacksThatDoNotFit) {
  for (const char *Ops : {"a",      "e",      "s",     "u",         "t",
                          "\x85",   "\x86",   "\x87",  "\x94",      "Na",
                          "Ne",     "N(e",    "(]e",   "(](e",      "]K\1s",
                          "](K\1u", "}(K\1u", "}K\1s", "(((((eeee", "](](K\1eu",
                          "}K\1a",  "}(K\1e", "",      "NN",        "("})
    EXPECT_NE(readLines(std::string("\x80\x02") + Ops + ".").find("offset"),
              std::string::npos)
        << Ops;
  EXPECT_EQ(readLines("\x80\x02" + std::string(2000, '(') + "."),
            "p: offset 1002: more than 1000 values inside one another");
}

TEST(Pickle, RefusesChangesOfAContainerInItsElements) {
  // An element of the list `rows` changes the dict around the list.
  EXPECT_EQ(readLines(bytes("\x80\x04}\x94") + shortText("rows") +
                      bytes("](K\1h\0K\2K\3s0es.")),
            "p: offset 21: the pickle has the opcode POP, which a memory "
            "snapshot has no use for");
  EXPECT_EQ(readLines(bytes("\x80\x04}\x94") + shortText("rows") +
                      bytes("](K\1h\0K\2K\3ses.")),
            "p: offset 20: the pickle changes the container of offset 2 in "
            "one of its elements");
}

TEST(Pickle, RefusesEveryPrefix) {
  std::string Whole = rowsInBatches(40, 7);
  for (size_t Size = 0; Size != Whole.size(); ++Size)
    EXPECT_NE(readLines(Whole.substr(0, Size)).find("p: offset "),
              std::string::npos)
        << Size;
}
