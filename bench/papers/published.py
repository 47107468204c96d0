"""What the papers print: times in seconds, and the peak rates that the comparison is scaled by."""

# Peak rates in Gflop/s: single, double (without tensor cores).
PEAKS = {
    "GeForce 8800 GTX": (346, None, "128 processors x 1.35 GHz x 2, NVIDIA"),
    "Tesla S1070, one of 4": (933, None, "Hu et al. 2011, section 6.5"),
    "Tesla C2050": (1030, 515, "NVIDIA's data sheet"),
    "GeForce GTX 1080 Ti": (11600, None, "Kohnke et al. 2021, section 4.2; 484 GB/s"),
    "NVIDIA H200": (66900, 33500, "NVIDIA's data sheet (SXM); 4800 GB/s"),
}

# Gumerov & Duraiswami 2008, GeForce 8800 GTX.
GUMEROV_1 = {  # N: (potential, potential and force)
    1024: (3.246e-4, 4.86e-4), 2048: (7.959e-4, 9.53e-4), 4096: (2.201e-3, 2.99e-3), 8192: (6.851e-3, 9.86e-3),
    16384: (2.424e-2, 3.49e-2), 32768: (7.947e-2, 1.38e-1), 65536: (0.3452, 0.502), 131072: (1.361, 1.986),
    262144: (5.361, 7.892), 524288: (21.345, 31.41), 1048576: (85.205, 125.36),
}  # fmt: skip
GUMEROV_2 = {32768: 0.0151, 65536: 0.0275, 131072: 0.0713, 262144: 0.120, 524288: 0.221, 1048576: 0.596}
GUMEROV_3 = {  # N: s_max = 60, s_max = 320
    16384: (4.22e-3, 2.34e-2), 131072: (5.93e-3, 2.52e-2), 262144: (1.73e-2, 1.05e-2), 1048576: (4.61e-2, 3.81e-2),
}  # fmt: skip
GUMEROV_4 = {  # l_max: p = 4, 8, 12; table 5 repeats rows 3 and 4
    3: (1.44e-4, 9.26e-4, 2.49e-3), 4: (4.57e-4, 2.18e-3, 5.62e-3), 5: (2.34e-3, 1.16e-2, 3.09e-2),
    6: (1.89e-2, 9.39e-2, 2.55e-1),
}  # fmt: skip
GUMEROV_6 = {  # l_max: p = 4, 8, 12; row 2 is from table 7, which repeats rows 3 and 4
    2: (4.83e-3, 2.31e-2, 6.22e-2), 3: (1.46e-2, 7.71e-2, 2.33e-1), 4: (6.14e-2, 2.65e-1, 7.18e-1),
    5: (3.59e-1, 1.80, 4.84),
}  # fmt: skip
GUMEROV_8 = {  # p: S exp, up, down, R eval, sparse, total, error
    4: (0.011, 0.00046, 0.061, 0.011, 0.60, 0.6835, 2.3e-4), 8: (0.020, 0.00218, 0.265, 0.021, 0.60, 0.9082, 8.3e-6),
    12: (0.040, 0.00562, 0.72, 0.030, 0.59, 1.395, 9.5e-7),
}  # fmt: skip
GUMEROV_11 = {4: 0.979, 8: 1.227, 12: 1.761}

# Hu, Gumerov & Duraiswami 2011: table 2 with one GPU (Tesla S1070), table 3 (Tesla C2050); the far field on CPU cores.
HU_2 = {  # N: potential and force, potential
    1048576: (0.71, 0.40), 2097152: (1.23, 1.16), 4194304: (1.96, 1.27), 8388608: (5.11, 2.94), 16777216: (10.3, 9.76),
}  # fmt: skip
HU_3 = {  # (precision, p): seconds, error
    ("single", 4): (0.37, 2.8e-4), ("single", 8): (0.62, 1.4e-6), ("single", 12): (1.48, 2.5e-7),
    ("single", 16): (2.92, 1.2e-7), ("double", 4): (1.36, 1.6e-4), ("double", 8): (1.40, 6.9e-7),
    ("double", 12): (1.49, 4.3e-8), ("double", 16): (2.95, 4.3e-9),
}  # fmt: skip

# Kohnke et al. 2021: what the text says of its figures 15, 16 and 18 (GeForce GTX 1080 Ti), in Gflop/s.
KOHNKE = {  # variant: (p, rate, the paper's words)
    "memory bound": (20, 89, "370 GB/s, about 89 GFLOPS"),
    "compute bound": (20, 8000, "up to 8 TFLOPS, 70 % of the peak"),
    "naive": (19, 232, "maximum at p = 19, 2 % of the peak"),
    "dynamic": (20, 1600, "maximum of 1600 GFLOPS at p = 20"),
}
