// Points and strengths made on the device, for the programs beside this file: at 2^30 points a host would take minutes.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <farfield/error.hpp>
#include <string>

#include "backends/cuda/runtime/parallel.hpp"
#include "io/generate/galaxies.hpp"

namespace farfield::bench {

/// SplitMix64's finaliser: the i-th of a stream of random numbers in [0, 1).
__host__ __device__ inline double random_number(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return static_cast<double>((z ^ z >> 31) >> 11) * 0x1p-53;
}

enum class Shape { uniform, plummer, sphere };

/// Uniform in the unit cube; on the unit sphere; Plummer's model of scale 1, cut at radius 100.
struct MakePoint {
  Shape shape;
  float* xyz;
  __device__ void operator()(std::int64_t i, std::int64_t place) const {
    const std::uint64_t first = 4 * static_cast<std::uint64_t>(i);
    double p[3] = {random_number(first), random_number(first + 1), random_number(first + 2)};
    if (shape != Shape::uniform) {
      const double mass = 0.99985 * random_number(first + 3) + 1e-9;  // within r: (1 + 1 / r^2)^(-3/2)
      const double r = shape == Shape::sphere ? 1 : 1 / sqrt(pow(mass, -2.0 / 3) - 1);
      const double z = 2 * p[0] - 1, angle = 6.283185307179586 * p[1], s = sqrt(1 - z * z);
      p[0] = r * s * cos(angle), p[1] = r * s * sin(angle), p[2] = r * z;
    }
    for (int a = 0; a < 3; ++a) xyz[3 * place + a] = static_cast<float>(p[a]);
  }
};

/// Copies of one set of points in the cells of a lattice, `side` to an axis, each turned by axes and signs of its own.
struct RepeatPoints {
  const float* from;
  std::int64_t count, side;
  float spacing;
  float* xyz;
  __device__ void operator()(std::int64_t i, std::int64_t place) const {
    const std::int64_t copy = i / count, cell[3] = {copy % side, copy / side % side, copy / side / side};
    const auto turn = static_cast<int>(24 * random_number(static_cast<std::uint64_t>(copy)));
    for (int a = 0; a < 3; ++a) {
      const float x = from[3 * (i % count) + (a + turn / 8) % 3];
      xyz[3 * place + a] = static_cast<float>(cell[a]) * spacing + (turn >> a & 1 ? -x : x);
    }
  }
};

/// Strengths in (0, 1), or in (-1/2, 1/2).
template <class T>
struct MakeStrength {
  bool mixed;
  T* q;
  __device__ void operator()(std::int64_t i, std::int64_t place) const {
    q[place] = static_cast<T>(random_number(~static_cast<std::uint64_t>(i)) - (mixed ? 0.5 : 0));
  }
};

/// Points [first, first + count) of n, or those of these numbers, in device memory.
struct Part {
  std::int64_t first, count, n;
  const std::uint32_t* number = nullptr;
};

/// Makes the points of a part one after the other.
template <class Make>
struct MakePart {
  Make make;
  Part part;
  __device__ void operator()(std::int64_t i) const { make(part.number ? part.number[i] : part.first + i, i); }
};
template <class Make>
void make_part(const Make& make, const Part& part, const char* what) {
  cuda::for_each_index(part.count, MakePart<Make>{make, part}, nullptr, what);
}

/// The two galaxies of `farfield generate galaxies`, 2^16 bodies, as often as needed for n.
inline void repeat_galaxies(const Part& part, float* xyz) {
  constexpr std::int64_t bodies = 1 << 16;
  io::Bodies galaxies;
  io::make_galaxies(bodies, 1, galaxies);
  const std::vector<float> one(galaxies.positions.begin(), galaxies.positions.end());
  float extent = 0;
  for (const float x : one) extent = std::fmax(extent, std::fabs(x));
  cuda::DeviceArray<float> from;
  cuda::upload(from, one.data(), 3 * bodies, nullptr);
  const auto side = std::llround(std::ceil(std::cbrt(static_cast<double>((part.n + bodies - 1) / bodies)) - 1e-9));
  const RepeatPoints repeat{from.data(), bodies, side, 2.2f * extent, xyz};
  make_part(repeat, part, "galaxies");
  cuda::require(cudaDeviceSynchronize(), "galaxies");
}

/// Points, interleaved, of uniform, plummer, sphere or galaxies; the same for the same n everywhere.
inline cuda::DeviceArray<float> make_points(const std::string& cloud, const Part& part) {
  cuda::DeviceArray<float> xyz;
  xyz.resize(3 * std::max<std::int64_t>(1, part.count));
  if (cloud == "galaxies") return repeat_galaxies(part, xyz.data()), std::move(xyz);
  const Shape shape = cloud == "plummer" ? Shape::plummer : cloud == "sphere" ? Shape::sphere : Shape::uniform;
  if (shape == Shape::uniform && cloud != "uniform")
    throw Error(ErrorCode::usage, "no cloud " + cloud + ": there are uniform, plummer, sphere and galaxies");
  make_part(MakePoint{shape, xyz.data()}, part, "points");
  return xyz;
}
inline cuda::DeviceArray<float> make_points(const std::string& cloud, std::int64_t n) {
  return make_points(cloud, Part{0, n, n});
}

template <class T>
cuda::DeviceArray<T> make_strengths(const Part& part, bool mixed) {
  cuda::DeviceArray<T> q;
  q.resize(std::max<std::int64_t>(1, part.count));
  make_part(MakeStrength<T>{mixed, q.data()}, part, "strengths");
  return q;
}
template <class T>
cuda::DeviceArray<T> make_strengths(std::int64_t n, bool mixed) {
  return make_strengths<T>(Part{0, n, n}, mixed);
}

}  // namespace farfield::bench
