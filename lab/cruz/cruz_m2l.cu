// Tables 2 and 3 of Cruz, Layton & Barba 2011 on today's device, and sizes beyond them whose boxes do not fit into its
// cache: seconds of all translations of levels 2 ... 3 to 2 ... 10, p = 8, 12, 16, single precision. One JSON line per
// row and variant. Usage: cruz_m2l [last level [variant]]
#include <cstdio>
#include <cstdlib>
#include <farfield/error.hpp>
#include <string>

#include "plane_m2l.hpp"
#include "timing.hpp"

namespace farfield::lab {
namespace {

/// Flops by three counts: as kernels.md asks (a complex multiply-add per entry), as Pascal's form of one translation,
/// and as this variant does them.
void print_row(const PlaneLevels& levels, const PlaneVariant& variant, double seconds, double call, double error,
               double to_device, double to_host) {
  const auto n = static_cast<double>(levels.translations());
  const int p = levels.p();
  const double done = variant.name == "matrix"
                          ? 8.0 * p * p
                          : static_cast<double>(target_flops(p, variant.name == "orbits")) / source_count;
  std::printf(
      "{\"paper\": \"cruz\", \"table\": \"2, 3\", \"variant\": \"%s\", \"groups\": %d, \"n\": %lld, \"p\": %d, "
      "\"precision\": \"single\", \"seconds\": %.4g, \"call_seconds\": %.4g, \"to_device_seconds\": %.4g, "
      "\"to_host_seconds\": %.4g, \"translations_per_second\": %.4g, \"flops_per_second\": %.4g, "
      "\"pascal_flops_per_second\": %.4g, \"done_flops_per_second\": %.4g, \"bytes_per_second\": %.4g, "
      "\"compulsory_bytes_per_second\": %.4g, \"error\": %.3g}\n",
      variant.name.c_str(), variant.groups, static_cast<long long>(levels.translations()), p, seconds, call, to_device,
      to_host, n / seconds, 8.0 * p * p * n / seconds, (4.0 * p * p + 16 * p) * n / seconds, done * n / seconds,
      8.0 * p * n / seconds, 16.0 * p * static_cast<double>(levels.boxes()) / seconds, error);
  std::fflush(stdout);
}

void measure(int last_level, int p, const std::string& only) {
  const PlaneLevels levels(last_level, p, 1);
  PlaneM2l m2l(levels);
  const double to_device = host_seconds([&] { m2l.copy_multipoles_to_device(); });
  const double to_host = host_seconds([&] { m2l.copy_locals_to_host(); });
  for (const PlaneVariant& variant : PlaneM2l::variants()) {
    if (!only.empty() && only != variant.name) continue;
    m2l.clear();
    const double call = host_seconds([&] { m2l.run(variant); });
    m2l.copy_locals_to_host();
    const double error = local_error(levels, m2l.locals(), 300);
    const double seconds = Twenty([&](cudaStream_t stream) { m2l.run(variant, stream); }).seconds();
    print_row(levels, variant, seconds, call, error, to_device, to_host);
  }
}

}  // namespace
}  // namespace farfield::lab

int main(int count, char** arguments) {
  const int last = count > 1 ? std::atoi(arguments[1]) : 10;
  try {
    for (const int p : {8, 12, 16})
      for (int level = 3; level <= last; ++level) farfield::lab::measure(level, p, count > 2 ? arguments[2] : "");
  } catch (const farfield::Error& error) {
    std::printf("{\"error\": \"%s\"}\n", error.what());
    return static_cast<int>(error.code());
  }
}
