import numpy as np
import farfield as ff

points = np.array([[0, 0, 0], [2, 0, 0], [0, 3, 0]], dtype=float)  # (N, 3)
charges = np.array([3.0, -4.0, 1.0])
plan = ff.Plan(points, tolerance=1e-6, gradient=True)
result = plan.evaluate(charges)  # again and again, for other strengths
for potential, gradient in zip(result.potential, result.gradient):
    print(f"potential {potential:9.6f}   d/dx {gradient[0]:9.6f}")
