// The program where its output cannot go: a full disk, a closed descriptor.
#include <unistd.h>

#include "program.h"

namespace detops_cli {
namespace {

class DescriptorTest : public ProgramTest {
 protected:
  int Code(const Arguments& arguments, const std::string& out, const std::string& err) const {
    return RunningProgram(arguments, out, err).Wait();
  }
};

TEST_F(DescriptorTest, AComplaintThatNobodyCanReadIsStillCode2) {
  for (const char* const err : {"/dev/full", "-"}) {
    for (const Arguments& mistake : {Arguments{"nosuch"},
                                     {},
                                     {"run", "/nonexistent"},
                                     {"accept", "--library", "/nonexistent"},
                                     {"accept", "--op", "nosuch"},
                                     {"accept", "--threads", "-1"},
                                     {"info", "--library", "/nonexistent"}}) {
      EXPECT_EQ(Code(mistake, Path("out"), err), 2) << err << " " << testing::PrintToString(mistake);
      EXPECT_EQ(Code(mistake, err, err), 2) << err << " " << testing::PrintToString(mistake);
    }
  }
}

TEST_F(DescriptorTest, OutputThatCannotBeWrittenIsCode2) {
  for (const char* const out : {"/dev/full", "-"}) {
    for (const Arguments& command : {Arguments{"list"},
                                     {"info"},
                                     {"--help"},
                                     {"--version"},
                                     {"completion", "bash"},
                                     {"accept", "--list"},
                                     {"accept", "--no-timing", "--filter", "*/one_pixel/*"}}) {
      EXPECT_EQ(Code(command, out, Path("err")), 2) << out << " " << testing::PrintToString(command);
      EXPECT_TRUE(IsOneComplaint(ReadFile(Path("err")))) << testing::PrintToString(command);
      EXPECT_EQ(Code(command, out, out), 2) << out << " " << testing::PrintToString(command);
    }
  }
}

// A file that the program opens must not become its standard output.
TEST_F(DescriptorTest, ReportsHoldReportsOnly) {
  EXPECT_EQ(Code({"accept", "--no-timing", "--filter", "*/one_pixel/*", "--json", Path("json")}, "-", "-"), 2);
  EXPECT_EQ(nlohmann::json::parse(ReadFile(Path("json")))["cases"].size(), 4u);
}

}  // namespace
}  // namespace detops_cli
