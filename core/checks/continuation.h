// What is left to match, as interned lists: partial derivatives of a grammar's expressions.
//
// Tests: tests/core/test_lookahead.py
//
// IDEA
//   A continuation is an expression, how far it has been matched, and the continuation after it.
//   One step takes the front apart: into bytes or tokens it may begin with, into parts that may stand
//   for it, or into a rule that comes next. Equal lists have equal ids, so a walk that returns to a place
//   finds out. Nothing is built before a walk gets there: after x{65536} stands one list, not 65536
//   states; but ("a" | "b")* steps back into itself and stays one list as well.
//
//   Members in any order are taken apart by the set of those that were matched (automata/member_sets.h).
//
//   A dispatch is taken apart by its machine (dispatch/dispatch_machine.h): how far it has been matched
//   is a state.
//
//   A list ends in nothing (kNothingLeft) or in a mark: a number by which its maker knows where to
//   go on.
//
// COST      a step is linear in its result.   THREADS  one owner.
// NOT HERE  what a rule step means: the walker enters the rule, or doesn't.
// SEE ALSO  Antimirov 1996, "Partial derivatives of regular expressions".
#pragma once

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "automata/utf8.h"
#include "dispatch/dispatch_machine.h"
#include "grammar/grammar.h"

namespace xg2lab::checks {

using ContinuationId = Id<struct ContinuationTag>;
constexpr ContinuationId kNothingLeft{0u};

using Mark = uint32_t;
constexpr Mark kNoMark = 0;

// What the front of a continuation may be. Cleared and filled by Continuations::step.
struct Steps {
  struct Bytes {
    ByteRange range;
    ContinuationId to;
  };
  struct Call {
    RuleId rule;
    ContinuationId to;
  };
  struct Token {
    const TokenSet* set;
    ContinuationId to;
  };
  std::vector<Bytes> bytes;
  std::vector<Token> tokens;
  std::vector<ContinuationId> empties;  // any of these stands for the whole
  std::vector<Call> calls;
  Mark mark = kNoMark;  // the continuation is this mark alone
};

// One reference to a rule, and what follows it within the caller's body.
struct Use {
  RuleId caller;
  RuleId callee;
  ExprId reference;
  ContinuationId next;
  bool is_first = false;  // nothing stands before it
};

class Continuations {
 public:
  explicit Continuations(const Grammar& grammar);

  // `expr`, then `next`.
  ContinuationId push(ExprId expr, ContinuationId next);
  ContinuationId marked(Mark mark);
  // The mark that a list ends in; kNoMark for kNothingLeft.
  Mark mark_of(ContinuationId id) const { return frames_[id.index()].mark; }
  void step(ContinuationId id, Steps& steps);
  // The uses in one body, in the order of the text; `end` is what follows the body.
  std::vector<Use> uses_in(RuleId caller, ContinuationId end);

 private:
  // `at`: children or bytes done; in a class the byte reached, as 4 * sequence + byte; in a dispatch
  // or a machine the state; of members in any order 0 before them, 1 after a member, 2 after a separator.
  // `min`, `max`: repetitions still needed and allowed. `min`: of members in any order, those matched.
  struct Frame {
    ExprId expr;
    uint32_t at = 0;
    uint32_t min = 0;
    uint32_t max = 0;
    ContinuationId next;
    Mark mark = kNoMark;
    bool is_mark = false;
    friend auto operator<=>(const Frame&, const Frame&) = default;
  };
  struct FrameHash {
    size_t operator()(const Frame& frame) const noexcept;
  };

  ContinuationId intern(Frame frame);
  ContinuationId again(const Frame& repeat);
  void step_class(const Frame& frame, Steps& steps);
  void step_dispatch(const Frame& frame, Steps& steps);
  void step_machine(const Frame& frame, Steps& steps);
  void step_any_order(const Frame& frame, Steps& steps);
  void uses_in_any_order(RuleId caller, Frame frame, std::vector<Use>& uses);
  MemberSets& member_sets(ExprId any_order);
  const DispatchMachine& machine_of(ExprId dispatch);

  const Grammar& grammar_;
  std::vector<Frame> frames_;
  std::unordered_map<Frame, ContinuationId, FrameHash> known_;
  std::unordered_map<ExprId, std::vector<Utf8Sequence>> classes_;
  std::unordered_map<ExprId, DispatchMachine> machines_;
  std::unordered_map<ExprId, MemberSets> member_sets_;
};

}  // namespace xg2lab::checks
