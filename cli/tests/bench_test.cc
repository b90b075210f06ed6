// The command bench and its comparison with older results.
#include <fmt/format.h>

#include <functional>

#include "program.h"

namespace detops_cli {
namespace {

const Arguments kBench = {"bench",         "--op", "psroipool_forward", "--dtype", "float", "--shape", "rois=13",
                          "--perf_repeat", "6",    "--threads",         "1"};

class BenchTest : public ProgramTest {
 protected:
  Outcome Bench(const Arguments& more) const {
    Arguments arguments = kBench;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }

  // Results of a run, changed as if the old ones had been others.
  std::string Baseline(const std::function<void(RunResultFile&)>& change) const {
    EXPECT_EQ(Bench({"-q", "--json", Path("run.json")}).exit_code, 0);
    RunResultFile results = nlohmann::json::parse(ReadFile(Path("run.json"))).get<RunResultFile>();
    EXPECT_EQ(results.cases.size(), 1u);
    // A quiet machine, whatever this one was.
    for (CaseResult& result : results.cases) result.timing.spread = 0;
    change(results);
    return Write("baseline.json", nlohmann::json(results).dump());
  }
};

TEST_F(BenchTest, PrintsTimes) {
  const Outcome outcome = Bench({"--json", Path("json")});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* const column :
       {"best us", "median us", "p99 us", "p99.9 us", "spread", "bound us", "x bound", "GFLOP/s", "GB/s"}) {
    EXPECT_NE(outcome.out.find(column), std::string::npos) << column;
  }
  const auto results = nlohmann::json::parse(ReadFile(Path("json"))).get<RunResultFile>();
  ASSERT_EQ(results.cases.size(), 1u);
  const TimingResult& timing = results.cases[0].timing;
  EXPECT_TRUE(results.cases[0].timed);
  EXPECT_EQ(timing.calls, 6);
  EXPECT_EQ(timing.threads, 1);
  EXPECT_GT(timing.best_us, 0);
  EXPECT_LE(timing.best_us, timing.median_us);
  EXPECT_LE(timing.best_us, timing.mean_us);
  EXPECT_EQ(timing.p99_us, 0);  // of six calls
  EXPECT_EQ(timing.p999_us, 0);
  EXPECT_NEAR(timing.ratio, timing.best_us / timing.bound_us, 1e-9 * timing.ratio);
  // The formulas of the performance standard: what the work would take at full speed over the mean time.
  const double mean = timing.mean_us * 1e-6;
  EXPECT_NEAR(timing.io_efficiency, timing.theory_io_bytes / (mean * timing.bandwidth_gbytes * 1e9),
              1e-9 * timing.io_efficiency);
  EXPECT_NEAR(timing.compute_efficiency, timing.theory_ops / (mean * timing.peak_gflops * 1e9),
              1e-9 * timing.compute_efficiency);
  EXPECT_EQ(timing.bottleneck, timing.io_efficiency > timing.compute_efficiency ? "io" : "compute");
  // Map, regions, results and their channels, each once.
  EXPECT_EQ(timing.theory_io_bytes, 4.0 * (14 * 14 * 392 + 13 * 5 + 2 * 13 * 7 * 7 * 8));
}

TEST_F(BenchTest, PercentilesOfManyCalls) {
  const Outcome outcome = Run({"bench", "--op", "psroipool_forward", "--shape", "rois=13,height=7,width=7",
                               "--perf_repeat", "1000", "--threads", "1", "--json", Path("json")});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto results = nlohmann::json::parse(ReadFile(Path("json"))).get<RunResultFile>();
  ASSERT_EQ(results.cases.size(), 1u);
  const TimingResult& timing = results.cases[0].timing;
  EXPECT_LE(timing.median_us, timing.p99_us);
  EXPECT_LE(timing.p99_us, timing.p999_us);
  for (const double time : {timing.median_us, timing.p99_us, timing.p999_us}) {
    EXPECT_NE(outcome.out.find(fmt::format(" {:.1f} ", time)), std::string::npos) << outcome.out;
  }
}

TEST_F(BenchTest, SeveralThreadCountsAreSeveralCases) {
  const Outcome outcome = Run({"bench", "--op", "psroipool_forward", "--shape", "rois=13", "--perf_repeat", "3",
                               "--threads", "1,2", "--json", Path("json")});
  EXPECT_EQ(outcome.exit_code, 0);
  const auto results = nlohmann::json::parse(ReadFile(Path("json"))).get<RunResultFile>();
  ASSERT_EQ(results.cases.size(), 2u);
  EXPECT_EQ(results.cases[0].timing.threads, 1);
  EXPECT_EQ(results.cases[1].timing.threads, 2);
  EXPECT_NE(results.cases[0].id, results.cases[1].id);
}

TEST_F(BenchTest, SlowerThanBefore) {
  const std::string baseline = Baseline([](RunResultFile& r) { r.cases[0].timing.ratio /= 1000; });
  const Outcome outcome = Bench({"--baseline", baseline});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.out.find("%  slower\n"), std::string::npos) << outcome.out;
}

TEST_F(BenchTest, FasterThanBefore) {
  const std::string baseline = Baseline([](RunResultFile& r) { r.cases[0].timing.ratio *= 1000; });
  const Outcome outcome = Bench({"--baseline", baseline});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("%  faster\n"), std::string::npos) << outcome.out;
}

// A difference within what the times scatter is none.
TEST_F(BenchTest, SameAsBefore) {
  const std::string baseline = Baseline([](RunResultFile& r) {
    r.cases[0].timing.ratio /= 2;
    r.cases[0].timing.spread = 1000;
  });
  const Outcome outcome = Bench({"--baseline", baseline});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("%  same\n"), std::string::npos) << outcome.out;
}

TEST_F(BenchTest, AnotherMachineIsNamed) {
  const std::string baseline = Baseline([](RunResultFile& r) {
    r.machine.cpu = "a processor of long ago";
    r.cases[0].timing.spread = 1000;
  });
  const Outcome outcome = Bench({"--baseline", baseline});
  EXPECT_NE(outcome.out.find("a processor of long ago"), std::string::npos) << outcome.out;
}

TEST_F(BenchTest, BrokenBaselines) {
  for (const char* const text : {"", "{", "[]", "[1, 2]", "{\"format\": \"other-1\"}", "{\"cases\": 3}"}) {
    const Outcome outcome = Bench({"--baseline", Write("broken.json", text)});
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_TRUE(IsOneComplaint(outcome.err)) << text;
    EXPECT_NE(outcome.err.find("broken.json"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "") << text;
  }
}

}  // namespace
}  // namespace detops_cli
