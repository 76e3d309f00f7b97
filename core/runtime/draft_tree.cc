// Read: the order of the nodes, with all checks, then one pass over them. Parents precede their
// children.
#include "runtime/draft_tree.h"

#include <string>
#include <vector>

#include "support/bits.h"
#include "support/error.h"
#include "support/text.h"

namespace xg2lab {
namespace {

struct Visit {
  size_t node;
  size_t parent;
};

[[noreturn]] void refuse(std::string message, std::string hint) {
  throw Error(ErrorKind::kArgumentError, "draft tree: " + std::move(message), std::move(hint));
}

void check_index(const char* array, size_t at, int64_t index, size_t n_nodes) {
  if (-1 <= index && index < static_cast<int64_t>(n_nodes)) return;
  refuse(concat(array, "[", at, "] is ", index, "; the tree has ", n_nodes, " nodes"),
         "nodes count from 0; -1 means no node");
}

const Vocabulary& vocabulary_of(const Matcher& matcher) {
  return *matcher.compiled().tokens().vocabulary;
}

bool is_known_token(const Matcher& matcher, int64_t token) {
  return token >= 0 && static_cast<size_t>(token) < vocabulary_of(matcher).n_tokens();
}

// The nodes in depth-first order, parents first.
std::vector<Visit> visits(const DraftTree& tree, const Matcher& matcher) {
  const size_t n_nodes = tree.tokens.size();
  if (tree.first_child.size() != n_nodes || tree.next_sibling.size() != n_nodes) {
    refuse(concat("retrieve_next_token, retrieve_next_sibling and draft_tokens have ",
                  tree.first_child.size(), ", ", tree.next_sibling.size(), " and ", n_nodes,
                  " elements"),
           "give each an element for every node");
  }
  // All indices are checked before any of them is followed.
  for (size_t i = 0; i < n_nodes; ++i) {
    check_index("retrieve_next_token", i, tree.first_child[i], n_nodes);
    check_index("retrieve_next_sibling", i, tree.next_sibling[i], n_nodes);
  }
  std::vector<Visit> order;
  if (n_nodes == 0) return order;
  if (tree.next_sibling[0] != -1) {
    refuse(concat("the root has a sibling, node ", tree.next_sibling[0]),
           "node 0 is the text so far, and has no sibling: retrieve_next_sibling[0] must be -1");
  }
  std::vector<bool> is_known(n_nodes, false);
  std::vector<Visit> open{{0, 0}};
  const auto reach = [&](int64_t index, size_t parent) {
    if (index == -1) return;
    const auto node = static_cast<size_t>(index);
    if (node == 0 || is_known[node]) {
      refuse(concat("node ", node, " is reached twice"),
             "a node is the child of one parent; look for a cycle in the two index arrays");
    }
    is_known[node] = true;
    open.push_back({node, parent});
  };
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    order.push_back(visit);
    const int64_t token = tree.tokens[visit.node];
    if (matcher.is_strict() && visit.node != 0 && !is_known_token(matcher, token)) {
      throw Error(
          ErrorKind::kVocabularyError,
          concat("draft tree: draft_tokens[", visit.node, "] is ", token,
                 ", outside the vocabulary of ", vocabulary_of(matcher).n_tokens(), " tokens"),
          "only the root's token isn't read");
    }
    // The child is pushed last and so visited first: depth-first order.
    reach(tree.next_sibling[visit.node], visit.parent);
    reach(tree.first_child[visit.node], visit.node);
  }
  return order;
}

bool fill_nodes(const Matcher& matcher, const DraftTree& tree, const MaskRows& rows,
                const std::function<bool()>& is_over, std::span<float> temperatures) {
  std::vector<ColumnId> after(tree.tokens.size(), kDead);  // kDead: no token may follow
  for (const auto [node, parent] : visits(tree, matcher)) {
    // Rows are written in this order, so those after the time limit are unchanged.
    if (is_over()) return false;
    if (node == 0) {
      after[0] = matcher.has_stopped() ? kDead : matcher.column();
    } else if (after[parent] != kDead && is_known_token(matcher, tree.tokens[node])) {
      after[node] =
          matcher.column_after(after[parent], TokenId(static_cast<uint32_t>(tree.tokens[node])));
    }
    const std::span<uint32_t> row(rows.first + static_cast<int64_t>(node) * rows.stride,
                                  rows.n_words);
    if (!temperatures.empty()) {
      const auto active =
          after[node] == kDead ? std::nullopt : matcher.temperature_at(after[node]).value;
      temperatures[node] = active ? static_cast<float>(*active) : kNoTemperature;
    }
    if (after[node] == kDead) {
      fill_zeros(row);
    } else {
      matcher.fill_at(after[node], row);
    }
  }
  return true;
}

}  // namespace

bool fill_draft_tree(Matcher& matcher, const DraftTree& tree, const MaskRows& rows,
                     std::optional<std::chrono::nanoseconds> limit, std::span<float> temperatures) {
  const auto begin = std::chrono::steady_clock::now();
  const auto is_over = [&] { return limit && std::chrono::steady_clock::now() - begin > *limit; };
  return matcher.with_contents(
      [&] { return fill_nodes(matcher, tree, rows, is_over, temperatures); });
}

}  // namespace xg2lab
