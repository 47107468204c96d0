// FARFIELD_WIDEST_VECTORS before a function: the function is compiled once per vector width, and the widest version
// that the processor supports runs. For loops outside the stages of backends/cpu, whose files are compiled once per
// instruction set.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define FARFIELD_WIDEST_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FARFIELD_WIDEST_VECTORS
#endif
