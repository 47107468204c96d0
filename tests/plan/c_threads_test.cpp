// The C interface from two threads at once: plans of their own, and each thread's own last error.
#include <farfield/farfield.h>

#include <latch>
#include <thread>

#include "support/measure.hpp"

namespace farfield::testing {
namespace {

/// The bits of 20 evaluations of a plan by the C interface.
std::vector<std::uint64_t> by_c_interface(const Cloud& c) {
  farfield_options o;
  farfield_options_init(&o);
  o.method = FARFIELD_METHOD_FMM;
  o.threads = 2;
  const farfield_points sources = farfield_points_f64(c.sources.data(), c.count());
  const farfield_strengths q = farfield_strengths_f64(c.strengths.data(), c.count());
  std::vector<double> u(c.strengths.size());
  const farfield_outputs out = farfield_outputs_f64(u.data(), nullptr);
  std::vector<std::uint64_t> bits;
  farfield_plan* plan = nullptr;
  EXPECT_EQ(farfield_plan_create(&plan, &sources, nullptr, &o), FARFIELD_OK) << farfield_last_error();
  for (int again = 0; again < 20; ++again) {
    EXPECT_EQ(farfield_plan_evaluate(plan, &q, &out), FARFIELD_OK) << farfield_last_error();
    bits.push_back(hash_of(u));
  }
  farfield_plan_destroy(plan);
  return bits;
}

TEST(ThreadsInC, PlansInThreadsOfTheCaller) {
  const Cloud clouds[2] = {make_cloud(Kind::plummer, 3'000, Signs::mixed),
                           make_cloud(Kind::sphere, 3'000, Signs::mixed)};
  std::vector<std::uint64_t> together[2];
  std::latch both(2);
  const auto work = [&](int i) {
    both.arrive_and_wait();
    together[i] = by_c_interface(clouds[i]);
  };
  std::thread first(work, 0), second(work, 1);
  first.join(), second.join();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(together[i], by_c_interface(clouds[i])) << clouds[i].label;
}

/// Both calls fail before either thread asks for its sentence.
TEST(ThreadsInC, EachThreadHasItsOwnLastError) {
  std::latch failed(2);
  const auto sentence = [&](double tolerance, int code, std::string& found) {
    const double one[3] = {0, 0, 0}, nan = std::numeric_limits<double>::quiet_NaN();
    double u = 0;
    EXPECT_EQ(farfield_laplace3d(1, one, tolerance < 1 ? &nan : one, 1, nullptr, tolerance, &u, nullptr), code);
    failed.arrive_and_wait();
    found = farfield_last_error();
  };
  std::string of_tolerance, of_strength, of_none = "?";
  std::thread first(sentence, 2.0, FARFIELD_USAGE, std::ref(of_tolerance)),
      second(sentence, 1e-3, FARFIELD_INPUT, std::ref(of_strength));
  first.join(), second.join();
  std::thread([&] { of_none = farfield_last_error(); }).join();
  EXPECT_NE(of_tolerance.find("tolerance"), std::string::npos) << of_tolerance;
  EXPECT_NE(of_strength.find("strength 0"), std::string::npos) << of_strength;
  EXPECT_EQ(of_none, "");
}

}  // namespace
}  // namespace farfield::testing
