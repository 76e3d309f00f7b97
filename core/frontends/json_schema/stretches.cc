// Read: StretchWalk, which follows all paths and stops at a second loop.
#include "frontends/json_schema/stretches.h"

#include <algorithm>
#include <cstdio>

namespace xg2lab::json_schema {
namespace {

constexpr size_t kMostPaths = 24;
constexpr size_t kMostSteps = 4'000;

class StretchWalk {
 public:
  StretchWalk(const CodePointDfa& dfa, uint32_t min, uint32_t max)
      : dfa_(dfa), min_(min), max_(max) {
    std::vector<std::vector<uint32_t>> sources(dfa.n_states());
    for (size_t i = 0; i < dfa.next.size(); ++i)
      sources[dfa.next[i]].push_back(static_cast<uint32_t>(i / dfa.alphabet.n_letters()));
    is_live_ = dfa.is_accepting;
    std::vector<uint32_t> agenda;
    for (uint32_t s = 0; s < dfa.n_states(); ++s) {
      if (is_live_[s]) agenda.push_back(s);
    }
    while (!agenda.empty()) {
      const uint32_t to = agenda.back();
      agenda.pop_back();
      for (uint32_t from : sources[to]) {
        if (is_live_[from]) continue;
        is_live_[from] = true;
        agenda.push_back(from);
      }
    }
    is_open_.assign(dfa.n_states(), false);
  }

  bool run() { return !is_live_[0] || visit(0); }
  std::vector<Path> paths() && { return std::move(paths_); }

 private:
  // The characters on edges from one state to another.
  CodePointSet characters(uint32_t from, uint32_t to) const {
    CodePointSet set;
    for (const Alphabet::Interval& interval : dfa_.alphabet.intervals()) {
      if (dfa_.step(from, interval.letter) == to) set.push_back({interval.lo, interval.hi});
    }
    return normal(std::move(set));
  }

  // Returns false if a path has two loops, or if there are too many paths.
  bool visit(uint32_t state) {
    if (++n_steps_ > kMostSteps) return false;
    const CodePointSet again = characters(state, state);
    const bool goes_round = !again.empty();
    if (goes_round && loop_) return false;
    if (goes_round) {
      loop_ = path_.size();
      path_.push_back({again, 0, kNoLongest});
    } else {
      is_open_[state] = true;
    }
    bool is_well = !dfa_.is_accepting[state] || end();
    std::vector<uint32_t> next;
    for (Letter letter = 0; letter < dfa_.alphabet.n_letters(); ++letter) {
      const uint32_t to = dfa_.step(state, letter);
      if (to != state && is_live_[to]) next.push_back(to);
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    for (uint32_t to : next) {
      if (!is_well || is_open_[to]) return false;
      path_.push_back({characters(state, to)});
      is_open_[state] = true;
      is_well = visit(to);
      is_open_[state] = false;
      path_.pop_back();
    }
    is_open_[state] = false;
    if (goes_round) {
      loop_.reset();
      path_.pop_back();
    }
    return is_well;
  }

  // Ends a path here: the loop makes up the rest of its length.
  bool end() {
    const auto n_fixed = static_cast<uint32_t>(path_.size() - (loop_ ? 1 : 0));
    if (n_fixed > max_ || (!loop_ && n_fixed < min_)) return true;
    if (paths_.size() >= kMostPaths) return false;
    Path& path = paths_.emplace_back(path_);
    if (!loop_) return true;
    Stretch& stretch = path[*loop_];
    stretch.min = min_ - std::min(min_, n_fixed);
    stretch.max = max_ == kNoLongest ? kNoLongest : max_ - n_fixed;
    return true;
  }

  const CodePointDfa& dfa_;
  const uint32_t min_;
  const uint32_t max_;
  std::vector<bool> is_live_;
  std::vector<bool> is_open_;  // state on the current path
  Path path_;
  std::optional<size_t> loop_;  // its index on the path
  size_t n_steps_ = 0;
  std::vector<Path> paths_;
};

// Joins neighbouring stretches of equal characters.
Path joined(const Path& path) {
  Path all;
  for (const Stretch& stretch : path) {
    if (stretch.max == 0) continue;
    if (all.empty() || all.back().set != stretch.set) {
      all.push_back(stretch);
      continue;
    }
    all.back().min += stretch.min;
    const bool has_end = all.back().max != kNoLongest && stretch.max != kNoLongest;
    all.back().max = has_end ? all.back().max + stretch.max : kNoLongest;
  }
  return all;
}

}  // namespace

std::optional<std::vector<Path>> paths_of_length(const CodePointDfa& dfa, uint32_t min,
                                                 uint32_t max) {
  StretchWalk walk(dfa, min, max);
  if (!walk.run()) return std::nullopt;
  std::vector<Path> paths = std::move(walk).paths();
  for (Path& path : paths) path = joined(path);
  return paths;
}

std::string class_words(const CodePointSet& set) {
  std::string words = "[";
  const auto add = [&](uint32_t code_point) {
    char text[16];
    std::snprintf(text, sizeof text, code_point > 0xFFFF ? "\\u{%x}" : "\\u%04x", code_point);
    words += text;
  };
  for (const CodePointRange& range : set) {
    add(range.lo);
    if (range.hi == range.lo) continue;
    words += '-';
    add(range.hi);
  }
  return words + "]";
}

}  // namespace xg2lab::json_schema
