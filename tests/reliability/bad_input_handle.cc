// Rows of handles: making them, what can be set, what can be asked.
#include <cstdint>
#include <string>
#include <type_traits>

#include "cnrt.h"
#include "reliability/bad_input_plain.h"

namespace detops_test {
namespace {

// The settings of the handle, and places for answers.
struct Settings {
  Settings() { cnrtQueueCreate(&queue); }
  ~Settings() { cnrtQueueDestroy(queue); }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  std::string State(mluOpHandle_t handle) const {
    cnrtQueue_t set = nullptr;
    mluOpGetQueue(handle, &set);
    mluOpQuantizeRoundMode_t round = MLUOP_ROUND_HALF_UP;
    mluOpGetQuantizeRoundMode(handle, &round);
    mluOpAtomicsMode_t atomics = MLUOP_ATOMICS_ALLOWED;
    mluOpGetAtomicsMode(handle, &atomics);
    detopsProfile_t profile = DETOPS_PROFILE_FULL;
    detopsGetProfile(handle, &profile);
    int checks = -1, threads = -1;
    detopsGetValueChecks(handle, &checks);
    detopsGetNumThreads(handle, &threads);
    std::string text = set == nullptr ? "no queue" : "a queue";
    for (const int number :
         {static_cast<int>(round), static_cast<int>(atomics), static_cast<int>(profile), checks, threads, answer}) {
      text.append(" ").append(std::to_string(number));
    }
    return text;
  }
  std::string Message(int /*status*/) const { return ThreadMessage(); }

  cnrtQueue_t queue = nullptr;
  int answer = -7;
};

using HandleRow = PlainRow<Settings>;

// A function that asks the handle for something of the type `Answer`.
template <class Answer>
void AddGetter(Table& table, const std::string& name, mluOpStatus_t (*get)(mluOpHandle_t, Answer*),
               const std::string& argument) {
  HandleRow(table, name,
            [get](Settings& s, mluOpHandle_t handle) -> int {
              Answer answer{};
              const mluOpStatus_t status = get(handle, &answer);
              if constexpr (!std::is_pointer_v<Answer>) s.answer = static_cast<int>(answer);
              return status;
            })
      .Null("handle",
            [get](Settings& s, mluOpHandle_t) -> int {
              Answer answer{};
              const mluOpStatus_t status = get(nullptr, &answer);
              if (answer != Answer{}) s.answer = 0;
              return status;
            })
      .Null(argument, DETOPS_CALL(get(handle, nullptr)))
      .HasNothingElse(Row::Objects::kSome);
}

// A function that sets an enumerator.
template <class Enumerator>
HandleRow AddSetter(Table& table, const std::string& name, mluOpStatus_t (*set)(mluOpHandle_t, Enumerator),
                    const std::string& argument, Enumerator good, int below, int above) {
  HandleRow row(table, name, DETOPS_CALL(set(handle, good)));
  row.Null("handle", DETOPS_CALL(set(nullptr, good)));
  for (const int number : {below, above, INT32_MAX, INT32_MIN}) {
    row.BadParam(BadClass::kEnumerator, argument, argument + " is " + std::to_string(number),
                 DETOPS_CALL(set(handle, static_cast<Enumerator>(number))));
  }
  return row;
}

}  // namespace

void AddHandle(Table& table) {
  AddMaking<Settings>(table, {"mluOpCreate", "mluOpDestroy", "handle"}, mluOpCreate, mluOpDestroy);
  HandleRow(table, "mluOpUpdateContextInformation", DETOPS_CALL(mluOpUpdateContextInformation(handle)))
      .Null("handle", DETOPS_CALL(mluOpUpdateContextInformation(nullptr)))
      .HasNothingElse(Row::Objects::kSome);
  HandleRow(table, "mluOpSetQueue", DETOPS_CALL(mluOpSetQueue(handle, w.queue)))
      .Null("handle", DETOPS_CALL(mluOpSetQueue(nullptr, w.queue)))
      .Defines(
          BadClass::kNull, "NULL is the default queue",
          [](Settings& s, mluOpHandle_t handle) -> int {
            const mluOpStatus_t status = mluOpSetQueue(handle, nullptr);
            cnrtQueue_t set = s.queue;
            mluOpGetQueue(handle, &set);
            s.answer = set == nullptr ? 1 : 0;
            return status;
          },
          [](Settings& s) { return s.answer == 1 ? "" : "the queue is not NULL"; })
      .HasNothingElse(Row::Objects::kSome);

  AddGetter(table, "mluOpGetQueue", mluOpGetQueue, "queue");
  AddGetter(table, "mluOpGetDevice", mluOpGetDevice, "device");
  AddGetter(table, "mluOpGetQuantizeRoundMode", mluOpGetQuantizeRoundMode, "round_mode");
  AddGetter(table, "mluOpGetAtomicsMode", mluOpGetAtomicsMode, "atomics_mode");
  AddGetter(table, "detopsGetProfile", detopsGetProfile, "profile");
  AddGetter(table, "detopsGetValueChecks", detopsGetValueChecks, "on");
  AddGetter(table, "detopsGetNumThreads", detopsGetNumThreads, "num_threads");
  AddGetter(table, "detopsGetArchitecture", detopsGetArchitecture, "architecture");

  AddSetter(table, "mluOpSetQuantizeRoundMode", mluOpSetQuantizeRoundMode, "round_mode", MLUOP_ROUND_HALF_OFF_ZERO, -1,
            3)
      .HasNothingElse(Row::Objects::kSome);
  AddSetter(table, "mluOpSetAtomicsMode", mluOpSetAtomicsMode, "atomics_mode", MLUOP_ATOMICS_ALLOWED, 0, 3)
      .HasNothingElse(Row::Objects::kSome);
  AddSetter(table, "detopsSetProfile", detopsSetProfile, "profile", DETOPS_PROFILE_FULL, -1, 2)
      .HasNothingElse(Row::Objects::kSome);

  HandleRow checks(table, "detopsSetValueChecks", DETOPS_CALL(detopsSetValueChecks(handle, 1)));
  checks.Null("handle", DETOPS_CALL(detopsSetValueChecks(nullptr, 0)));
  checks.Defines(
      BadClass::kEnumerator, "any number but 0 switches them on",
      [](Settings& s, mluOpHandle_t handle) -> int {
        const mluOpStatus_t status = detopsSetValueChecks(handle, -5);
        detopsGetValueChecks(handle, &s.answer);
        return status;
      },
      [](Settings& s) { return s.answer == 1 ? "" : "the checks are off"; });
  checks.HasNothingElse(Row::Objects::kSome);

  HandleRow threshold(table, "detopsSetExactThreshold", DETOPS_CALL(detopsSetExactThreshold(handle, 0.7)));
  threshold.Null("handle", DETOPS_CALL(detopsSetExactThreshold(nullptr, 0.7)));
  threshold.HasNothingElse(Row::Objects::kSome);

  HandleRow threads(table, "detopsSetNumThreads", DETOPS_CALL(detopsSetNumThreads(handle, 3)));
  threads.Null("handle", DETOPS_CALL(detopsSetNumThreads(nullptr, 1)));
  for (const int number : {-1, INT32_MIN}) {
    threads.BadParam(BadClass::kSizes, "num_threads", "num_threads is " + std::to_string(number),
                     DETOPS_CALL(detopsSetNumThreads(handle, number)));
  }
  threads.Defines(
      BadClass::kEmpty, "0 is as many as the process may use",
      [](Settings& s, mluOpHandle_t handle) -> int {
        const mluOpStatus_t status = detopsSetNumThreads(handle, 0);
        detopsGetNumThreads(handle, &s.answer);
        return status;
      },
      [](Settings& s) { return s.answer >= 1 ? "" : "no threads"; });
  threads.row().CannotOccur({BadClass::kOverflow}, "more threads than tasks cost nothing: any number is kept");
  threads.HasNothingElse(Row::Objects::kSome);
}

}  // namespace detops_test
