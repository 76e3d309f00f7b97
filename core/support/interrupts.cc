// Read: the handler, its installation before Python's and its removal, then the classes for
// threads.
#include "support/interrupts.h"

#include <atomic>
#include <csignal>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

namespace xg2lab {

#if defined(__linux__) || defined(__APPLE__)

namespace {

std::atomic<bool> has_come{false};
// Of the main thread.
struct sigaction before{};
bool stands = false;
// The handler that `before` holds; one of the two is null. They outlive the installation, since our
// handler may still run in another thread when the main thread's next call installs it again.
using Handler = void (*)(int);
using Action = void (*)(int, siginfo_t*, void*);
std::atomic<Handler> before_handler{nullptr};
std::atomic<Action> before_action{nullptr};

extern "C" void note_interrupt(int number, siginfo_t* info, void* context) {
  has_come.store(true, std::memory_order_relaxed);
  if (const Action action = before_action.load()) action(number, info, context);
  else if (const Handler handler = before_handler.load()) handler(number);
}

bool is_main_thread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return pthread_main_np() != 0;
#endif
}

bool is_ours(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == &note_interrupt;
}

// Installs the handler only before a handler function: if the process ignores SIGINT or is ended by
// it, that is left unchanged.
bool stand_before() {
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) != 0) return false;
  has_come.store(false, std::memory_order_relaxed);
  if (is_ours(now)) return stands = true;  // other code had reinstalled it
  const bool is_function =
      (now.sa_flags & SA_SIGINFO) != 0 || (now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN);
  if (!is_function) return false;
  before = now;
  const bool is_action = (now.sa_flags & SA_SIGINFO) != 0;
  before_action.store(is_action ? now.sa_sigaction : nullptr);
  before_handler.store(is_action ? nullptr : now.sa_handler);
  struct sigaction ours = now;
  ours.sa_flags |= SA_SIGINFO;
  ours.sa_sigaction = &note_interrupt;
  stands = sigaction(SIGINT, &ours, nullptr) == 0;
  return stands;
}

// A handler that other code has installed meanwhile is kept.
void go_away() {
  if (!stands) return;
  struct sigaction now{};
  if (sigaction(SIGINT, nullptr, &now) == 0 && is_ours(now)) sigaction(SIGINT, &before, nullptr);
  stands = false;
}

}  // namespace

void begin_to_hear() {
  const bool may_hear = is_main_thread() && stand_before();
  thread_work.hears = may_hear ? Hears::kInterrupts : Hears::kNothing;
}

bool is_interrupted() { return has_come.load(std::memory_order_relaxed); }

#else

namespace {
void go_away() {}
}  // namespace

void begin_to_hear() { thread_work.hears = Hears::kNothing; }
bool is_interrupted() { return false; }

#endif

// If a call is nested in another by way of Python, the outer call's handler stays.
Hearing::Hearing(Length length) : outer_(thread_work.hears) {
  if (outer_ != Hears::kInterrupts) thread_work.hears = Hears::kWhenLong;
  if (length == Length::kLong && thread_work.hears == Hears::kWhenLong) begin_to_hear();
}

Hearing::~Hearing() {
  if (outer_ != Hears::kInterrupts && thread_work.hears == Hears::kInterrupts) go_away();
  thread_work.hears = outer_;
}

Share Share::of_this_thread() {
  if (thread_work.hears == Hears::kWhenLong) begin_to_hear();
  return {thread_work.hears == Hears::kInterrupts ? Hears::kInterrupts : Hears::kNothing};
}

}  // namespace xg2lab
