/* A thread that runs Python, and then operators of PyTorch when its frames of Python are gone. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

extern int PyGILState_Ensure(void);
extern void PyGILState_Release(int);
extern int PyRun_SimpleString(const char *);

typedef int (*EmptyFn)(int64_t, const int64_t *, const int64_t *, int32_t, int32_t, int32_t, void **);
typedef int (*CloneFn)(void *, void **);
typedef int (*DeleteFn)(void *);

static void *symbol(const char *Name) {
  void *P = dlsym(dlopen("libtorch_cpu.so", RTLD_NOLOAD | RTLD_LAZY), Name);
  return P ? P : (abort(), P);
}

static void *work(void *Unused) {
  int State = PyGILState_Ensure();
  PyRun_SimpleString("import __main__; __main__.work()");
  PyGILState_Release(State);
  EmptyFn Empty = (EmptyFn)symbol("aoti_torch_empty_strided");
  CloneFn Clone = (CloneFn)symbol("aoti_torch_clone");
  DeleteFn Delete = (DeleteFn)symbol("aoti_torch_delete_tensor_object");
  int64_t Size = 25000, Stride = 1;
  void *Tensor, *Copy;
  const int32_t Float = 6, Cpu = 0;
  if (Empty(1, &Size, &Stride, Float, Cpu, 0, &Tensor))
    abort();
  for (int I = 0; I != 10; ++I)
    if (Clone(Tensor, &Copy) || Delete(Copy))
      abort();
  Delete(Tensor);
  return Unused;
}

void run(void) {
  pthread_t T;
  pthread_create(&T, NULL, work, NULL);
  pthread_join(T, NULL);
}
