// The rest of a match as interned lists: partial derivatives of a grammar's expressions.
//
// Tests: tests/core/test_lookahead.py
//
// IDEA
//   A continuation is an expression, how far it has been matched, and the continuation after it.
//   One step decomposes the front: into bytes or tokens that it may begin with, into parts that may
//   replace it, or into a rule that comes next. Equal lists have equal ids, so a walk detects when
//   it returns to a continuation. Continuations are built lazily: x{65536} is one list, not 65536
//   states, and ("a" | "b")* leads back to itself and stays one list.
//
//   Members in any order are decomposed by the set of members already matched
//   (automata/member_sets.h), a dispatch by the state of its machine (dispatch/dispatch_machine.h).
//
//   A list ends in kNothingLeft or in a mark, a number by which the code that made the list knows
//   where to continue.
//
// COST      a step is linear in its result.   THREADS  one owner.
// NOT HERE  the meaning of a rule step: the walker decides whether to enter the rule.
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

// The possible decompositions of a continuation's front. Continuations::step clears and fills it.
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
  std::vector<ContinuationId> empties;  // each of these may stand for the whole continuation
  std::vector<Call> calls;
  Mark mark = kNoMark;  // set if the continuation is just this mark
};

// A reference to a rule, and the continuation after it within the caller's body.
struct Use {
  RuleId caller;
  RuleId callee;
  ExprId reference;
  ContinuationId next;
  bool is_first = false;  // nothing precedes the reference
};

class Continuations {
 public:
  explicit Continuations(const Grammar& grammar);

  // The continuation `expr`, then `next`.
  ContinuationId push(ExprId expr, ContinuationId next);
  ContinuationId marked(Mark mark);
  // The mark at the end of the list; kNoMark for kNothingLeft.
  Mark mark_of(ContinuationId id) const { return frames_[id.index()].mark; }
  void step(ContinuationId id, Steps& steps);
  // The references in one body, in the order of the text; `end` is the continuation after the body.
  std::vector<Use> uses_in(RuleId caller, ContinuationId end);

 private:
  // `at`: the children or bytes matched; in a class 4 * sequence + bytes matched; in a dispatch or
  // machine the state; for members in any order 0 before them, 1 after a member, 2 after a
  // separator. `min`, `max`: repetitions still required and permitted; for members in any order
  // `min` is the word of the members matched.
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
