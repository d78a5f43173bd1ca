// A program of 32 bits that exits with 7.
        .globl _start
_start: mov     $1, %eax
        mov     $7, %ebx
        int     $0x80
