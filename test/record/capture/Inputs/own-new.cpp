// operator new and delete on memory of their own, as some allocators bring them.
#include <cstddef>
#include <new>

alignas(64) static char Memory[1 << 20];
static std::size_t Used;

static void *take(std::size_t N) {
  void *P = Memory + Used;
  Used += (N + 127) / 64 * 64;
  return P;
}

void *operator new(std::size_t N) { return take(N); }
void *operator new[](std::size_t N) { return take(N); }
void *operator new(std::size_t N, const std::nothrow_t &) noexcept { return take(N); }
void *operator new[](std::size_t N, const std::nothrow_t &) noexcept { return take(N); }
void *operator new(std::size_t N, std::align_val_t) { return take(N); }
void *operator new[](std::size_t N, std::align_val_t) { return take(N); }
void *operator new(std::size_t N, std::align_val_t, const std::nothrow_t &) noexcept {
  return take(N);
}
void *operator new[](std::size_t N, std::align_val_t, const std::nothrow_t &) noexcept {
  return take(N);
}
void operator delete(void *) noexcept {}
void operator delete[](void *) noexcept {}
void operator delete(void *, std::size_t) noexcept {}
void operator delete[](void *, std::size_t) noexcept {}
void operator delete(void *, const std::nothrow_t &) noexcept {}
void operator delete[](void *, const std::nothrow_t &) noexcept {}
void operator delete(void *, std::align_val_t) noexcept {}
void operator delete[](void *, std::align_val_t) noexcept {}
void operator delete(void *, std::size_t, std::align_val_t) noexcept {}
void operator delete[](void *, std::size_t, std::align_val_t) noexcept {}
void operator delete(void *, std::align_val_t, const std::nothrow_t &) noexcept {}
void operator delete[](void *, std::align_val_t, const std::nothrow_t &) noexcept {}
