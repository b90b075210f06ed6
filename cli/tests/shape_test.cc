#include "cases/operator.h"
#include "gtest/gtest.h"

namespace detops_cli {
namespace {

std::string Complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "";
}

TEST(ShapeTest, NumbersListsAndWords) {
  const Shape shape("height=64,scale=0.125,filter=3x1x2,pad=2,boxes=near");
  EXPECT_EQ(shape.Int("height"), 64);
  EXPECT_EQ(shape.Real("scale"), 0.125);
  EXPECT_EQ(shape.Ints("filter", 3), (std::vector<int>{3, 1, 2}));
  EXPECT_EQ(shape.Ints("pad", 3), (std::vector<int>{2, 2, 2}));  // one for all axes
  EXPECT_EQ(shape.Word("boxes"), "near");
  EXPECT_TRUE(shape.Has("pad"));
  EXPECT_FALSE(shape.Has("padding"));
}

TEST(ShapeTest, TextReadsBack) {
  const std::string text = Shape("width=3,height=2,filter=3x3x3").text();
  EXPECT_EQ(text, "filter=3x3x3,height=2,width=3");
  EXPECT_EQ(Shape(text).values(), Shape("height=2,width=3,filter=3x3x3").values());
  EXPECT_EQ(Shape("").text(), "");
}

TEST(ShapeTest, SetReplaces) {
  Shape shape("height=2");
  shape.Set("height", "3");
  shape.Set("width", "4");
  EXPECT_EQ(shape.Int("height"), 3);
  EXPECT_EQ(shape.Int("width"), 4);
}

TEST(ShapeTest, OtherFormsAreRefused) {
  for (const char* const text : {"height", "=3", "height=", "height=1,", ",height=1", "height=1,,width=2"}) {
    EXPECT_NE(Complaint([&] { Shape shape(text); }), "") << text;
  }
}

TEST(ShapeTest, ComplaintsNameKeyAndValue) {
  const Shape shape("a=x,b=1.5,c=-1,d=3000000,e=3x3,f=3x-3x3,g=3xx3,h=5 ,i=99999999999999999999");
  for (const char* const key : {"a", "b", "c", "d", "h", "i"}) {
    const std::string complaint = Complaint([&] { shape.Int(key); });
    EXPECT_NE(complaint.find(std::string(key) + "=" + shape.Word(key)), std::string::npos) << key << complaint;
  }
  for (const char* const key : {"a", "b", "c", "e", "f", "g", "h", "i"}) {
    const std::string complaint = Complaint([&] { shape.Ints(key, 3); });
    EXPECT_NE(complaint.find(std::string(key) + "=" + shape.Word(key)), std::string::npos) << key << complaint;
  }
  EXPECT_NE(Complaint([&] { shape.Real("a"); }).find("a=x"), std::string::npos);
  EXPECT_EQ(Complaint([&] { shape.Real("b"); }), "");
}

}  // namespace
}  // namespace detops_cli
