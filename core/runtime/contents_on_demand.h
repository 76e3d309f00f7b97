// The contents of a structural tag, each compiled when a text needs it.
//
// Tests: tests/structural_tag/test_contents_on_demand.py
//
// IDEA
//   A request may bring hundreds of tools, and its text calls a few of them. So the grammar is first
//   compiled with all tags and no contents. A parse that would read a content which its program
//   lacks throws ContentsNeeded: in free text no token reaches a content, at the end of a tag's
//   beginning some do. The matcher then moves to a program that has this content too, by reading its
//   text again, and asks again. So every answer is that of the whole grammar.
//
//   What shows states (explanations, charts, `CompiledGrammar.program()`, serialization) uses the
//   whole grammar, compiled at the first such call, so that their numbers belong to one program.
//
// COST      with n tags, the first program costs as much as their beginnings; each content that a
//           text needs costs as much again, once for all matchers.
// THREADS   any thread; made_ is guarded by mutex_.
// SEE ALSO  docs/design/0064-contents-on-demand.md
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace xg2lab {

class CompiledGrammar;

class ContentsOnDemand {
 public:
  using Compiled = std::shared_ptr<CompiledGrammar>;
  // Compiles the grammar with these contents, ascending.
  using Compile = std::function<Compiled(std::span<const uint32_t> present)>;

  ContentsOnDemand(size_t n_contents, Compile compile)
      : n_contents_(n_contents), compile_(std::move(compile)) {}

  // The grammar with the contents `present` and `needed`. The whole grammar, if they are many: it
  // then costs less than the programs that would still follow.
  Compiled with(std::span<const uint32_t> present, std::span<const uint32_t> needed);
  Compiled whole();
  bool is_whole(const CompiledGrammar& compiled) const;

  // Of the programs that are kept.
  size_t memory_size_bytes() const;

 private:
  // Under mutex_.
  Compiled made(std::vector<uint32_t> contents);

  const size_t n_contents_;
  const Compile compile_;

  struct Made {
    std::vector<uint32_t> contents;
    Compiled compiled;
  };
  mutable std::mutex mutex_;
  std::list<Made> made_;  // guarded by mutex_; the latest first
  Compiled whole_;        // guarded by mutex_
};

}  // namespace xg2lab
