// Hashes of what the library computes, for scripts/same-bits: one line per case, with tabs between its name, what ran
// and the hashes. Uses the public interface alone, so that it compiles against older revisions of the library.
//
//     build/release/bench/result_hashes [--backend cpu|cuda]
//
// `lists` are the boxes of p2p, m2l, m2p and p2l, `judged` is the hash of the report's condition numbers and errors. An
// Error is printed in place of results. Instruction sets that this machine lacks are left out.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <farfield/farfield.hpp>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "support/clouds.hpp"

using namespace farfield;
using farfield::testing::Kind;

namespace {

struct Case {
  Kind kind;
  Options options;
  std::int64_t count = 3000;
  int vectors = 1;
  bool one_shot = false;  ///< direct_sum instead of a plan
};
using Cases = std::vector<Case>;
constexpr Precision both[] = {Precision::single_, Precision::double_};

std::string name_of(const Case& c) {
  constexpr const char *methods[] = {"auto", "fmm", "direct"}, *precisions[] = {"auto", "single", "double"},
                       *m2ls[] = {"auto", "dense", "rotation"}, *stencils[] = {"auto", "full", "reduced"},
                       *levels[] = {"auto", "baseline", "avx2", "avx512"};
  const Options& o = c.options;
  char text[300];
  std::snprintf(text, sizeof text, "%s %s %lld %s %s %.0e m2l %s stencil %s simd %s",
                o.backend == Backend::cuda ? "cuda" : "cpu", farfield::testing::name(c.kind),
                static_cast<long long>(c.count), methods[static_cast<int>(o.method)],
                precisions[static_cast<int>(o.precision)], o.tolerance, m2ls[static_cast<int>(o.m2l)],
                stencils[static_cast<int>(o.stencil)], levels[static_cast<int>(o.simd)]);
  std::string name = text;
  const auto add = [&](const char* what, std::int64_t number) { name.append(what).append(std::to_string(number)); };
  if (o.leaf_size > 0) add(" leaf ", o.leaf_size);
  if (o.depth >= 0) add(" depth ", o.depth);
  if (o.softening > 0) name += " softened";
  if (o.kernel != Kernel::laplace3d) name.append(" ").append(word_of(o.kernel));
  if (o.core != Core::none) name.append(" core ").append(word_of(o.core));
  if (o.at_sources) name += " at_sources";
  if (c.vectors > 1) add(" vectors ", c.vectors);
  return name.append(c.one_shot ? " one_shot" : "");
}

bool is_planar(Kernel kernel) {
  return kernel == Kernel::laplace2d || kernel == Kernel::vortex || kernel == Kernel::cauchy;
}

/// FNV-1a over the bytes of several arrays.
template <class T>
std::uint64_t hash_of(std::initializer_list<std::vector<T>> arrays) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const std::vector<T>& values : arrays) {
    std::vector<unsigned char> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
  }
  return hash;
}

std::uint64_t hash_of(const Report& r) {
  const ErrorReport e = r.error.value_or(ErrorReport{});
  return hash_of<double>(
      {{r.condition_potential, r.condition_gradient, r.estimated_error, e.potential, e.gradient, e.potential_max}});
}

template <class T>
Result<T> compute(const Case& c) {
  testing::Cloud cloud = testing::make_cloud(c.kind, c.count, testing::Signs::mixed);
  for (std::vector<double>* xyz : {&cloud.sources, &cloud.targets})
    for (std::size_t i = 2; is_planar(c.options.kernel) && i < xyz->size(); i += 3) (*xyz)[i] = 0.25;
  std::vector<T> q;
  for (int v = 0; v < c.vectors; ++v)
    for (std::int64_t i = 0; i < c.count; ++i) q.push_back(static_cast<T>(cloud.strengths[(i + 7 * v) % c.count]));
  const Points sources = points(cloud.sources);
  if (c.one_shot) return direct_sum(sources, std::span<const T>(q), points(cloud.where()), c.options);
  return (cloud.apart() ? Plan(sources, points(cloud.targets), c.options) : Plan(sources, c.options)).evaluate(q);
}

template <class T>
void print_results(const Case& c) {
  const Result<T> result = compute<T>(c);
  const Report& r = result.report;
  std::printf("%s\tmethod %s\tprecision %s\tm2l %s\tstencil %s\tsimd %s\tdegree %d\tleaf %lld\tlists",
              name_of(c).c_str(), r.method.c_str(), r.precision.c_str(), r.m2l.c_str(), r.stencil.c_str(),
              r.simd.c_str(), r.degree, static_cast<long long>(r.leaf_size));
  for (const auto boxes : {r.p2p_boxes, r.m2l_boxes, r.m2p_boxes, r.p2l_boxes})
    std::printf(" %lld", static_cast<long long>(boxes));
  for (const auto& [what, hash] : {std::pair{"potential", hash_of<T>({result.potential, result.source_potential})},
                                   {"gradient", hash_of<T>({result.gradient, result.source_gradient})},
                                   {"judged", hash_of(r)}})
    std::printf("\t%s %016llx", what, static_cast<unsigned long long>(hash));
  std::printf("\n");
}

/// Outputs are float in precision single, else double.
void print(const Case& c) {
  try {
    c.options.precision == Precision::single_ ? print_results<float>(c) : print_results<double>(c);
  } catch (const Error& error) {
    const bool lacking = error.code() == ErrorCode::device && c.options.simd != Simd::automatic;
    if (!lacking) std::printf("%s\terror %s\n", name_of(c).c_str(), error.what());
  }
  std::fflush(stdout);
}

Options options(Backend backend, Method method, Precision precision, double tolerance) {
  Options o;
  o.backend = backend, o.method = method, o.precision = precision;
  o.tolerance = tolerance;
  o.gradient = true;
  o.check = 20;
  return o;
}

std::vector<Simd> levels(Backend backend) {
  if (backend == Backend::cuda) return {Simd::automatic};
  return {Simd::baseline, Simd::avx2, Simd::avx512};
}

/// What is chosen where nothing is forced.
void add_automatic(Cases& cases, Backend backend) {
  for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
    const Options o = options(backend, Method::automatic, Precision::automatic, tolerance);
    for (const Kind kind : testing::all_kinds) cases.push_back({kind, o});
    for (const Kind kind : {Kind::uniform, Kind::plummer}) cases.push_back({kind, o, 20'000});
  }
}

/// Every way of m2l. The small leaves give 3000 points four levels and more.
void add_schemes(Cases& cases, Backend backend, Kind kind, Precision precision, double tolerance) {
  Options o = options(backend, Method::fmm, precision, tolerance);
  o.leaf_size = 40;
  for (const Simd simd : levels(backend))
    for (const M2l m2l : {M2l::dense, M2l::rotation})
      for (const Stencil stencil : {Stencil::full, Stencil::reduced}) {
        o.simd = simd, o.m2l = m2l, o.stencil = stencil;
        cases.push_back({kind, o});
      }
}

void add_direct(Cases& cases, Backend backend, Simd simd) {
  for (const Precision precision : both) {
    Options o = options(backend, Method::direct, precision, 1e-3);
    o.simd = simd;
    for (const Kind kind : testing::all_kinds) cases.push_back({kind, o});
    if (backend == Backend::cpu) cases.push_back({Kind::plummer, o, 3000, 1, true});
    o.softening = 0.01;
    for (const Kind kind : {Kind::plummer, Kind::apart}) cases.push_back({kind, o});
  }
}

/// An unreachable tolerance, several strength vectors, a uniform tree, results at the sources as well, kernel count.
void add_special(Cases& cases, Backend backend, Simd simd, Precision precision) {
  Options o = options(backend, Method::fmm, precision, 1e-17);
  o.simd = simd;
  cases.push_back({Kind::plummer, o});
  o.tolerance = 1e-4;
  for (const int vectors : {3, 8}) cases.push_back({Kind::plummer, o, 3000, vectors});
  o.depth = 3;
  for (const Kind kind : {Kind::uniform, Kind::spiral}) cases.push_back({kind, o});
  o.depth = -1;
  o.at_sources = true;
  for (const Kind kind : {Kind::apart, Kind::outside}) cases.push_back({kind, o, 3000, 2});
  o.kernel = Kernel::count;
  cases.push_back({Kind::apart, o});
}

/// Kernels of the plane: clouds with all lists, and vortices with cores.
void add_plane(Cases& cases, Backend backend, Simd simd, Precision precision) {
  for (const Kernel kernel : {Kernel::laplace2d, Kernel::vortex, Kernel::cauchy})
    for (const Kind kind : {Kind::uniform, Kind::plummer, Kind::apart})
      for (const double tolerance : {1e-3, 1e-5}) {
        Options o = options(backend, Method::fmm, precision, tolerance);
        o.kernel = kernel, o.simd = simd, o.leaf_size = 20;
        cases.push_back({kind, o, 10'000});
        o.method = Method::direct, o.leaf_size = 0;
        cases.push_back({kind, o});
      }
  for (const Core core : {Core::gauss, Core::rankine}) {
    Options o = options(backend, Method::fmm, precision, 1e-5);
    o.kernel = Kernel::vortex, o.simd = simd, o.core = core, o.core_radius = 1e-3;
    cases.push_back({Kind::uniform, o, 10'000});
  }
}

Cases all_cases(Backend backend) {
  Cases cases;
  add_automatic(cases, backend);
  for (const Kind kind : testing::all_kinds)
    for (const double tolerance : {1e-3, 1e-6})
      for (const Precision precision : both) add_schemes(cases, backend, kind, precision, tolerance);
  // Dense matrices of 1e-10 take seconds to make: only clouds with few boxes.
  for (const Kind kind : {Kind::sphere, Kind::spiral}) add_schemes(cases, backend, kind, Precision::double_, 1e-10);
  for (const Simd simd : levels(backend)) {
    add_direct(cases, backend, simd);
    for (const Precision precision : both) add_special(cases, backend, simd, precision);
    for (const Precision precision : both) add_plane(cases, backend, simd, precision);
  }
  return cases;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string asked = argc == 3 && std::string(argv[1]) == "--backend" ? argv[2] : "";
  if (argc != 1 && asked != "cpu" && asked != "cuda") return std::fprintf(stderr, "--backend cpu|cuda\n"), 2;
  std::vector<Backend> backends;
  if (asked != "cuda") backends.push_back(Backend::cpu);
  if (asked == "cuda" || (asked.empty() && !devices().empty())) backends.push_back(Backend::cuda);
  for (const Backend backend : backends)
    for (const Case& c : all_cases(backend)) print(c);
}
