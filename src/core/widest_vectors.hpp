// FARFIELD_WIDEST_VECTORS before a function: compiled once per width of vectors, and the widest that the processor has
// runs. For loops outside the kernels of backends/cpu, which have a folder per instruction set.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define FARFIELD_WIDEST_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FARFIELD_WIDEST_VECTORS
#endif
