// A libtorch_cpu.so with the two functions of autograd's engine that memkit defines, too. One
// thread without Python evaluates the nodes of all tasks, as PyTorch's thread of a device does.
//
// INTRUSIVE: with the symbols of PyTorch 2.13.
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

namespace c10 {
namespace detail {
template <class T> struct intrusive_target_default_null_type {};
} // namespace detail
template <class T, class N = detail::intrusive_target_default_null_type<T>>
struct intrusive_ptr {
  T *Object = nullptr;
  ~intrusive_ptr() {} // is passed by its address, as PyTorch's is
};
} // namespace c10

namespace torch::autograd {
struct Node {};
struct ReadyQueue {};
struct InputBuffer {};
struct GraphTask {
  size_t Bytes;
  int Nodes;
  bool Throws;
};
#ifdef INTRUSIVE
using Root = c10::intrusive_ptr<Node>;
#else
using Root = std::shared_ptr<Node>;
#endif
struct Future {
  int Value;
  ~Future() {}
};

struct Engine {
  void evaluate_function(std::shared_ptr<GraphTask> &Task, Node *,
                         InputBuffer &, const std::shared_ptr<ReadyQueue> &);
  Future execute_with_graph_task(const std::shared_ptr<GraphTask> &, Root,
                                 InputBuffer &&);
};

// The thread waits beyond the end of the program.
static std::mutex &Lock = *new std::mutex;
static std::condition_variable &Changed = *new std::condition_variable;
static auto &Ready = *new std::deque<std::shared_ptr<GraphTask>>;
static void *volatile Kept;

__attribute__((noinline)) void
Engine::evaluate_function(std::shared_ptr<GraphTask> &Task, Node *,
                          InputBuffer &, const std::shared_ptr<ReadyQueue> &) {
  Kept = malloc(Task->Bytes);
  if (Task->Throws)
    throw 1;
}

/// Nodes of the tasks take turns. Between them the thread allocates for itself.
static void work() {
  Engine E;
  InputBuffer Inputs;
  for (;;) {
    std::unique_lock<std::mutex> L(Lock);
    Changed.wait(L, [] { return !Ready.empty(); });
    std::shared_ptr<GraphTask> Task = Ready.front();
    Ready.pop_front();
    L.unlock();
    try {
      E.evaluate_function(Task, nullptr, Inputs, nullptr);
    } catch (int) {
    }
    if (!Task->Throws)
      Kept = malloc(7777777);
    L.lock();
    if (--Task->Nodes)
      Ready.push_back(Task);
    Changed.notify_all();
  }
}

Future Engine::execute_with_graph_task(const std::shared_ptr<GraphTask> &Task,
                                       Root, InputBuffer &&) {
  static std::thread *Worker = new std::thread(work);
  (void)Worker;
  std::unique_lock<std::mutex> L(Lock);
  Ready.push_back(Task);
  // Both tasks of the test are there before one is done.
  Changed.notify_all();
  Changed.wait(L, [&] { return !Task->Nodes; });
  return {42};
}

extern "C" int backward(size_t Bytes, int Nodes, int Throws) {
  Engine E;
  auto Task = std::make_shared<GraphTask>();
  *Task = {Bytes, Nodes, Throws != 0};
  return E.execute_with_graph_task(Task, Root(), InputBuffer()).Value;
}
} // namespace torch::autograd
