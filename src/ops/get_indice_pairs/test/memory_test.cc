// get_indice_pairs and memory: how much it takes beside its tensors, measured as the system counts it, whatever the
// size of the space; and that a handle does not grow.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "ops/get_indice_pairs/test/problem.h"
#include "support/sanitizers.h"

namespace detops_test {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

// What the header promises for the workspace and the handle's scratch together.
int64_t PromisedBytes(int64_t sites, int64_t outputs) { return 64 * (sites + outputs) + 64 * kMebibyte; }

// ---- measuring ----

// A line of /proc/self/status in bytes; -1 if there is none.
int64_t StatusBytes(const char* name) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return -1;
  char line[256];
  long long kibibytes = -1;
  const size_t length = std::strlen(name);
  while (std::fgets(line, sizeof(line), file) != nullptr) {
    if (std::strncmp(line, name, length) == 0) std::sscanf(line + length, ": %lld", &kibibytes);
  }
  std::fclose(file);
  return kibibytes < 0 ? -1 : kibibytes * 1024;
}

// The peak starts anew from what is resident now. False if the system cannot do that.
bool ResetPeak() {
  std::FILE* const file = std::fopen("/proc/self/clear_refs", "w");
  if (file == nullptr) return false;
  const bool written = std::fputs("5", file) >= 0;
  return std::fclose(file) == 0 && written;
}

// Pages that are there only once they are touched.
class Pages {
 public:
  explicit Pages(size_t bytes)
      : size_(std::max<size_t>(bytes, 1)),
        data_(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
    madvise(data_, size_, MADV_NOHUGEPAGE);  // so that a touched byte costs a page and not two mebibytes
  }
  ~Pages() { munmap(data_, size_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void* data() const { return data_; }
  void Touch() { std::memset(data_, 0x5A, size_); }

 private:
  size_t size_;
  void* data_;
};

struct Measurement {
  int64_t outputs = 0;
  int64_t count_bytes = 0;  // the peak above the start, while outputs are counted
  int64_t pairs_bytes = 0;  // and while pairs are found, the workspace included, the tensors not
  int64_t workspace_size = 0;
  char failure[200] = "the process that measures ended early";
};

// Runs in a process of its own, in which nothing else allocates.
void MeasureHere(const PairProblem& problem, int threads, Measurement& result) {
  const auto sites = static_cast<size_t>(problem.count()),
             offsets = static_cast<size_t>(problem.convolution.KernelVolume());
  Pages pairs(offsets * 2 * sites * 4), num(offsets * 4);
  pairs.Touch();
  num.Touch();
  const std::vector<int32_t> flat = problem.Flat();
  const auto columns = static_cast<int64_t>(problem.columns());
  const Descriptor indices_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {problem.count(), columns});
  const Descriptor pairs_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32,
                              {static_cast<int64_t>(offsets), 2, problem.count()});
  const Descriptor num_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {static_cast<int64_t>(offsets)});
  const ConvolutionDescriptor desc(problem);
  const Handle handle(DETOPS_PROFILE_FULL, threads);
  if (!ResetPeak()) throw std::runtime_error("cannot reset the peak");
  const int64_t start = StatusBytes("VmRSS");
  Must(detopsCountIndicePairOutputs(handle.get(), desc.get(), indices_desc.get(), flat.data(), &result.outputs),
       "detopsCountIndicePairOutputs");
  result.count_bytes = StatusBytes("VmHWM") - start;

  const Descriptor out_desc(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {result.outputs, columns});
  size_t size = 0;
  Must(mluOpGetIndicePairsWorkspaceSize(handle.get(), desc.get(), indices_desc.get(), pairs_desc.get(), out_desc.get(),
                                        num_desc.get(), &size),
       "mluOpGetIndicePairsWorkspaceSize");
  result.workspace_size = static_cast<int64_t>(size);
  const auto out_bytes = static_cast<size_t>(result.outputs * columns) * 4;
  Pages out(out_bytes), workspace(size);
  out.Touch();
  if (!ResetPeak()) throw std::runtime_error("cannot reset the peak");
  Must(mluOpGetIndicePairs(handle.get(), desc.get(), indices_desc.get(), flat.data(), workspace.data(), size,
                           pairs_desc.get(), pairs.data(), out_desc.get(), out.data(), num_desc.get(), num.data()),
       "mluOpGetIndicePairs");
  result.pairs_bytes = StatusBytes("VmHWM") - start - static_cast<int64_t>(out_bytes);
  if (desc.NumActOut() != result.outputs) throw std::runtime_error("the two functions count differently");
  result.failure[0] = '\0';
}

template <class Body>
Measurement InAnotherProcess(const Body& body) {
  void* const shared = mmap(nullptr, sizeof(Measurement), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto* const result = new (shared) Measurement;
  const pid_t child = fork();
  if (child == 0) {
    try {
      body(*result);
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

bool CanMeasure() { return !kAddressSanitizer && !kThreadSanitizer && ResetPeak() && StatusBytes("VmHWM") > 0; }

// ---- problems ----

enum class Spread { kRandom, kSurface };

// Sites all over the space, or on a sheet with some noise, as a scanner sees the world: there neighbours share outputs.
PairProblem SpreadProblem(int64_t sites, const std::vector<int64_t>& space, int64_t filter, bool submanifold,
                          Spread spread, bool shuffled) {
  SparseConvolution convolution;
  convolution.batch = spread == Spread::kRandom ? 2 : 1;
  convolution.input_space = space;
  if (spread == Spread::kRandom) convolution.input_space[0] = (space[0] + 1) / 2;  // two images
  convolution.filter_space.assign(space.size(), filter);
  convolution.pad.assign(space.size(), filter / 2);
  convolution.submanifold = submanifold;
  PairProblem problem = {Completed(convolution), {}};
  Random random(static_cast<uint64_t>(sites));
  problem.sites.reserve(static_cast<size_t>(sites));
  const int64_t width = space.back();
  for (int64_t i = 0; i < sites; ++i) {
    if (spread == Spread::kRandom) {
      problem.sites.push_back(RandomSite(random, problem.convolution));
    } else {
      const int64_t row = i / std::min<int64_t>(width, 1024), column = i % std::min<int64_t>(width, 1024);
      const int64_t depth = row / space[1] * 2 + random.Between(0, 1);
      problem.sites.push_back(
          {0, static_cast<int32_t>(depth), static_cast<int32_t>(row % space[1]), static_cast<int32_t>(column)});
    }
  }
  std::sort(problem.sites.begin(), problem.sites.end());
  if (shuffled) random.Shuffle(problem.sites);
  return problem;
}

const std::vector<int64_t> kSpaces[] = {{64, 128, 128}, {2048, 1024, 1024}, {8192, 8192, 16384}};  // 2^20, 2^31, 2^40

class GetIndicePairsMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (!CanMeasure()) GTEST_SKIP() << "memory cannot be measured here";
  }

  static void ExpectPromise(const PairProblem& problem, int threads) {
    SCOPED_TRACE(Describe(problem) + ", threads " + std::to_string(threads));
    const Measurement measured = InAnotherProcess([&](Measurement& result) { MeasureHere(problem, threads, result); });
    ASSERT_STREQ(measured.failure, "");
    const int64_t promised = PromisedBytes(problem.count(), measured.outputs);
    EXPECT_LE(measured.count_bytes, promised) << measured.outputs << " outputs";
    EXPECT_LE(measured.pairs_bytes, promised) << measured.outputs << " outputs";
    EXPECT_LE(measured.workspace_size, promised) << measured.outputs << " outputs";
  }
};

// ---- tests ----

// A measurement that sees nothing would hold every promise.
TEST_F(GetIndicePairsMemory, TheMeasurementSeesMemory) {
  const Measurement measured = InAnotherProcess([](Measurement& result) {
    const int64_t start = StatusBytes("VmRSS");
    {
      Pages kept(40 * kMebibyte);
      kept.Touch();
    }
    result.pairs_bytes = StatusBytes("VmHWM") - start;
    result.count_bytes = StatusBytes("VmRSS") - start;
    ResetPeak();
    result.outputs = StatusBytes("VmHWM") - start;
    result.failure[0] = '\0';
  });
  ASSERT_STREQ(measured.failure, "");
  EXPECT_GE(measured.pairs_bytes, 39 * kMebibyte) << "the peak counts memory that is gone";
  EXPECT_LE(measured.pairs_bytes, 42 * kMebibyte);
  EXPECT_LE(measured.count_bytes, 2 * kMebibyte);
  EXPECT_LE(measured.outputs, 2 * kMebibyte) << "the peak was not reset";
}

TEST_F(GetIndicePairsMemory, TenThousandSites) {
  int number = 0;
  for (const std::vector<int64_t>& space : kSpaces) {
    for (const bool submanifold : {false, true}) {
      for (const bool shuffled : {false, true}) {
        for (const int64_t filter : {3, 5}) {
          constexpr int kThreads[] = {1, 2, 7};
          ExpectPromise(SpreadProblem(10000, space, filter, submanifold, Spread::kRandom, shuffled),
                        kThreads[number++ % 3]);
        }
      }
    }
  }
}

TEST_F(GetIndicePairsMemory, ManySites) {
  bool shuffled = false;
  for (const std::vector<int64_t>& space : kSpaces) {
    for (const bool submanifold : {false, true}) {
      shuffled = !shuffled;
      ExpectPromise(SpreadProblem(300000, space, 3, submanifold, Spread::kSurface, shuffled), shuffled ? 2 : 1);
    }
    shuffled = !shuffled;
  }
  ExpectPromise(SpreadProblem(300000, kSpaces[2], 3, false, Spread::kRandom, true), 2);
  ExpectPromise(SpreadProblem(300000, kSpaces[2], 5, true, Spread::kRandom, true), 2);
}

TEST_F(GetIndicePairsMemory, AMillionSites) {
  ExpectPromise(SpreadProblem(1000000, kSpaces[0], 3, false, Spread::kRandom, true), 2);
  ExpectPromise(SpreadProblem(1000000, kSpaces[1], 3, false, Spread::kSurface, false), 2);
  ExpectPromise(SpreadProblem(1000000, kSpaces[2], 3, false, Spread::kSurface, true), 2);
  ExpectPromise(SpreadProblem(1000000, kSpaces[2], 3, true, Spread::kRandom, false), 2);
}

// Few sites and a kernel as long as a signal's: what is kept per offset or per pair must not be kept for ever.
TEST_F(GetIndicePairsMemory, LongKernelOnOneAxis) {
  for (const int64_t extent : {int64_t{1} << 20, (int64_t{1} << 31) - 1}) {
    for (const bool submanifold : {false, true}) {
      for (const bool shuffled : {false, true}) {
        ExpectPromise(SpreadProblem(5000, {extent}, 200, submanifold, Spread::kRandom, shuffled), 2);
      }
    }
  }
}

// Rows say how many outputs there may be; the size must not follow them to where no outputs can be.
TEST(GetIndicePairsWorkspaceSize, StaysSmallForLargeTensors) {
  const Handle handle(DETOPS_PROFILE_FULL, 2);
  for (const bool submanifold : {false, true}) {
    const PairProblem problem = SpreadProblem(1000, kSpaces[2], 3, submanifold, Spread::kRandom, true);
    const ConvolutionDescriptor desc(problem);
    const Descriptor indices(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {1000, 4});
    const Descriptor pairs(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {27, 2, 1000});
    const Descriptor num(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {27});
    for (const int64_t rows : {int64_t{1}, int64_t{1000}, int64_t{27000}, int64_t{1} << 30, int64_t{1} << 40}) {
      const Descriptor out(MLUOP_LAYOUT_ARRAY, MLUOP_DTYPE_INT32, {rows, 4});
      size_t size = 0;
      ASSERT_EQ(mluOpGetIndicePairsWorkspaceSize(handle.get(), desc.get(), indices.get(), pairs.get(), out.get(),
                                                 num.get(), &size),
                MLUOP_STATUS_SUCCESS)
          << handle.LastError();
      EXPECT_LE(static_cast<int64_t>(size), PromisedBytes(1000, std::min<int64_t>(rows, 27000))) << rows;
    }
  }
}

// ---- many calls ----

// One of many problems of different kinds and sizes, some of which are refused.
PairProblem MixedProblem(int number) {
  const bool submanifold = number % 2 == 0;
  const std::vector<int64_t>& space = kSpaces[number % 3];
  PairProblem problem = SpreadProblem(1 + number * 997 % 1000, space, number % 5 == 0 ? 5 : 3, submanifold,
                                      Spread::kRandom, number % 4 < 2);
  if (number % 7 == 3) problem.sites.back()[1] = -1;
  return problem;
}

TEST_F(GetIndicePairsMemory, AHandleDoesNotGrow) {
  constexpr int kProblems = 20, kCalls = 1000;
  std::vector<PairProblem> problems;
  problems.reserve(kProblems);
  for (int i = 0; i < kProblems; ++i) problems.push_back(MixedProblem(i));
  const Measurement measured = InAnotherProcess([&](Measurement& result) {
    Handle handle(DETOPS_PROFILE_FULL, 2);
    ConvolutionDescriptor desc;
    int64_t settled = 0;
    int refused = 0;
    for (int i = 0; i < kCalls; ++i) {
      // 7 shares no factor with 20: every problem comes in every block of 20 calls, with 1, 2 and 3 threads in turn.
      const PairProblem& problem = problems[static_cast<size_t>(i * 7 % kProblems)];
      handle.SetThreads(1 + i % 3);
      desc.Set(problem);
      PairCall call(problem, 27 * problem.count());
      int64_t count = 0;
      size_t size = 0;
      call.Count(handle, desc, &count);
      Must(call.WorkspaceSize(handle, desc, &size), "mluOpGetIndicePairsWorkspaceSize");
      const GuardedBuffer workspace(size);
      if (call.Run(handle, desc, workspace.data(), size) != MLUOP_STATUS_SUCCESS) ++refused;
      if (i == kCalls / 5) settled = StatusBytes("VmRSS");
    }
    result.pairs_bytes = StatusBytes("VmRSS") - settled;
    result.outputs = refused;
    result.failure[0] = '\0';
  });
  ASSERT_STREQ(measured.failure, "");
  EXPECT_LE(measured.pairs_bytes, kMebibyte / 2);
  EXPECT_GT(measured.outputs, kCalls / 20) << "no call was refused";
  EXPECT_LT(measured.outputs, kCalls / 2) << "most calls were refused";
}

}  // namespace
}  // namespace detops_test
