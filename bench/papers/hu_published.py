"""What Hu, Gumerov & Duraiswami 2011 print of several GPUs, in seconds: table 2, table 4 and the text. Of figures 7 to 9 only
what the text says; the rest is drawn there and nowhere printed."""

# Table 2, one node (8 cores, Tesla S1070): N: ((1 GPU, 2 GPUs) potential and force, (1, 2) potential, partitioning for 2)
TABLE_2 = {
    1048576: ((0.71, 0.39), (0.40, 0.24), 0.14),
    2097152: ((1.23, 1.22), (1.16, 0.89), 0.32),
    4194304: ((1.96, 1.34), (1.27, 1.25), 0.58),
    8388608: ((5.11, 2.63), (2.94, 1.52), 1.14),
    16777216: ((10.3, 10.1), (9.76, 6.30), 3.09),
}  # fmt: skip
# Table 4, potential, N / P = 2^23: nodes: ((1 GPU, 2 GPUs to a node) CPU and GPU side by side, overhead, total run)
TABLE_4 = {
    1: ((2.45, 1.23), (0.50, 0.30), (2.95, 1.53)),
    2: ((4.49, 2.91), (1.03, 0.36), (5.46, 3.27)),
    4: ((2.71, 2.80), (0.95, 0.85), (3.66, 3.65)),
    8: ((2.67, 1.75), (1.12, 0.96), (3.79, 2.71)),
    16: ((6.25, 3.17), (1.31, 1.07), (7.56, 4.24)),
}  # fmt: skip
# Section 6.4: potential, N = 2^30, 32 nodes of two GPUs: side by side, total run
LARGEST = (2**30, 64, 12.5, 21.6)
# Section 1.2, of figure 9: N = 2^24 takes about a second on 8 GPUs, potential and force, p = 10 (and did on 256 GPUs in
# 2009: velocity and stretching of vortices, 5.5 times the work).
FIGURE_9 = (2**24, 8, 1.0)
