// Farfield: u(x_i) = sum_j q_j K(x_i, y_j) and its gradient in linear time, to the accuracy asked for.
#pragma once
#include <farfield/biot_savart.hpp>
#include <farfield/coulomb.hpp>
#include <farfield/device.hpp>
#include <farfield/error.hpp>
#include <farfield/options.hpp>
#include <farfield/plan.hpp>
#include <farfield/report.hpp>
#include <farfield/version.hpp>
#include <farfield/views.hpp>  // stops with a message where the compiler is too old
