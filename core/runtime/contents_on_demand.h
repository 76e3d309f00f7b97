// The contents of a structural tag, each compiled when a text needs it.
//
// Tests: tests/structural_tag/test_contents_on_demand.py
//
// IDEA
//   A request may bring hundreds of tools, and its text calls a few of them. So the grammar is first
//   compiled with all tags and no contents. A parse that would read a content which its program
//   lacks throws ContentsNeeded: in free text no token reaches a content, at the end of a tag's
//   beginning some do. Then a program is compiled that has this content and all that any text needed
//   before; the matcher moves to it, by reading its text again, and asks again. So every answer is
//   that of the whole grammar.
//
//   What shows states (explanations, charts, `CompiledGrammar.program()`, serialization) uses the
//   whole grammar, compiled at the first such call, so that their numbers belong to one program.
//
// COST      with n tags, each program costs as much as their beginnings and the contents that it
//           has. There is one for each content that some text of the grammar needs.
// THREADS   any thread.
// SEE ALSO  docs/design/0064-contents-on-demand.md
#pragma once

#include <cstdint>
#include <functional>
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

  // The program with which new matchers begin; null: none has been compiled for a text yet.
  Compiled latest() const;
  // A program with the contents `needed`; the whole grammar if these and those before are many.
  Compiled with(std::vector<uint32_t> needed);
  Compiled whole();
  bool is_whole(const CompiledGrammar& compiled) const;

  // Of the programs that are kept.
  size_t memory_size_bytes() const;

 private:
  Compiled made_whole();  // under mutex_
  std::vector<uint32_t> all() const;

  const size_t n_contents_;
  const Compile compile_;

  mutable std::mutex mutex_;       // guards the fields below
  std::vector<uint32_t> present_;  // the contents of latest_, ascending
  Compiled latest_;
  Compiled whole_;
};

}  // namespace xg2lab
