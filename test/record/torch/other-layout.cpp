// The shapes of inputs are read only of a PyTorch whose tensors and values look as expected in each
// of the ways that memkit looks; of another one, one line says that there are none, and the program
// runs unharmed.
//
// RUN: rm -rf %t.lib && mkdir %t.lib
// RUN: c++ -std=c++17 -shared -fPIC -DC10 %s -o %t.lib/libc10.so -Wl,-soname,libc10.so
// RUN: c++ -std=c++17 -shared -fPIC -DCPU %s -o %t.lib/libtorch_cpu.so -Wl,-soname,libtorch_cpu.so
// RUN: c++ -std=c++17 %s -o %t.exe -ldl
// DEFINE: %{record} = env LD_LIBRARY_PATH=%t.lib memrec -v --torch=shapes -o %t.fb --force -- %t.exe
//
// RUN: %{record} same 2>&1 | FileCheck %s --check-prefix=KNOWN
// KNOWN: PyTorch: the shapes of operators' inputs are recorded
// RUN: memdump --operators %t.fb | FileCheck %s
// CHECK: shapes
// CHECK: aten::thing{{.*}} float32[3,5] int64[1,2,3,4,5,6] float32[?] bfloat16[7] ?[2]
//
// RUN: for v in sizes twice dims dtype table tag list count inputs error null; do \
// RUN:   %{record} $v 2>&1 | FileCheck %s --check-prefix=OTHER || exit 1; \
// RUN:   memdump --operators %t.fb | FileCheck %s --check-prefix=NONE --implicit-check-not=float32 || exit 1; \
// RUN:   memdump --format=asm %t.fb | FileCheck %s --check-prefix=ALERT || exit 1; done
// OTHER: warning: {{.*}}PyTorch: the shapes of operators' inputs are not recorded: memkit does not know this version
// OTHER: 0 lost
// NONE: aten::thing
// ALERT: PyTorch: the shapes of operators' inputs are not recorded
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#if defined(C10)
namespace c10 {
struct Device {
  int8_t Type, Index;
};
bool memoryProfilingEnabled() { return false; }
void reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, Device) {}
} // namespace c10
extern "C" void allocate() {
  auto Report = c10::reportMemoryUsageToProfiler;
  if (c10::memoryProfilingEnabled())
    Report(malloc(1000), 1000, 1000, 0, {0, -1});
}

#elif defined(CPU)
static std::string Variant;
static bool is(const char *What) { return Variant == What; }

// Tensors and values.
struct Impl {
  const void *Table;
  uint64_t Counts, Storage, Rest[4];
  uint64_t Dims;
  union {
    int64_t InPlace[10];
    int64_t *Apart;
  };
  uint64_t Offset, Elements;
  uint16_t Dtype, More[3];
  uint64_t Last[2];
};
static const char Tables[2] = {};
static Impl *make(int64_t Dims, const int64_t *Sizes, uint16_t Dtype, int Table = 0) {
  auto *T = new Impl();
  T->Table = &Tables[Table];
  T->Counts = 1;
  T->Dims = is("dims") ? 9 : Dims;
  int64_t *To = Dims <= 5 ? T->InPlace : T->Apart = new int64_t[Dims];
  for (int64_t I = 0; I != Dims; ++I)
    To[I] = Sizes[I] + is("sizes");
  if (is("twice"))
    memcpy(T->Rest, Sizes, (Dims < 4 ? Dims : 4) * 8);
  if (is("null") && Dims > 5)
    T->Apart = nullptr;
  T->Dtype = Dtype + is("dtype");
  if (is("table"))
    T->Table = &Tables[Dims > 5];
  return T;
}
struct Value {
  uint64_t Payload;
  uint32_t Tag;
};
struct List {
  uint64_t Table = 1, Counts = 1;
  std::vector<Value> Items;
};
extern "C" {
int32_t aoti_torch_device_type_cpu() { return 0; }
int32_t aoti_torch_dtype_float32() { return 6; }
int32_t aoti_torch_dtype_int64() { return 4; }
int32_t aoti_torch_dtype_bfloat16() { return 15; }
int32_t aoti_torch_create_tensor_from_blob(void *, int64_t Dims, const int64_t *Sizes, const int64_t *, int64_t,
                                           int32_t Dtype, int32_t, int32_t, Impl ***To) {
  *To = new Impl *(make(Dims, Sizes, uint16_t(Dtype)));
  return is("error");
}
int32_t aoti_torch_delete_tensor_object(Impl **) { return 0; }
int32_t aoti_torch_tensor_to_ivalue(Impl **T, Value **To) {
  *To = new Value{uint64_t(*T), is("tag") ? 5u : 1u};
  return 0;
}
int32_t aoti_torch_int64_to_ivalue(int64_t V, Value **To) {
  *To = new Value{uint64_t(V), 5};
  return 0;
}
int32_t aoti_torch_strlist_to_ivalue(const char **, int64_t N, Value **To) {
  auto *L = new List;
  L->Items.resize(is("list") ? N + 1 : N);
  *To = new Value{uint64_t(L), 14};
  return 0;
}
int32_t aoti_torch_delete_c10_value_object(Value *) { return 0; }
}

// Operators.
namespace c10 {
struct FunctionSchema;
}
namespace at {
enum class RecordScope : uint8_t { Function };
struct RecordFunctionCallback {
  void **(*Start)(void **, const void *);
  void (*End)(const void *, void *);
  double Probability;
  bool Scopes[10], NeedsInputs, NeedsOutputs, NeedsIds;
};
struct RecordFunction {
  using Descriptor = std::variant<std::string_view, std::reference_wrapper<const c10::FunctionSchema>>;
  explicit RecordFunction(RecordScope);
  virtual ~RecordFunction();
  void before(Descriptor Fn, int64_t SequenceNr);
  const char *name() const;
  size_t num_inputs() const;
  std::string Name;
  int64_t Sequence = -1;
  const Value *Inputs = nullptr;
  size_t Count = 0, Other = 0;
};
static std::vector<RecordFunctionCallback> Callbacks;
uint64_t addGlobalCallback(RecordFunctionCallback C) {
  Callbacks.push_back(C);
  return Callbacks.size();
}
RecordFunction::RecordFunction(RecordScope) {}
RecordFunction::~RecordFunction() {
  for (auto &C : Callbacks)
    if (C.Scopes[0])
      C.End(this, nullptr);
}
void RecordFunction::before(Descriptor Fn, int64_t SequenceNr) {
  Name = std::get<0>(Fn);
  Sequence = SequenceNr;
  if (is("inputs"))
    Inputs = reinterpret_cast<Value *>(1);
  void *Context;
  for (auto &C : Callbacks)
    if (C.Scopes[0])
      C.Start(&Context, this);
}
const char *RecordFunction::name() const { return Name.c_str(); }
size_t RecordFunction::num_inputs() const { return is("count") ? Other : Count; }
} // namespace at
extern "C" void choose(const char *V) { Variant = V; }
extern "C" void run() {
  static const int64_t Many[] = {1, 2, 3, 4, 5, 6}, Few[] = {3, 5}, One[] = {7}, Two[] = {2};
  List L;
  L.Items = {{uint64_t(make(1, One, 15)), 1}, {uint64_t(make(1, Two, 99)), 1}, {0, 0}};
  Value V[] = {{uint64_t(make(2, Few, 6)), 1}, {0, 0},   {uint64_t(make(6, Many, 4)), 1}, {7, 5},
               {uint64_t(make(2, Few, 6, 1)), 1}, {uint64_t(make(0, Few, 99, 1)), 1}, {uint64_t(&L), 14}};
  at::RecordFunction F(at::RecordScope::Function);
  for (auto &C : at::Callbacks)
    if (C.Scopes[0] && C.NeedsInputs) {
      F.Inputs = V;
      F.Count = sizeof(V) / sizeof(*V);
    }
  F.before(std::string_view("aten::thing"), 1);
}

#else
int main(int, char **Arguments) {
  void *Torch = dlopen("libtorch_cpu.so", RTLD_LAZY | RTLD_LOCAL);
  void *Library = dlopen("libc10.so", RTLD_LAZY | RTLD_LOCAL);
  reinterpret_cast<void (*)(const char *)>(dlsym(Torch, "choose"))(Arguments[1]);
  reinterpret_cast<void (*)()>(dlsym(Library, "allocate"))();
  reinterpret_cast<void (*)()>(dlsym(Torch, "run"))();
  return 0;
}
#endif
