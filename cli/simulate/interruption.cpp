#include "cli/simulate/interruption.hpp"

#include <cstdlib>

namespace farfield::cli {
namespace {

volatile std::sig_atomic_t noted_signal = 0;

void note(int signal) { noted_signal = signal; }

void watch(int signal, struct sigaction& before) {
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction mine {};
  mine.sa_handler = note;
  mine.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  ::sigaction(signal, &mine, nullptr);
}

}  // namespace

Interruption::Interruption() {
  noted_signal = 0;
  watch(SIGINT, interrupt_);
  watch(SIGTERM, terminate_);
}

Interruption::~Interruption() {
  ::sigaction(SIGINT, &interrupt_, nullptr);
  ::sigaction(SIGTERM, &terminate_, nullptr);
}

bool Interruption::noted() const { return noted_signal != 0; }

void Interruption::pass_on() const {
  const int signal = noted_signal;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::_Exit(128 + signal);  // where the signal is blocked
}

}  // namespace farfield::cli
