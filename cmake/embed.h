/* What files that embed bytes with .incbin write differently for ELF, Mach-O and COFF. */
#if defined(__APPLE__)
#define READ_ONLY .section __TEXT,__const
#define SYMBOL(name) _##name
#define END_OF_FILE
#elif defined(_WIN32)
#define READ_ONLY .section .rdata, "dr"
#define SYMBOL(name) name
#define END_OF_FILE
#else
#define READ_ONLY .section .rodata
#define SYMBOL(name) name
#define END_OF_FILE .section .note.GNU-stack, "", @progbits /* the stack is not executable */
#endif
#define EXPORTED(name) .globl SYMBOL(name)
