# A program without libc that waits for signals.
.globl _start
_start:
  mov $34, %eax # pause
  syscall
  jmp _start
