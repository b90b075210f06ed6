// Cases of functions that have no spoilable call of their own: a call and a state in a few lines each.
#ifndef DETOPS_TESTS_RELIABILITY_BAD_INPUT_PLAIN_H_
#define DETOPS_TESTS_RELIABILITY_BAD_INPUT_PLAIN_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "reliability/bad_input_table.h"

namespace detops_test {

// A call in the world `w` on `handle`.
#define DETOPS_CALL(...) \
  [=]([[maybe_unused]] auto& w, [[maybe_unused]] mluOpHandle_t handle) -> int { return __VA_ARGS__; }

// The message of the last call with a status of mlu_op.h.
inline std::string ThreadMessage() { return detopsGetLastError(nullptr); }

// `World` holds the arguments of a call, made anew for each trial. State(handle) tells all that could have changed,
// Message(status) what the library said of the call just made.
template <class World>
class PlainTrial : public Trial {
 public:
  explicit PlainTrial(std::function<int(World&, mluOpHandle_t)> call) : call_(std::move(call)) {}

  int RunAlone(Handle& handle) override { return call_(world_, handle.get()); }
  int Run(Handle& handle) override {
    const int status = RunAlone(handle);
    text_ = world_.Message(status);
    return status;
  }
  std::string Text() const override { return text_; }
  std::string State(Handle& handle) const override { return world_.State(handle.get()); }

  World& world() { return world_; }

 private:
  World world_;
  std::function<int(World&, mluOpHandle_t)> call_;
  std::string text_;
};

// A row whose cases are all calls in a `World`.
template <class World>
class PlainRow {
 public:
  using Call = std::function<int(World&, mluOpHandle_t)>;

  PlainRow(Table& table, const std::string& function, const Call& good) : row_(table.Add(function, Make(good))) {}

  PlainRow& Refuses(BadClass bad_class, const std::string& fault, int status, const std::string& text,
                    const Call& call) {
    row_.Refuses(bad_class, fault, status, text, Make(call));
    return *this;
  }
  PlainRow& BadParam(BadClass bad_class, const std::string& fault, const std::string& text, const Call& call) {
    return Refuses(bad_class, fault, MLUOP_STATUS_BAD_PARAM, text, call);
  }
  PlainRow& Null(const std::string& argument, const Call& call) {
    return BadParam(BadClass::kNull, argument, argument + " is NULL", call);
  }
  PlainRow& Defines(BadClass bad_class, const std::string& what, const Call& call,
                    const std::function<std::string(World&)>& verdict) {
    row_.Defines(bad_class, what, Make(call),
                 [verdict](Trial& trial) { return verdict(static_cast<PlainTrial<World>&>(trial).world()); });
    return *this;
  }
  PlainRow& HasNothingElse(Row::Objects objects) {
    row_.HasNothingElse(objects);
    return *this;
  }
  Row& row() { return row_; }

 private:
  static MakeTrial Make(const Call& call) {
    return [call] { return std::make_unique<PlainTrial<World>>(call); };
  }

  Row& row_;
};

// A function that makes an object and the one that destroys it.
struct Making {
  const char *create, *destroy, *argument;
  std::string text = std::string(argument) + " is NULL";
  int create_refuses = MLUOP_STATUS_BAD_PARAM, destroy_refuses = MLUOP_STATUS_BAD_PARAM;
  std::string messages{};  // how they begin, if not with the function's name
};
template <class World, class Object, class Status>
void AddMaking(Table& table, const Making& making, Status (*create)(Object*), Status (*destroy)(Object)) {
  const auto add = [&](const char* name, const typename PlainRow<World>::Call& good) {
    PlainRow<World> row(table, name, good);
    if (!making.messages.empty()) row.row().MessagesStart(making.messages);
    return row;
  };
  add(making.create,
      [=](World&, mluOpHandle_t) -> int {
        Object made = nullptr;
        const Status status = create(&made);
        return status != Status{} ? status : destroy(made);
      })
      .Refuses(BadClass::kNull, making.argument, making.create_refuses, making.text, DETOPS_CALL(create(nullptr)))
      .HasNothingElse(Row::Objects::kNone);
  add(making.destroy,
      [=](World&, mluOpHandle_t) -> int {
        Object made = nullptr;
        create(&made);
        return destroy(made);
      })
      .Refuses(BadClass::kNull, making.argument, making.destroy_refuses, making.text, DETOPS_CALL(destroy(nullptr)))
      .HasNothingElse(Row::Objects::kSome);
}

}  // namespace detops_test

#endif  // DETOPS_TESTS_RELIABILITY_BAD_INPUT_PLAIN_H_
