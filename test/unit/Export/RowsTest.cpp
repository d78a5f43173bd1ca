// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows with picked columns, in each format.

#include "Export/TableText.h"
#include "Tables/TableMaker.h"
#include "gtest/gtest.h"

using namespace memkit;
using namespace llvm;

namespace {
struct Fruit {
  std::string Name;
  uint64_t Bytes;
  std::optional<uint64_t> Seeds;
};
} // namespace

static TableMaker<Fruit> fruitColumns() {
  TableMaker<Fruit> M;
  M.name("name", [](const Fruit &F) { return F.Name; })
      .field("live_bytes", &Fruit::Bytes)
      .integer("change_bytes", [](const Fruit &F) { return -int64_t(F.Bytes); })
      .maybe("seeds", [](const Fruit &F) { return F.Seeds; })
      .list("letters", [](const Fruit &F) {
        TableMaker<std::string> Letters;
        Letters.name("", [](const std::string &Letter) { return Letter; });
        std::vector<std::string> Of;
        for (char C : F.Name)
          Of.push_back(std::string(1, C));
        return Letters.rows(std::move(Of));
      });
  return M;
}

static std::string textOf(const RowList &Rows) {
  std::string Text;
  raw_string_ostream OS(Text);
  tableOf(Rows).print(OS, 0);
  return Text;
}

static std::string csvOf(const RowList &Rows) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeRowsCsv(OS, Rows);
  return Text;
}

static std::string objectOf(function_ref<void(json::OStream &)> Write) {
  std::string Text;
  raw_string_ostream OS(Text);
  json::OStream J(OS);
  J.object([&] { Write(J); });
  return Text;
}

static const std::vector<Fruit> Fruits = {{"fig", 2048, 1200}, {"kiwi", 5, {}}};

TEST(Rows, PicksHaveTheirOrderTitlesAndNames) {
  RowListRef Rows =
      fruitColumns()
          .pick("live_bytes titled at end, seeds as grains, name as fruit")
          .rows(Fruits);
  EXPECT_EQ(textOf(*Rows), "at end  grains  fruit\n"
                           " 2 KiB   1,200  fig\n"
                           "   5 B          kiwi\n");
  EXPECT_EQ(csvOf(*Rows), "live_bytes,grains,fruit\n"
                          "2048,1200,fig\n"
                          "5,,kiwi\n");
}

TEST(Rows, StylesAreForPeople) {
  RowListRef Rows = fruitColumns()
                        .pick("right whole name, whole seeds, change_bytes")
                        .rows(Fruits);
  EXPECT_EQ(textOf(*Rows), "name  seeds  change\n"
                           " fig   1200  -2 KiB\n"
                           "kiwi           -5 B\n");
}

TEST(Rows, AColumnWithoutValuesStaysIfKept) {
  std::vector<Fruit> Seedless = {{"kiwi", 5, {}}};
  EXPECT_EQ(textOf(*fruitColumns().pick("name, seeds").rows(Seedless)),
            "name\nkiwi\n");
  EXPECT_EQ(textOf(*fruitColumns().pick("name, kept seeds").rows(Seedless)),
            "name  seeds\nkiwi\n");
}

TEST(Rows, JsonHasListsAndPlainValues) {
  RowListRef Rows = fruitColumns().pick("seeds, letters").rows(Fruits);
  EXPECT_EQ(
      objectOf([&](json::OStream &J) { writeRowsJson(J, "fruits", *Rows); }),
      R"({"fruits":[{"seeds":1200,"letters":["f","i","g"]},)"
      R"({"seeds":null,"letters":["k","i","w","i"]}]})");
}

TEST(Rows, ColumnsAreArrays) {
  RowListRef Rows = fruitColumns().pick("name, live_bytes").rows(Fruits);
  EXPECT_EQ(objectOf([&](json::OStream &J) { writeColumnsJson(J, *Rows); }),
            R"({"name":["fig","kiwi"],"live_bytes":[2048,5]})");
}

TEST(Rows, NumbersAboveTheSignedRangeStayWhole) {
  std::vector<Fruit> Huge = {{"x", UINT64_MAX, {}}};
  EXPECT_EQ(csvOf(*fruitColumns().pick("live_bytes").rows(Huge)),
            "live_bytes\n18446744073709551615\n");
}

TEST(RowsDeathTest, AnUnknownColumnEndsTheProgram) {
  EXPECT_DEATH(fruitColumns().pick("weight"), "no column weight");
}
