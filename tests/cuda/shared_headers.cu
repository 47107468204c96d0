// Compiled, not run: the headers that host and device share must stay usable from a kernel.
#include "tree/lists.hpp"

namespace farfield {

__global__ void use_tree(TreeView tree, const double* x, std::uint32_t* keys, BoxId* children, bool* near) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const double point[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
  keys[i] = morton_key(tree.lattice, point, 0);
  children[i] = tree.child(i, child_of_key(keys[i], 0));
  near[i] = touch(tree, i, tree.colleague[static_cast<std::int64_t>(i) * colleagues_per_box]);
}

}  // namespace farfield
