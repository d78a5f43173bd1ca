// What two programs share: dwz moves it into a file of its own.
struct Shared {
  int Value = 0;
  __attribute__((always_inline)) inline int inlined(int N) {
    // Written to memory, so that each line has code.
    volatile int Copy = N * 3;
    Value += Copy;
    return Value;
  }
};
struct Unused0 { int A, B, C; };
struct Unused1 { long A, B, C; Unused0 D; };
struct Unused2 { Unused1 A; Unused0 *B; };
