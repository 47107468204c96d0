# Includes against the direction of the layers, as FILE:LINE: includes FILE. Reads `git grep -n '#include "' -- src`.
BEGIN {
  # a folder of src/ and what its files may include beside their own
  may["core"] = ""
  may["tree"] = "core"
  may["expansions"] = "core tree"
  may["kernels"] = "core expansions"
  may["model"] = "core tree kernels"
  may["judge"] = "core tree expansions kernels model"
  may["methods"] = "core"
  may["backends"] = "core tree expansions kernels model judge methods"
  may["plan"] = "core tree expansions kernels model judge backends"
  may["distributed"] = "core tree expansions kernels model judge methods backends plan"
}
{
  split($0, place, ":")
  split($0, quoted, "\"")
  split(place[1], from, "/")
  split(quoted[2], to, "/")
  own = from[2] == to[1]
  # one backend knows nothing of another, but for the one that is composed of both
  other = own && to[1] == "backends" && to[3] != "" && from[3] != to[2] && from[3] != "hybrid"
  if (other || !own && index(" " may[from[2]] " ", " " to[1] " ") == 0)
    print place[1] ":" place[2] ": includes " quoted[2]
}
