// How much memory convolutions and rulebooks take beside their tensors, as the system counts it: scratch in proportion
// to the work, nothing that stays behind, and a handle that does not grow.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ops/indice_convolution/test/problem.h"
#include "support/sanitizers.h"

namespace detops_test {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

// ---- measuring ----

// What is in memory now; -1 if the system does not tell.
int64_t ResidentBytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return -1;
  long long all = 0, resident = -1;
  const int read = std::fscanf(file, "%lld %lld", &all, &resident);
  std::fclose(file);
  return read == 2 ? resident * sysconf(_SC_PAGESIZE) : -1;
}

// The most there has been in memory since the process began.
int64_t PeakBytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return int64_t{1024} * usage.ru_maxrss;
}

struct Measurement {
  int64_t peak = 0;    // above the start, while the work was done
  int64_t kept = 0;    // by the handle
  int64_t made = 0;    // by objects that outlive the handle
  int64_t left = 0;    // when all was destroyed
  int64_t number = 0;  // what the work counted
  char failure[200] = "the process that measures ended early";
};

// In a process of its own nothing else allocates, and the peak begins with what is there.
template <class Body>
Measurement InAnotherProcess(const Body& body) {
  void* const shared = mmap(nullptr, sizeof(Measurement), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto* const result = new (shared) Measurement;
  const pid_t child = fork();
  if (child == 0) {
    try {
      body(*result);
      result->failure[0] = '\0';
    } catch (const std::exception& error) {
      std::snprintf(result->failure, sizeof(result->failure), "%s", error.what());
    }
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "the process was ended by signal " << WTERMSIG(status);
  const Measurement copy = *result;
  munmap(shared, sizeof(Measurement));
  return copy;
}

class IndiceConvolutionMemoryUse : public testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitizer || kThreadSanitizer || ResidentBytes() < 0) GTEST_SKIP() << "memory cannot be measured here";
  }
};

// A measurement that sees nothing would hold every promise.
TEST_F(IndiceConvolutionMemoryUse, TheMeasurementSeesMemory) {
  const Measurement measured = InAnotherProcess([](Measurement& result) {
    const int64_t start = ResidentBytes();
    {
      const std::vector<char> kept(static_cast<size_t>(40 * kMebibyte), 'x');
      result.kept = ResidentBytes() - start;
      result.number = kept.back();
    }
    result.peak = PeakBytes() - start;
    result.left = ResidentBytes() - start;
  });
  ASSERT_STREQ(measured.failure, "");
  EXPECT_GE(measured.kept, 39 * kMebibyte);
  EXPECT_GE(measured.peak, 39 * kMebibyte) << "the peak counts memory that is gone";
  EXPECT_LE(measured.peak, 42 * kMebibyte);
  EXPECT_LE(measured.left, 2 * kMebibyte);
}

// ---- one call ----

int64_t CountedPairs(const Problem& problem) {
  return std::accumulate(problem.counts(), problem.counts() + problem.shape().offsets(), int64_t{0});
}

// Enough for the lists of the pairs, for the filters and partial sums of them, whatever the algorithm; not enough for
// rows gathered per pair, which would be channels times as much.
int64_t BoundForScratch(const Problem& problem) {
  const Shape& shape = problem.shape();
  const int64_t rows = shape.in_rows + shape.out_rows, filters = shape.offsets() * shape.ci * shape.co;
  return 24 * CountedPairs(problem) + 16 * rows + 64 * filters + 8 * kMebibyte;
}

TEST_F(IndiceConvolutionMemoryUse, ScratchOfACall) {
  const struct {
    Shape shape;
    ListKind kind;
    mluOpDataType_t type;
  } rows[] = {
      {{.in_rows = 100000, .out_rows = 100000, .ci = 16, .co = 16, .kernel = {3, 3, 3}},
       ListKind::kSubmanifold,
       MLUOP_DTYPE_FLOAT},
      {{.in_rows = 100000, .out_rows = 80000, .ci = 64, .co = 32, .kernel = {3, 3, 1}},
       ListKind::kShuffled,
       MLUOP_DTYPE_FLOAT},
      {{.in_rows = 50000, .out_rows = 50000, .ci = 128, .co = 128, .kernel = {3, 1, 1}},
       ListKind::kAscending,
       MLUOP_DTYPE_HALF},
      {{.in_rows = 20000, .out_rows = 20000, .ci = 8, .co = 8, .kernel = {5, 5, 5}},
       ListKind::kRandom,
       MLUOP_DTYPE_FLOAT},
  };
  for (const auto& row : rows) {
    const Problem problem(row.type, row.shape, row.kind);
    for (const Way way : kWays) {
      for (const int threads : {1, 2}) {
        SCOPED_TRACE(Describe(problem) + ", " + NameOf(way) + ", threads " + std::to_string(threads));
        Tensor result = problem.NewResult(way);
        const Measurement measured = InAnotherProcess([&](Measurement& measured_there) {
          result.FillCanary();  // a page that is only shared with the other process would be counted as new
          const int64_t start = ResidentBytes();
          int64_t after[3] = {};
          // The first round also brings code into memory, and a stack that the C library keeps for later threads.
          for (int64_t& resident : after) {
            {
              const Handle handle(DETOPS_PROFILE_FULL, threads);
              Must(problem.Run(handle, way, result), "the convolution");
              measured_there.kept = ResidentBytes() - start;
            }
            resident = ResidentBytes();
          }
          measured_there.peak = PeakBytes() - start;
          measured_there.left = after[2] - after[0];
        });
        ASSERT_STREQ(measured.failure, "");
        EXPECT_LE(measured.peak, BoundForScratch(problem)) << CountedPairs(problem) << " pairs";
        EXPECT_LE(measured.peak, measured.kept + 2 * kMebibyte) << "what is not kept would be made anew every time";
        EXPECT_LE(measured.left, kMebibyte / 2) << "destroyed handles keep memory";
      }
    }
  }
}

// ---- rulebooks ----

// What the header promises for pairs in any order.
int64_t BoundForRulebook(const Problem& problem, bool ascending) {
  const Shape& shape = problem.shape();
  const int64_t bound = (ascending ? 8 : 16) * CountedPairs(problem) + 512 * (shape.offsets() + 2) +
                        (8 * shape.offsets() + 1) * (shape.in_rows / 256 + shape.out_rows / 256 + 4);
  constexpr int64_t kLargePage = 2 * kMebibyte;
  return (bound < kMebibyte ? bound : (bound + kLargePage - 1) / kLargePage * kLargePage) + 4096;
}

TEST_F(IndiceConvolutionMemoryUse, Rulebook) {
  for (const ListKind kind : {ListKind::kAscending, ListKind::kShuffled, ListKind::kRandom}) {
    const Problem problem(MLUOP_DTYPE_FLOAT,
                          {.in_rows = 150000, .out_rows = 120000, .ci = 1, .co = 1, .kernel = {3, 3, 3}}, kind);
    for (const int threads : {1, 2}) {
      SCOPED_TRACE(Describe(problem));
      const Measurement measured = InAnotherProcess([&](Measurement& result) {
        const int64_t start = ResidentBytes();
        detopsRulebook_t rulebook = nullptr;
        {
          const Handle handle(DETOPS_PROFILE_FULL, threads);
          Must(detopsCreateRulebook(handle.get(), problem.indice_pairs.desc(), problem.indice_pairs.data(),
                                    problem.counts(), problem.shape().in_rows, problem.shape().out_rows, &rulebook),
               "detopsCreateRulebook");
          result.peak = PeakBytes() - start;
          result.kept = ResidentBytes() - start;
        }
        result.made = ResidentBytes() - start;
        size_t bytes = 0;
        Must(detopsGetRulebookSize(rulebook, &bytes), "detopsGetRulebookSize");
        result.number = static_cast<int64_t>(bytes);
        Must(detopsDestroyRulebook(rulebook), "detopsDestroyRulebook");
        result.left = ResidentBytes() - start;
      });
      ASSERT_STREQ(measured.failure, "");
      EXPECT_LE(measured.number, BoundForRulebook(problem, kind == ListKind::kAscending));
      // Whether the system gives large pages, and so touches the rest of the last one, is its own choice.
      constexpr int64_t kSlack = 4 * kMebibyte;
      EXPECT_LE(measured.made, measured.number + kSlack) << "more than it says";
      EXPECT_GE(measured.made, measured.number - kSlack) << "less than it says";
      EXPECT_LE(measured.peak, measured.kept + kSlack) << "more than the rulebook and the handle's scratch";
      EXPECT_LE(measured.left, kSlack) << "a destroyed rulebook keeps memory";
    }
  }
}

// ---- many calls ----

Problem MixedProblem(int number) {
  const Shape shape = {.in_rows = 1 + number * 997 % 1500,
                       .out_rows = 1 + number * 613 % 1500,
                       .ci = 1 + number * 7 % 40,
                       .co = 1 + number * 11 % 40,
                       .kernel = {1 + number % 3, 1, 3}};
  const ListKind kind = kListKinds[static_cast<size_t>(number) % std::size(kListKinds)];
  ConvolutionPairs lists = MakePairs(kind, shape.offsets(), shape.in_rows, shape.out_rows, 1);
  if (number % 5 == 3) {  // refused
    lists.counts[0] = std::max<int64_t>(1, lists.counts[0]);
    lists.indices[0] = -1;
  }
  return Problem(kTypes[number % 4], shape, std::move(lists));
}

TEST_F(IndiceConvolutionMemoryUse, AHandleDoesNotGrow) {
  constexpr int kProblems = 20, kCalls = 2000;
  const Measurement measured = InAnotherProcess([](Measurement& result) {
    Handle handle(DETOPS_PROFILE_FULL, 2);
    int64_t settled = 0;
    for (int i = 0; i < kCalls; ++i) {
      // 7 shares no factor with 20: every problem comes in every block of 20 calls, with 1, 2 and 3 threads in turn.
      const Problem problem = MixedProblem(i * 7 % kProblems);
      handle.SetThreads(1 + i % 3);
      const Way way = kWays[i % 2 + i / kProblems % 2];
      Tensor output = problem.NewResult(way);
      if (problem.Run(handle, way, output) != MLUOP_STATUS_SUCCESS) ++result.number;
      detopsRulebook_t rulebook = nullptr;
      if (detopsCreateRulebook(handle.get(), problem.indice_pairs.desc(), problem.indice_pairs.data(), problem.counts(),
                               problem.shape().in_rows, problem.shape().out_rows, &rulebook) == MLUOP_STATUS_SUCCESS) {
        Must(detopsDestroyRulebook(rulebook), "detopsDestroyRulebook");
      }
      if (i == kCalls / 5) settled = ResidentBytes();
    }
    result.left = ResidentBytes() - settled;
  });
  ASSERT_STREQ(measured.failure, "");
  EXPECT_LE(measured.left, kMebibyte / 2);
  EXPECT_GT(measured.number, kCalls / 20) << "no call was refused";
  EXPECT_LT(measured.number, kCalls / 2) << "most calls were refused";
}

}  // namespace
}  // namespace detops_test
