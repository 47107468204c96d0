// Farfield as a contender of compare.py: speaks the protocol of README.md. Each job evaluates once as a warm-up (the
// first call), then times whole evaluations: plan (tree, lists, tables) and sums, results in the order of the points.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <farfield/farfield.hpp>
#include <farfield/version.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace farfield;

/// What all jobs of a process share.
struct Input {
  std::string code, file, output, jobs, task;
  std::int64_t n = 0, vectors = 1;
  int threads = 0, repeat = 1;
  std::vector<double> points, strengths, dipoles, potential, gradient, hessian;
};

/// One entry of --jobs: "8/0/1e-5" is degree 8, the leaf size that Farfield chooses, the rest for an error of 1e-5.
struct Job {
  std::string setting;
  std::int64_t leaf = 0;
  double aim = 1e-6;
};

#define FARFIELD_TASKS R"(["gradient", "dipoles", "hessian", "densities"])"
constexpr const char* describe =
    R"([{"code": "Farfield double", "version": ")" FARFIELD_VERSION R"(", "setting_is": "degree", "ours": true,
 "settings": {"from": 3, "to": 40}, "leaves": [0], "outputs": "potential and gradient", "precision": "double",
 "uses_aim": true, "modes": ["error"],
 "tasks": )" FARFIELD_TASKS R"(},
{"code": "Farfield single", "version": ")" FARFIELD_VERSION R"(", "setting_is": "degree", "ours": true,
 "settings": {"from": 3, "to": 14}, "leaves": [0], "outputs": "potential and gradient", "precision": "single",
 "uses_aim": true, "modes": ["error"], "floor": 2e-7,
 "tasks": )" FARFIELD_TASKS R"(},
{"code": "Farfield", "version": ")" FARFIELD_VERSION R"(", "setting_is": "tolerance", "ours": true,
 "settings": ["1e-3", "1e-6", "1e-9", "1e-12"], "leaves": [0], "outputs": "potential and gradient",
 "precision": "chosen", "modes": ["tolerance"],
 "tasks": )" FARFIELD_TASKS R"(}])";

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Input parse(int count, char** words) {
  std::map<std::string, std::string> given;
  for (int i = 1; i + 1 < count; i += 2) given[words[i]] = words[i + 1];
  Input in;
  in.code = given["--code"], in.file = given["--input"], in.output = given["--output"], in.jobs = given["--jobs"];
  in.n = std::atoll(given["--n"].c_str());
  in.task = given["--task"];
  in.vectors = in.task == "densities" ? 3 : 1;
  in.threads = std::atoi(given["--threads"].c_str()), in.repeat = std::atoi(given["--repeat"].c_str());
  if (in.n < 1 || in.jobs.empty()) throw std::runtime_error("--n and --jobs are needed; see README.md");
  return in;
}

std::vector<Job> split(const std::string& text) {
  std::vector<Job> jobs;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const std::size_t slash = item.find('/');
    if (slash == std::string::npos) throw std::runtime_error("'" + item + "' is not SETTING/LEAF or SETTING/LEAF/AIM");
    jobs.push_back({item.substr(0, slash), std::atoll(item.c_str() + slash + 1)});
    const std::size_t second = item.find('/', slash + 1);
    if (second != std::string::npos) jobs.back().aim = std::atof(item.c_str() + second + 1);
  }
  return jobs;
}

void read(Input& in) {
  const auto n = static_cast<std::size_t>(in.n), all = n * static_cast<std::size_t>(in.vectors);
  in.points.resize(3 * n), in.strengths.resize(all), in.dipoles.resize(in.task == "dipoles" ? 3 * n : 0);
  in.potential.resize(all), in.gradient.resize(3 * all), in.hessian.resize(in.task == "hessian" ? 6 * n : 0);
  std::ifstream file(in.file, std::ios::binary);
  for (std::vector<double>* part : {&in.points, &in.strengths, &in.dipoles})
    file.read(reinterpret_cast<char*>(part->data()), std::streamsize(8 * part->size()));
  if (!file) throw std::runtime_error(in.file + " does not hold what task " + in.task + " needs");
}

void write(const Input& in) {
  if (in.output.empty()) return;
  std::ofstream out(in.output, std::ios::binary);
  for (const std::vector<double>* part : {&in.potential, &in.gradient, &in.hessian})
    out.write(reinterpret_cast<const char*>(part->data()), std::streamsize(8 * part->size()));
  if (!out) throw std::runtime_error("cannot write " + in.output);
}

/// A degree fixes accuracy and `aim` the rest; a tolerance leaves everything, precision included, to Farfield.
Options options_of(const Input& in, const Job& job) {
  Options o;
  o.gradient = true, o.threads = in.threads, o.leaf_size = job.leaf;
  o.hessian = !in.hessian.empty(), o.dipoles = !in.dipoles.empty(), o.densities = static_cast<int>(in.vectors);
  if (in.code == "Farfield") {
    o.tolerance = std::atof(job.setting.c_str());
    return o;
  }
  o.method = Method::fmm, o.degree = std::atoi(job.setting.c_str()), o.tolerance = job.aim;
  o.precision = in.code == "Farfield single" ? Precision::single_ : Precision::double_;
  return o;
}

Report evaluate(Input& in, const Job& job) {
  Plan plan(points(in.points), options_of(in, job));
  Strengths carried = strengths(in.strengths, in.n, in.vectors);
  if (!in.dipoles.empty()) carried = with_dipoles(carried, in.dipoles);
  void* const hessian = in.hessian.empty() ? nullptr : in.hessian.data();
  return plan.evaluate(carried, {.potential = in.potential.data(), .gradient = in.gradient.data(), .hessian = hessian});
}

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void print(const Job& job, const Report& r, double first, const std::vector<double>& seconds) {
  std::printf("{\"setting\": \"%s\", \"leaf\": %lld, \"setup_s\": 0, \"first_s\": %.6f, \"evaluate_s\": [",
              job.setting.c_str(), static_cast<long long>(job.leaf), first);
  for (std::size_t i = 0; i < seconds.size(); ++i) std::printf("%s%.6f", i ? ", " : "", seconds[i]);
  std::printf("], \"peak_mb\": %.1f, \"note\": \"%s, degree %d, leaf size %lld, %s, %s\", \"stages\": {",
              peak_megabytes(), r.precision.c_str(), r.degree, static_cast<long long>(r.leaf_size), r.m2l.c_str(),
              r.simd.c_str());
  std::map<std::string, double> stages;
  for (const StageReport& s : r.stages) stages[s.name] += s.seconds;
  const char* comma = "";
  for (const auto& [name, spent] : stages) std::printf("%s\"%s\": %.6f", comma, name.c_str(), spent), comma = ", ";
  std::puts("}}");
  std::fflush(stdout);
}

void compete(Input& in, const Job& job) {
  double start = now();
  Report report = evaluate(in, job);
  const double first = now() - start;
  std::vector<double> seconds;
  for (int i = 0; i < in.repeat; ++i) {
    start = now();
    report = evaluate(in, job);
    seconds.push_back(now() - start);
  }
  write(in);
  print(job, report, first, seconds);
}

}  // namespace

int main(int count, char** words) try {
  if (count == 2 && std::string(words[1]) == "--describe") return std::puts(describe) < 0;
  Input in = parse(count, words);
  read(in);
  for (const Job& job : split(in.jobs)) compete(in, job);
} catch (const std::exception& error) {
  std::fprintf(stderr, "farfield_peer: %s\n", error.what());
  return 1;
}
