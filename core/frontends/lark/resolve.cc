// Read: Resolver::load (a document and its imports), rewrite (the names of a body), instance (the
// use of a template).
#include "frontends/lark/resolve.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "frontends/lark/library.h"
#include "support/budget.h"
#include "support/interned_rows.h"
#include "support/suggest.h"
#include "support/text.h"

namespace xg2lab::lark {
namespace {

constexpr size_t kMostKeyBytes = 100'000;  // of a template's arguments
constexpr size_t kMostNodes = 2'000'000;
constexpr size_t kMostCompared = 500'000;  // names compared, for suggestions

// Maps a name in a document to its name in the result.
using Scope = std::map<std::string, std::string, std::less<>>;
using Arguments = std::map<std::string, NodeId, std::less<>>;

struct Entry {
  Definition definition;
  std::shared_ptr<const Scope> scope;
  Arguments arguments;  // of an instantiated template; resolved
  // the bodies that %extend adds
  std::vector<std::pair<NodeId, std::shared_ptr<const Scope>>> more;
  size_t n_around = 0;  // number of nested template uses that lead here
};

class Resolver {
 public:
  Resolver(const Reading& reading, const ResolveContext& context)
      : reading_(reading), context_(context), tree_(context.parse.tree) {}

  std::optional<Resolved> resolve() {
    load(parse(reading_, context_.parse), reading_, "");
    rewrite_all();
    const auto start = known_.find(context_.start);
    if (start == known_.end() || entries_[start->second].definition.is_terminal) {
      report_start();
      return std::nullopt;
    }
    if (const Definition& asked = entries_[start->second].definition; !asked.params.empty()) {
      reading_.findings().report(
          "bad_template", quoted(asked.name) + " is a template, and its arguments are unknown",
          asked.name_span,
          "begin with a rule that uses it, such as  first: " + asked.name + "{...}");
      return std::nullopt;
    }
    // Templates are dropped: their uses are rules of their own.
    for (Entry& entry : entries_) {
      if (!entry.definition.params.empty()) continue;
      result_.by_name.emplace(entry.definition.name, result_.definitions.size());
      result_.definitions.push_back(std::move(entry.definition));
    }
    result_.start = result_.by_name.at(std::string(context_.start));
    return std::move(result_);
  }

 private:
  // ---- Documents ----

  // Adds the definitions of a document and of its imports, under names that begin with `prefix`.
  void load(const Document& document, const Reading& reading, const std::string& prefix) {
    auto scope = std::make_shared<Scope>();
    for (const Import& import : document.imports) {
      for (const ImportedName& name : import.names) {
        (*scope)[name.alias] = imported(import, name, reading);
      }
    }
    for (const Declared& declared : document.declared) {
      if (scope->contains(declared.name)) continue;
      (*scope)[declared.name] = prefix + declared.name;
      declared_.emplace(prefix + declared.name, declared);
    }
    for (const Definition& definition : document.definitions) {
      if (definition.kind == DefinitionKind::kDefine)
        (*scope)[definition.name] = prefix + definition.name;
    }
    for (const Definition& definition : document.definitions) {
      define(definition, scope, reading, prefix);
    }
    if (!prefix.empty()) return;
    result_.ignored = document.ignored;
    root_scope_ = scope;
  }

  // The name in the result of an imported definition.
  std::string imported(const Import& import, const ImportedName& name, const Reading& reading) {
    const std::string module = join(import.path, ".");
    const std::string full = module + "." + name.name;
    if (!is_loaded(module, import, reading)) {
      missing_.insert(full);
    } else if (!known_.contains(full) && !missing_.contains(full)) {
      report_unknown_import(module, name, reading);
      missing_.insert(full);
    }
    return full;
  }

  // Loads a grammar to import from. Returns false if it doesn't exist or is still being loaded (it
  // imports itself).
  bool is_loaded(const std::string& module, const Import& import, const Reading& reading) {
    const auto known = loaded_.find(module);
    if (known != loaded_.end()) return known->second;
    loaded_.emplace(module, false);
    const std::string common(common_terminals());
    const std::string* text = context_.named_text ? context_.named_text(module) : nullptr;
    if (text == nullptr && module == "common") text = &common;
    if (text == nullptr || loaded_.size() > kMostImports) {
      reading.findings().report(
          "unknown_import", "there is no grammar " + quoted(module) + " to import from",
          reading.in_grammar(import.span),
          "pass its text: named_grammars={\"" + module + "\": \"...\"}; only `common` is built in");
      return false;
    }
    const Reading inner(*text, module, reading.in_grammar(import.span), reading.findings());
    load(parse(inner, context_.parse), inner, module + ".");
    loaded_[module] = true;
    return true;
  }

  void report_unknown_import(const std::string& module, const ImportedName& name,
                             const Reading& reading) {
    if (reading.findings().is_full()) return;
    std::vector<std::string_view> names;
    for (const Entry& entry : entries_) {
      const std::string_view full = entry.definition.name;
      const bool is_inside = full.starts_with(module + ".");
      if (is_inside) names.push_back(full.substr(module.size() + 1));
    }
    const auto near = suggestion(name.name, names);
    reading.findings().report("unknown_import", quoted(module) + " defines no " + quoted(name.name),
                              name.span,
                              near ? "did you mean " + quoted(*near) + "?"
                                   : "define it, or import it from another grammar");
  }

  // ---- Definitions ----

  void define(Definition definition, const std::shared_ptr<const Scope>& scope,
              const Reading& reading, const std::string& prefix) {
    const std::string local = definition.name;
    const auto meant = scope->find(local);
    definition.name = meant == scope->end() ? prefix + local : meant->second;
    const auto known = known_.find(definition.name);
    if (definition.kind != DefinitionKind::kDefine) {
      if (known != known_.end())
        return change(entries_[known->second], std::move(definition), scope);
      reading.findings().report(
          "undefined_rule",
          "there is no " + quoted(local) + " to " +
              (definition.kind == DefinitionKind::kExtend ? "extend" : "override"),
          definition.name_span, "import it, or define it without the directive");
      return;
    }
    if (known != known_.end()) return report_duplicate(local, definition, known->second);
    if (definition.is_terminal && !definition.params.empty()) {
      reading.findings().report(
          "unsupported_template",
          "terminal " + quoted(local) + " is a template, which is not supported",
          definition.name_span, "write a rule, or the terminal once for each use");
      definition.params.clear();
    }
    known_.emplace(definition.name, entries_.size());
    entries_.push_back({std::move(definition), scope, {}, {}});
  }

  static void change(Entry& older, Definition newer, const std::shared_ptr<const Scope>& scope) {
    if (newer.kind == DefinitionKind::kExtend) {
      older.more.emplace_back(newer.body, scope);
      return;
    }
    newer.name = older.definition.name;
    older = {std::move(newer), scope, {}, {}};
  }

  void report_duplicate(const std::string& name, const Definition& again, size_t first) {
    const SourceSpan before = entries_[first].definition.name_span;
    const SourcePosition earlier = reading_.source().position(before.begin);
    reading_.findings().report(
        "duplicate_rule", quoted(name) + " is defined twice", again.name_span,
        concat("the first definition is at line ", earlier.line, ", column ", earlier.column,
               "; join the two with |, or write %override or %extend"));
  }

  void report_start() {
    const std::string name(context_.start);
    std::vector<std::string_view> rules;
    for (const Entry& entry : entries_) {
      if (!entry.definition.is_terminal) rules.push_back(entry.definition.name);
    }
    const auto near = closest_name(name, rules);
    reading_.findings().report(
        "missing_root", "rule " + quoted(name) + " is not defined", {0, 0},
        near ? "did you mean " + quoted(*near) + "? Its name can be given: start=\"" + *near + "\""
             : "the text is a match of this rule: write " + name + ": ...");
  }

  // ---- Names within bodies ----

  void rewrite_all() {
    for (size_t i = 0; i < entries_.size(); ++i) {  // uses of templates append entries
      if (!entries_[i].definition.params.empty()) continue;
      const Entry entry = entries_[i];
      n_around_ = entry.n_around;
      if (i % 256 == 0) check_budget("resolving the names of a Lark grammar");
      NodeId body = rewrite(entry.definition.body, *entry.scope, entry.arguments);
      if (!entry.more.empty()) {
        Node choice;
        choice.kind = NodeKind::kChoice;
        choice.span = entry.definition.span;
        choice.children = {body};
        for (const auto& [more, scope] : entry.more) {
          choice.children.push_back(rewrite(more, *scope, entry.arguments));
        }
        body = tree_.add(std::move(choice));
      }
      entries_[i].definition.body = body;
      if (!entry.definition.suffix) continue;
      const NodeId suffix = rewrite(*entry.definition.suffix, *entry.scope, entry.arguments);
      entries_[i].definition.suffix = suffix;
    }
    for (NodeId& body : result_.ignored) body = rewrite(body, *root_scope_, {});
  }

  // Copies a node with names of the result, and with arguments in place of parameters. Only nodes
  // of a template's body are used again.
  NodeId rewrite(NodeId id, const Scope& scope, const Arguments& arguments) {
    if (tree_.nodes.size() > kMostNodes) {
      report_too_large(tree_[id].span);
      return id;
    }
    if (tree_.nodes.size() % 4096 == 0) check_budget("resolving the names of a Lark grammar");
    Node node = arguments.empty() ? std::move(tree_.nodes[id.index()]) : tree_[id];
    if (node.kind == NodeKind::kName) {
      const auto argument = arguments.find(node.text);
      if (argument != arguments.end()) return argument->second;
      if (const auto name = name_of(node, scope)) node.text = *name;
      else return tree_.add({});
      return tree_.add(std::move(node));
    }
    for (NodeId& child : node.children) child = rewrite(child, scope, arguments);
    if (node.kind == NodeKind::kTemplate) return instance(std::move(node), scope);
    return tree_.add(std::move(node));
  }

  // Nothing if the name is undefined, which is reported.
  std::optional<std::string> name_of(const Node& node, const Scope& scope) {
    const auto meant = scope.find(node.text);
    const std::string name = meant == scope.end() ? node.text : meant->second;
    const auto known = meant == scope.end() ? known_.end() : known_.find(name);
    if (known != known_.end()) {
      const Definition& definition = entries_[known->second].definition;
      if (definition.params.empty() || node.kind == NodeKind::kTemplate) return name;
      reading_.findings().report("bad_template",
                                 quoted(node.text) + " is a template without arguments", node.span,
                                 "write " + node.text + "{...}");
      return std::nullopt;
    }
    if (missing_.contains(name)) return std::nullopt;  // reported at the import
    const auto declared = declared_.find(name);
    if (declared != declared_.end()) {
      if (missing_.insert(name).second) {
        reading_.findings().report(
            "unsupported_declared", quoted(node.text) + " is declared, but no text defines it",
            declared->second.span,
            "a program after Lark's lexer makes such terminals, like Python's indentation: "
            "define " +
                node.text + ": ... in its place");
      }
      return std::nullopt;
    }
    report_undefined(node, scope);
    return std::nullopt;
  }

  // Each call compares all names.
  std::optional<std::string> suggestion(std::string_view name,
                                        const std::vector<std::string_view>& names) {
    n_compared_ += names.size();
    return n_compared_ > kMostCompared ? std::nullopt : closest_name(name, names);
  }

  void report_undefined(const Node& node, const Scope& scope) {
    if (reading_.findings().is_full()) return;
    const bool is_terminal = is_terminal_name(node.text);
    std::vector<std::string_view> names;
    for (const auto& [local, full] : scope) {
      if (is_terminal_name(local) == is_terminal) names.push_back(local);
    }
    const auto near = suggestion(node.text, names);
    std::string hint =
        near ? "did you mean " + quoted(*near) + "?" : "define it: " + node.text + ": ...";
    const bool is_common =
        !near && std::string(common_terminals()).find("\n" + node.text + ":") != std::string::npos;
    if (is_common) hint = "write %import common." + node.text;
    reading_.findings().report(
        "undefined_rule",
        concat(is_terminal ? "terminal " : "rule ", quoted(node.text), " is not defined"),
        node.span, std::move(hint));
  }

  // ---- Templates ----

  // A reference to the rule for these arguments, which are resolved already.
  NodeId instance(Node node, const Scope& scope) {
    const std::string written = node.text;
    const auto name = name_of(node, scope);
    if (!name) return tree_.add({});
    const size_t at = known_.at(*name);
    if (entries_[at].definition.params.size() != node.children.size()) {
      const size_t n_params = entries_[at].definition.params.size();
      reading_.findings().report(
          "bad_template",
          quoted(written) + (n_params == 0 ? " is not a template"
                                           : concat(" has ", n_params, " parameters, not ",
                                                    node.children.size())),
          node.span, n_params == 0 ? "write " + written : "give it that many arguments");
      return tree_.add({});
    }
    std::vector<uint32_t> key{static_cast<uint32_t>(at)};
    size_t n_bytes = name->size();
    for (NodeId argument : node.children) {
      const Shape shape = shape_of(argument);
      key.push_back(shape.id);
      n_bytes += shape.n_bytes;
    }
    if (n_bytes > kMostKeyBytes) {
      report_too_large(node.span);
      return tree_.add({});
    }
    const auto [use, is_new] = uses_.add(key);
    if (is_new) {
      if (instances_.size() >= kMostInstances || n_around_ >= kMostTemplates) {
        report_too_large(node.span);
        instances_.emplace_back();
        return tree_.add({});
      }
      instances_.push_back(make_instance(at, node));
    }
    const std::string& known = instances_[use];
    if (known.empty()) return tree_.add({});  // already reported
    node.kind = NodeKind::kName;
    node.text = known;
    node.children.clear();
    return tree_.add(std::move(node));
  }

  std::string make_instance(size_t at, const Node& use) {
    Entry made = entries_[at];
    std::string name = made.definition.name;
    for (NodeId argument : use.children) {
      if (tree_[argument].kind == NodeKind::kName) name += "-" + tree_[argument].text;
    }
    const std::string wanted = name;
    size_t& n_named = n_named_.emplace(wanted, 1).first->second;
    while (known_.contains(name)) name = concat(wanted, "-", ++n_named);
    for (size_t i = 0; i < use.children.size(); ++i) {
      made.arguments[made.definition.params[i]] = use.children[i];
    }
    made.definition.params.clear();
    made.definition.name = name;
    made.n_around = n_around_ + 1;
    known_.emplace(name, entries_.size());
    entries_.push_back(std::move(made));
    return name;
  }

  void report_too_large(SourceSpan span) {
    if (is_too_large_) return;
    is_too_large_ = true;
    const bool are_many = instances_.size() >= kMostInstances || tree_.nodes.size() > kMostNodes;
    reading_.findings().report(
        "template_too_large",
        are_many ? concat("templates make more than ", kMostInstances, " rules of this one")
                 : "templates use each other too deep, or with arguments that are too large",
        span, "a template that uses itself with ever new arguments never ends");
  }

  // The id of a tree of nodes (equal trees have equal ids), and its size when written out. Since an
  // argument may occur twice in the next, sizes may double while the ids stay few.
  struct Shape {
    uint32_t id = kNoShape;
    uint32_t n_bytes = 0;
  };
  static constexpr uint32_t kNoShape = UINT32_MAX;

  // Arguments are resolved and are not changed.
  Shape shape_of(NodeId id) {
    if (shapes_.size() < tree_.nodes.size()) shapes_.resize(tree_.nodes.size());
    if (shapes_[id.index()].id != kNoShape) return shapes_[id.index()];
    const Node& node = tree_[id];
    std::string own = own_key(node);
    size_t n_bytes = own.size();
    const auto known = own_keys_.emplace(std::move(own), static_cast<uint32_t>(own_keys_.size()));
    std::vector<uint32_t> row{known.first->second};
    for (NodeId child : node.children) {
      const Shape shape = shape_of(child);
      row.push_back(shape.id);
      n_bytes += shape.n_bytes;
    }
    const auto most = static_cast<size_t>(UINT32_MAX / 2);
    return shapes_[id.index()] = {trees_.add(row).id,
                                  static_cast<uint32_t>(std::min(n_bytes, most))};
  }

  static std::string own_key(const Node& node) {
    std::string key =
        concat(static_cast<int>(node.kind), node.ignores_case ? "i" : "", ":", node.text.size(),
               ":", node.text, "/", node.flags, "/", node.min, ",", node.max, "(");
    for (TokenId token : node.tokens.ids) key += concat(token.value, " ");
    if (node.tokens.is_negated) key += '^';
    for (const std::string& chunk : node.chunks) key += concat(chunk.size(), ":", chunk);
    key += ')';
    return key;
  }

  const Reading& reading_;
  const ResolveContext& context_;
  Tree& tree_;
  Resolved result_;
  std::vector<Entry> entries_;
  std::map<std::string, size_t, std::less<>> known_;       // names in the result
  std::map<std::string, Declared, std::less<>> declared_;  // terminals that no definition follows
  std::set<std::string, std::less<>> missing_;             // undefined names that were reported
  std::map<std::string, bool, std::less<>>
      loaded_;  // grammars requested so far; whether they exist
  // Templates and their arguments, interned.
  std::vector<Shape> shapes_;  // index: NodeId
  std::unordered_map<std::string, uint32_t> own_keys_;
  InternedRows trees_;                  // a node's own key, then its children's shapes
  InternedRows uses_;                   // a template's entry, then its arguments' shapes
  std::vector<std::string> instances_;  // index: of uses_. The rule; empty: a mistake was reported
  std::unordered_map<std::string, size_t> n_named_;  // names of instances
  size_t n_compared_ = 0;                            // names compared so far
  std::shared_ptr<const Scope> root_scope_;
  size_t n_around_ = 0;  // nesting of the entry being rewritten
  bool is_too_large_ = false;
};

}  // namespace

std::optional<Resolved> resolve(const Reading& reading, const ResolveContext& context) {
  return Resolver(reading, context).resolve();
}

}  // namespace xg2lab::lark
