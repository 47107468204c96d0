// Validation of views at the API boundary. Inside the library views are trusted.
#pragma once
#include <farfield/options.hpp>
#include <farfield/report.hpp>
#include <farfield/views.hpp>

namespace farfield {

/// Throws Error(usage) for a value that is not in its enum, since a caller in C may pass any integer, and for a number
/// of threads out of range.
void require_known(const Options& options);

/// The options with what the kernel implies: a kernel whose result is a vector sums it always. The gradient
/// is computed with the Hessian. Throws as require_known.
Options settled(const Options& options);

/// Throws Error(input) where points in device memory lack a coordinate that the kernel needs; of points in host memory
/// the survey does.
void require_axes(const Points& points, const char* what, Kernel kernel);

/// `vectors` times `width` (not negative) as the size of an array; Error(memory) where that is beyond any memory.
std::size_t elements(std::int64_t vectors, std::int64_t width);

/// Throws Error(input, usage or device) for strengths that do not fit `sources` sources or a plan without `dipoles`.
void validate(const Strengths& strengths, std::int64_t sources, bool dipoles, bool device_memory);

/// Throws Error(usage) for arrays that a plan with these options has no results for; `alike`: targets are the sources.
void validate(const Outputs& outputs, const Options& options, bool alike);

/// Where targets are the sources: results at either are the same thing.
Outputs at_points(const Outputs& outputs);

/// Fills in flops, backend, device, precision and scheme of every stage.
void complete(Report& report);

}  // namespace farfield
