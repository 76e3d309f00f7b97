// Read: Anchors (what is known of each side of a node), widened, Factoring, then the printing.
#include "languages/regex/rewrite.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "languages/regex/unicode.h"
#include "support/bounds.h"
#include "support/utf8.h"

namespace xg2lab::regex {
namespace {

constexpr size_t kMany = size_t{1} << 40;

// ^ or $, without flag m.
bool is_anchor(const Ast& ast, NodeId id) {
  const Node& node = ast[id];
  if (node.kind != NodeKind::kLookaround || !node.is_negative) return false;
  const Node& child = ast[node.children.front()];
  return child.kind == NodeKind::kClass && child.set == any();
}

// The lengths of the texts that a node matches.
struct Extent {
  bool may_be_empty;
  bool may_be_longer;
};

Extent extent_of(const Ast& ast, NodeId id) {
  const Node& node = ast[id];
  Extent extent{true, false};
  switch (node.kind) {
    case NodeKind::kClass: return {false, !node.set.empty()};
    case NodeKind::kLookaround: return extent;
    case NodeKind::kSequence:
      for (NodeId child : node.children) {
        const Extent part = extent_of(ast, child);
        extent.may_be_empty = extent.may_be_empty && part.may_be_empty;
        extent.may_be_longer = extent.may_be_longer || part.may_be_longer;
      }
      return extent;
    case NodeKind::kChoice:
      extent.may_be_empty = false;
      for (NodeId child : node.children) {
        const Extent part = extent_of(ast, child);
        extent.may_be_empty = extent.may_be_empty || part.may_be_empty;
        extent.may_be_longer = extent.may_be_longer || part.may_be_longer;
      }
      return extent;
    case NodeKind::kRepeat:
      extent = extent_of(ast, node.children.front());
      extent.may_be_empty = extent.may_be_empty || node.min == 0;
      return extent;
  }
  return extent;
}

enum class Certainty : uint8_t { kYes, kNo, kMaybe };

// Whether the node's match begins at the text's start, and whether it ends at the text's end.
struct Sides {
  Certainty is_first;
  Certainty is_last;
};

class Anchors {
 public:
  explicit Anchors(Ast& ast) : ast_(ast) {}

  NodeId settle(NodeId id, Sides sides) {
    const Node node = ast_[id];  // a copy: nodes are added
    switch (node.kind) {
      case NodeKind::kClass: return id;
      case NodeKind::kLookaround: return settle_lookaround(id, node, sides);
      case NodeKind::kSequence: return settle_sequence(id, node, sides);
      case NodeKind::kChoice: {
        std::vector<NodeId> children;
        for (NodeId child : node.children) {
          const NodeId settled = settle(child, sides);
          if (!is_nothing(settled)) children.push_back(settled);
        }
        return children == node.children ? id : ast_.add_choice(std::move(children), node.span);
      }
      case NodeKind::kRepeat: {
        if (node.max != 1) sides = {inner(sides.is_first), inner(sides.is_last)};
        const NodeId child = settle(node.children.front(), sides);
        if (child == node.children.front()) return id;
        if (is_nothing(child)) return node.min == 0 ? ast_.add_sequence({}, node.span) : child;
        return ast_.add_repeat(child, node.min, node.max, node.span);
      }
    }
    return id;
  }

 private:
  static Certainty inner(Certainty certainty) {
    return certainty == Certainty::kYes ? Certainty::kMaybe : certainty;
  }

  bool is_nothing(NodeId id) const {
    return ast_[id].kind == NodeKind::kClass && ast_[id].set.empty();
  }

  NodeId settle_lookaround(NodeId id, const Node& node, Sides sides) {
    if (!is_anchor(ast_, id)) return id;
    const Certainty certainty = node.is_ahead ? sides.is_last : sides.is_first;
    if (certainty == Certainty::kYes) return ast_.add_sequence({}, node.span);
    if (certainty == Certainty::kNo) return ast_.add_class({}, node.span);
    return id;
  }

  NodeId settle_sequence(NodeId id, const Node& node, Sides sides) {
    // After a part: certainly still at the edge of the text, certainly not, or unknown.
    const auto beyond = [this](Certainty certainty, NodeId part) {
      const Extent extent = extent_of(ast_, part);
      if (!extent.may_be_longer) return certainty;
      if (!extent.may_be_empty || certainty == Certainty::kNo) return Certainty::kNo;
      return Certainty::kMaybe;
    };
    std::vector<Sides> of_child(node.children.size(), sides);
    for (size_t i = 1; i < of_child.size(); ++i) {
      of_child[i].is_first = beyond(of_child[i - 1].is_first, node.children[i - 1]);
    }
    for (size_t i = of_child.size(); i-- > 1;) {
      of_child[i - 1].is_last = beyond(of_child[i].is_last, node.children[i]);
    }
    std::vector<NodeId> children;
    bool changed = false;
    for (size_t i = 0; i < node.children.size(); ++i) {
      const NodeId settled = settle(node.children[i], of_child[i]);
      if (is_nothing(settled)) return settled;
      changed = changed || settled != node.children[i];
      const Node& part = ast_[settled];
      if (part.kind == NodeKind::kSequence && part.children.empty()) changed = true;
      else children.push_back(settled);
    }
    return changed ? ast_.add_sequence(std::move(children), node.span) : id;
  }

  Ast& ast_;
};

// ---- Searching ----

// Whether an anchor may be at the node's edge.
bool may_be_tied(const Ast& ast, NodeId id, bool is_ahead) {
  const Node& node = ast[id];
  if (is_anchor(ast, id)) return node.is_ahead == is_ahead;
  if (node.children.empty()) return false;
  if (node.kind == NodeKind::kSequence) {
    return may_be_tied(ast, is_ahead ? node.children.back() : node.children.front(), is_ahead);
  }
  return node.kind == NodeKind::kChoice &&
         std::any_of(node.children.begin(), node.children.end(),
                     [&](NodeId child) { return may_be_tied(ast, child, is_ahead); });
}

// Adds any text before the node (is_ahead false) or after it, except where an anchor ties the node
// to the edge.
NodeId widened(Ast& ast, NodeId id, bool is_ahead) {
  const Node node = ast[id];
  if (!may_be_tied(ast, id, is_ahead)) {
    const NodeId text = ast.add_repeat(ast.add_class(any(), node.span), 0, kNoMost, node.span);
    if (is_ahead) return ast.add_sequence({id, text}, node.span);
    return ast.add_sequence({text, id}, node.span);
  }
  std::vector<NodeId> children = node.children;
  if (node.kind == NodeKind::kSequence) {
    NodeId& edge = is_ahead ? children.back() : children.front();
    edge = widened(ast, edge, is_ahead);
    return ast.add_sequence(std::move(children), node.span);
  }
  if (node.kind != NodeKind::kChoice) return id;  // the anchor itself
  const auto free = std::stable_partition(children.begin(), children.end(), [&](NodeId child) {
    return may_be_tied(ast, child, is_ahead);
  });
  const std::vector<NodeId> others(free, children.end());
  children.erase(free, children.end());
  for (NodeId& child : children) child = widened(ast, child, is_ahead);
  if (!others.empty()) {
    children.push_back(widened(ast, ast.add_choice(others, node.span), is_ahead));
  }
  return ast.add_choice(std::move(children), node.span);
}

// Factors the common prefixes of alternatives: foo|fob becomes fo(?:o|b). After "any text" every
// alternative is tried at every position, so their number matters.
class Factoring {
 public:
  explicit Factoring(Ast& ast) : ast_(ast) {}

  NodeId factor(NodeId id) {
    Node node = ast_[id];
    for (NodeId& child : node.children) child = factor(child);
    if (node.kind == NodeKind::kChoice) {
      std::vector<Parts> branches;
      for (NodeId child : node.children) branches.push_back(parts_of(child));
      return choice(branches, 0, node.span);
    }
    return node.children == ast_[id].children ? id : ast_.add(std::move(node));
  }

 private:
  using Parts = std::vector<NodeId>;
  static constexpr size_t kMostDepth = 100;

  Parts parts_of(NodeId id) const {
    return ast_[id].kind == NodeKind::kSequence ? ast_[id].children : Parts{id};
  }

  bool equal(NodeId a, NodeId b) const {
    return ast_[a].kind == NodeKind::kClass && ast_[b].kind == NodeKind::kClass &&
           ast_[a].set == ast_[b].set;
  }

  NodeId choice(const std::vector<Parts>& branches, size_t depth, SourceSpan span) {
    std::vector<std::vector<Parts>> groups;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>>
        by_first;  // index: first range of a set
    for (const Parts& branch : branches) {
      const bool is_plain = !branch.empty() && ast_[branch[0]].kind == NodeKind::kClass &&
                            !ast_[branch[0]].set.empty() && depth < kMostDepth;
      if (!is_plain) {
        groups.push_back({branch});
        continue;
      }
      const CodePointRange first = ast_[branch[0]].set.front();
      auto& candidates = by_first[{first.lo, first.hi}];
      const auto same = std::find_if(candidates.begin(), candidates.end(), [&](size_t group) {
        return equal(groups[group][0][0], branch[0]);
      });
      if (same != candidates.end()) {
        groups[*same].push_back(branch);
      } else {
        candidates.push_back(groups.size());
        groups.push_back({branch});
      }
    }
    std::vector<NodeId> children;
    for (const auto& group : groups) children.push_back(common(group, depth, span));
    return ast_.add_choice(std::move(children), span);
  }

  // The common prefix of a group of branches, then a choice of the rests.
  NodeId common(const std::vector<Parts>& group, size_t depth, SourceSpan span) {
    if (group.size() == 1) return ast_.add_sequence(group[0], span);
    const auto is_common = [&](size_t at) {
      return std::all_of(group.begin(), group.end(), [&](const Parts& branch) {
        return at < branch.size() && equal(branch[at], group[0][at]);
      });
    };
    size_t n_common = 1;
    while (n_common < group[0].size() && is_common(n_common)) ++n_common;
    const auto split = static_cast<ptrdiff_t>(n_common);
    Parts parts(group[0].begin(), group[0].begin() + split);
    std::vector<Parts> rests;
    for (const Parts& branch : group) rests.emplace_back(branch.begin() + split, branch.end());
    parts.push_back(choice(rests, depth + 1, span));
    return ast_.add_sequence(std::move(parts), span);
  }

  Ast& ast_;
};

// ---- Lazy repetitions ----

bool has_lazy(const Ast& ast, NodeId id) {
  const Node& node = ast[id];
  return node.is_lazy || std::any_of(node.children.begin(), node.children.end(),
                                     [&](NodeId child) { return has_lazy(ast, child); });
}

// The trick: inside a lookahead laziness makes no difference, so the following part is used there
// in its original form, and the result doesn't double with each lazy repetition.
class Lazy {
 public:
  explicit Lazy(Ast& ast) : ast_(ast) {}

  // `next`: the part that follows the node, in its original form.
  NodeId settle(NodeId id, NodeId next) {
    if (!has_lazy(ast_, id)) return id;
    const Node node = ast_[id];  // a copy: nodes are added
    switch (node.kind) {
      case NodeKind::kClass:
      case NodeKind::kLookaround: return id;
      case NodeKind::kSequence: {
        std::vector<NodeId> children = node.children;
        for (size_t i = children.size(); i-- > 0;) {
          const NodeId written = node.children[i];
          children[i] = settle(written, next);
          next = ast_.add_sequence({written, next}, node.span);
        }
        return ast_.add_sequence(std::move(children), node.span);
      }
      case NodeKind::kChoice: {
        std::vector<NodeId> children = node.children;
        for (NodeId& child : children) child = settle(child, next);
        return ast_.add_choice(std::move(children), node.span);
      }
      case NodeKind::kRepeat: return settle_repeat(id, node, next);
    }
    return id;
  }

 private:
  NodeId settle_repeat(NodeId id, const Node& node, NodeId next) {
    const NodeId child = node.children.front();
    const NodeId round = settle(child, ast_.add_sequence({id, next}, node.span));
    if (!node.is_lazy) return ast_.add_repeat(round, node.min, node.max, node.span);
    // The required rounds; then further rounds, each only where the following part doesn't match.
    const NodeId stop = ast_.add_lookaround(next, true, true, node.span);
    const NodeId more = ast_.add_sequence({stop, round}, node.span);
    const uint32_t most = node.max == kNoMost ? kNoMost : node.max - node.min;
    const NodeId rest = ast_.add_repeat(more, 0, most, node.span);
    if (node.min == 0) return rest;
    return ast_.add_sequence({ast_.add_repeat(round, node.min, node.min, node.span), rest},
                             node.span);
  }

  Ast& ast_;
};

// ---- Printing ----

enum class Binding { kChoice, kSequence, kRepeated };

void append_code_point(std::string& out, uint32_t code_point, std::string_view special) {
  const bool is_special =
      code_point < 0x80 && special.find(static_cast<char>(code_point)) != std::string_view::npos;
  if (is_special) {
    out += '\\';
    out += static_cast<char>(code_point);
  } else if (is_printable(code_point)) {
    append_utf8(out, code_point);
  } else {
    out += "\\u{";
    std::string digits;
    for (uint32_t rest = code_point; rest > 0 || digits.empty(); rest >>= 4) {
      digits.insert(digits.begin(), "0123456789ABCDEF"[rest & 0xFu]);
    }
    out += digits + "}";
  }
}

void append_ranges(std::string& out, const CodePointSet& set) {
  constexpr std::string_view kSpecial = "\\]^-[";
  for (const CodePointRange& range : set) {
    append_code_point(out, range.lo, kSpecial);
    if (range.hi == range.lo) continue;
    if (range.hi > range.lo + 1) out += '-';
    append_code_point(out, range.hi, kSpecial);
  }
}

void append_class(std::string& out, const CodePointSet& set) {
  if (set.size() == 1 && set[0].lo == set[0].hi) {
    append_code_point(out, set[0].lo, "\\^$.*+?()[]{}|/");
    return;
  }
  const bool is_negated = !set.empty() && set.back().hi == kMaxCodePoint;
  out += is_negated ? "[^" : "[";
  append_ranges(out, is_negated ? complement(set) : set);
  out += ']';
}

void append(std::string& out, const Ast& ast, NodeId id, Binding context);

// Without surrounding parentheses.
void append_bare(std::string& out, const Ast& ast, NodeId id) {
  const Node& node = ast[id];
  switch (node.kind) {
    case NodeKind::kClass: append_class(out, node.set); return;
    case NodeKind::kSequence:
      for (NodeId child : node.children) append(out, ast, child, Binding::kSequence);
      return;
    case NodeKind::kChoice:
      for (size_t i = 0; i < node.children.size(); ++i) {
        if (i > 0) out += '|';
        append(out, ast, node.children[i], Binding::kSequence);
      }
      return;
    case NodeKind::kRepeat:
      append(out, ast, node.children.front(), Binding::kRepeated);
      out += repetition_text(node.min, node.max);
      return;
    case NodeKind::kLookaround:
      if (is_anchor(ast, id)) {
        out += node.is_ahead ? '$' : '^';
        return;
      }
      out += node.is_ahead ? "(?" : "(?<";
      out += node.is_negative ? '!' : '=';
      append(out, ast, node.children.front(), Binding::kChoice);
      out += ')';
      return;
  }
}

void append(std::string& out, const Ast& ast, NodeId id, Binding context) {
  const NodeKind kind = ast[id].kind;
  const bool is_loose = (kind == NodeKind::kChoice && context != Binding::kChoice) ||
                        (kind != NodeKind::kClass && context == Binding::kRepeated);
  if (is_loose) out += "(?:";
  append_bare(out, ast, id);
  if (is_loose) out += ')';
}

}  // namespace

NodeId searched(Ast& ast, NodeId node) {
  node = Factoring(ast).factor(node);
  return widened(ast, widened(ast, node, false), true);
}

NodeId settle_anchors(Ast& ast, NodeId node) {
  return Anchors(ast).settle(node, {Certainty::kYes, Certainty::kYes});
}

NodeId settle_lazy(Ast& ast, NodeId node) {
  if (!has_lazy(ast, node)) return node;
  return Lazy(ast).settle(node, ast.add_sequence({}, ast[node].span));
}

bool has_lookarounds(const Ast& ast, NodeId id) {
  const Node& node = ast[id];
  return node.kind == NodeKind::kLookaround ||
         std::any_of(node.children.begin(), node.children.end(),
                     [&](NodeId child) { return has_lookarounds(ast, child); });
}

size_t n_characters(const Ast& ast, NodeId id) {
  const Node& node = ast[id];
  size_t n = node.kind == NodeKind::kClass ? 1 : 0;
  for (NodeId child : node.children) n = std::min(n + n_characters(ast, child), kMany);
  if (node.kind != NodeKind::kRepeat) return n;
  return std::min(n * (node.max == kNoMost ? std::max(node.min, 1u) : node.max), kMany);
}

bool has_large_repeat(const Ast& ast, NodeId id, uint32_t most) {
  const Node& node = ast[id];
  const bool is_large =
      node.kind == NodeKind::kRepeat && (node.max == kNoMost ? node.min : node.max) > most;
  return is_large || std::any_of(node.children.begin(), node.children.end(),
                                 [&](NodeId child) { return has_large_repeat(ast, child, most); });
}

std::string print(const Ast& ast, NodeId node) {
  std::string out;
  append(out, ast, node, Binding::kChoice);
  return out;
}

}  // namespace xg2lab::regex
