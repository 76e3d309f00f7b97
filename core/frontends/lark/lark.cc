// Read: parse_nested, the table of contents; Classifier determines the kinds of the rules' nodes.
#include "frontends/lark/lark.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "frontends/lark/embedded.h"
#include "frontends/lark/lexing.h"
#include "frontends/lark/resolve.h"
#include "frontends/lark/writer.h"
#include "support/budget.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab {
namespace lark {
namespace {

constexpr size_t kMostErrors = 200;

bool is_lazy_rule(const Definition& definition) {
  return !definition.is_terminal &&
         ((definition.options && definition.options->is_lazy) || definition.suffix);
}

// Determines the kinds of the nodes in the rules' bodies.
class Classifier {
 public:
  Classifier(const Reading& reading, const Tree& tree, const Resolved& resolved,
             Terminals& terminals, Embedded& embedded)
      : reading_(reading),
        tree_(tree),
        resolved_(resolved),
        terminals_(terminals),
        embedded_(embedded),
        leaves(tree.nodes.size()),
        is_seen_(tree.nodes.size()) {}

  void classify(NodeId root) {
    visit(root);
    for (const Definition& definition : resolved_.definitions) {
      if (!definition.is_terminal && !is_lazy_rule(definition)) visit(definition.body);
    }
  }

 private:
  const Reading& reading_;
  const Tree& tree_;
  const Resolved& resolved_;
  Terminals& terminals_;
  Embedded& embedded_;

 public:
  std::vector<Leaf> leaves;          // index: NodeId
  std::vector<Opaque> opaque;        // index: Leaf::index
  std::vector<NodeId> opaque_nodes;  // likewise

 private:
  std::vector<bool> is_seen_;  // index: NodeId
  size_t n_seen_ = 0;

  void visit(NodeId id) {
    // An argument of a template occurs at several places.
    if (is_seen_[id.index()]) return;
    is_seen_[id.index()] = true;
    if (++n_seen_ % 1024 == 0) check_budget("reading the nodes of rules");
    const Node& node = tree_[id];
    Leaf& leaf = leaves[id.index()];
    switch (node.kind) {
      case NodeKind::kText:
        if (!node.text.empty()) leaf = {LeafKind::kTerminal, terminals_.of_node(id)};
        return;
      case NodeKind::kPattern:
      case NodeKind::kRange: leaf = {LeafKind::kTerminal, terminals_.of_node(id)}; return;
      case NodeKind::kName: return visit_name(id, node);
      case NodeKind::kAnd:
      case NodeKind::kNot:
        reading_.findings().report("terminal_not_regular",
                                   "`&` and `~` are allowed in terminals only", node.span,
                                   "give this part a name in capitals");
        return;
      case NodeKind::kTokens:
      case NodeKind::kGrammar:
      case NodeKind::kNested:
      case NodeKind::kJson:
      case NodeKind::kSubstring: return add_opaque(id, node);
      default:
        for (NodeId child : node.children) visit(child);
    }
  }

  void visit_name(NodeId id, const Node& node) {
    const size_t index = resolved_.by_name.at(node.text);
    const Definition& definition = resolved_.definitions[index];
    const Node& body = tree_[definition.body];
    Leaf& leaf = leaves[id.index()];
    if (definition.is_terminal && body.kind == NodeKind::kSubstring) return add_opaque(id, body);
    if (definition.is_terminal) leaf = {LeafKind::kTerminal, terminals_.of_node(id)};
    else if (is_lazy_rule(definition))
      leaf = {LeafKind::kTerminal, terminals_.of_lazy_rule(definition)};
    else leaf = {LeafKind::kRule, static_cast<uint32_t>(index)};
  }

  void add_opaque(NodeId id, const Node& node) {
    leaves[id.index()] = {LeafKind::kOpaque, static_cast<uint32_t>(opaque.size())};
    opaque.push_back(embedded_.of(node));
    opaque_nodes.push_back(id);
  }
};

std::vector<TerminalId> ignored_of(const Reading& reading, const Tree& tree,
                                   const Resolved& resolved, Terminals& terminals) {
  std::vector<TerminalId> ignored;
  for (NodeId body : resolved.ignored) {
    const Node& node = tree[body];
    const bool is_missing = node.kind == NodeKind::kSequence && node.children.empty();
    if (is_missing || (node.kind == NodeKind::kText && node.text.empty())) {
      reading.findings().report("empty_ignore", "this %ignore names nothing", node.span,
                                "name a terminal");
      continue;
    }
    ignored.push_back(terminals.of_node(body));
  }
  return ignored;
}

// The definitions that a text needs.
std::vector<bool> used_definitions(const Tree& tree, const Resolved& resolved) {
  std::vector<bool> is_used(resolved.definitions.size());
  std::vector<NodeId> pending(resolved.ignored);
  const auto use = [&](size_t index) {
    if (is_used[index]) return;
    is_used[index] = true;
    pending.push_back(resolved.definitions[index].body);
    if (const auto suffix = resolved.definitions[index].suffix) pending.push_back(*suffix);
  };
  use(resolved.start);
  while (!pending.empty()) {
    const Node& node = tree[pending.back()];
    pending.pop_back();
    pending.insert(pending.end(), node.children.begin(), node.children.end());
    if (node.kind == NodeKind::kName) use(resolved.by_name.at(node.text));
  }
  return is_used;
}

void warn_unused(const Reading& reading, const Resolved& resolved, const std::vector<bool>& is_used,
                 GrammarBuilder& builder) {
  for (size_t i = 0; i < is_used.size(); ++i) {
    const Definition& definition = resolved.definitions[i];
    const bool is_own = reading.source().slice(definition.name_span) == definition.name;
    if (is_used[i] || !is_own) continue;
    builder.add_diagnostic({"unused_rule", Severity::kWarning,
                            concat(definition.is_terminal ? "terminal " : "rule ",
                                   quoted(definition.name), " is not used"),
                            definition.name_span, "remove it, or refer to it"});
  }
}

NodeId reference_to_start(Tree& tree, const Resolved& resolved) {
  const Definition& start = resolved.definitions[resolved.start];
  Node root;
  root.kind = NodeKind::kName;
  root.text = start.name;
  root.span = start.name_span;
  return tree.add(std::move(root));
}

class Reader {
 public:
  Reader(std::string text, const LarkOptions& options, size_t depth)
      : options_(options),
        depth_(depth),
        source_(std::make_shared<const SourceText>(std::move(text), "grammar")) {}

  Grammar read() {
    const auto lexer = lexer_named(options_.lexer);
    if (!lexer) {
      throw Error(ErrorKind::kArgumentError, "there is no lexer " + quoted(options_.lexer),
                  "the lexers are contextual, basic, dynamic and dynamic_complete");
    }
    check_text();
    const Reading reading(source_->text(), "grammar", std::nullopt, findings_);
    const ResolveContext context{
        {tree_, options_.special_token}, options_.named_text, options_.start};
    auto resolved = resolve(reading, context);
    raise();
    const NodeId root = reference_to_start(tree_, *resolved);
    builder_.set_source(source_);
    Terminals terminals(reading, tree_, *resolved);
    Embedded embedded({builder_, reading, options_, depth_});
    Classifier classifier(reading, tree_, *resolved, terminals, embedded);
    classifier.classify(root);
    const auto ignored = ignored_of(reading, tree_, *resolved, terminals);
    terminals.finish();
    raise();
    const auto opaque_may_be_empty = [&](NodeId id) {
      return classifier.opaque[classifier.leaves[id.index()].index].may_be_empty;
    };
    const std::vector<bool> is_used = used_definitions(tree_, *resolved);
    Neighbours neighbours({tree_, *resolved, terminals, is_used, root}, classifier.leaves,
                          classifier.opaque.size(), opaque_may_be_empty);
    std::vector<Diagnostic> warnings;
    const auto lexing = find_lexing(
        {reading, terminals, neighbours, ignored, tree_.nodes.size(), *lexer}, warnings);
    raise();
    const auto rule = write_rules(builder_,
                                  {reading, tree_, *resolved, terminals, neighbours, *lexing,
                                   classifier.opaque, root, depth_ > 0},
                                  options_.work);
    if (LarkWork* work = options_.work) {
      work->n_nodes += tree_.nodes.size();
      work->n_neighbour_steps += neighbours.n_steps();
      work->n_set_words += neighbours.sets().n_words();
      work->n_lexer_cells += lexing->n_cells;
      work->n_exprs += builder_.n_exprs();
    }
    raise();
    for (Diagnostic& warning : warnings) builder_.add_diagnostic(std::move(warning));
    warn_unused(reading, *resolved, is_used, builder_);
    return std::move(builder_).build(*rule);
  }

 private:
  void check_text() {
    if (source_->text().size() > kMostTextBytes) {
      throw Error(ErrorKind::kLimitError,
                  concat("the grammar has more than ", kMostTextBytes, " bytes"), "split it");
    }
    if (const auto at = find_invalid_utf8(source_->text())) {
      const auto begin = static_cast<uint32_t>(*at);
      findings_.report("invalid_utf8", "the grammar is not valid UTF-8", {begin, begin + 1},
                       "encode it as UTF-8");
      raise();
    }
  }

  void raise() {
    if (!findings_.is_empty()) std::move(findings_).raise(*source_);
  }

  const LarkOptions& options_;
  size_t depth_;
  std::shared_ptr<const SourceText> source_;
  Findings findings_{kMostErrors};
  Tree tree_;
  GrammarBuilder builder_;
};

}  // namespace

Grammar parse_nested(std::string text, const LarkOptions& options, size_t depth) {
  return Reader(std::move(text), options, depth).read();
}

}  // namespace lark

Grammar parse_lark(std::string text, const LarkOptions& options) {
  return lark::parse_nested(std::move(text), options, 0);
}

}  // namespace xg2lab
