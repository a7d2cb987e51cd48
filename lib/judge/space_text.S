/* The source of the judge's GPU kernels and the texts that it shares with the host, in the program:
 * in the order in which they have to stand (space_cuda.c leaves their #include lines out). */
    .section .rodata
    .globl kg_space_text
    .globl kg_space_text_end
kg_space_text:
    .incbin "lib/base/philox.h"
    .incbin "lib/base/mix.h"
    .incbin "lib/task/kinds.h"
    .incbin "lib/task/bits_core.h"
    .incbin "lib/task/gen_core.h"
    .incbin "lib/task/poison_core.h"
    .incbin "lib/task/compare_core.h"
    .incbin "lib/judge/space_kernels.cu"
kg_space_text_end:
    .byte 0
    .section .note.GNU-stack,"",@progbits
