// Read: check_arguments, then Checker::mapping (one mapping) and the functions for each kind.
#include "templates/arguments.h"

#include <algorithm>
#include <map>
#include <optional>

#include "support/bounds.h"
#include "support/budget.h"
#include "support/findings.h"
#include "support/json_value.h"
#include "support/suggest.h"
#include "support/text.h"
#include "support/utf8.h"
#include "templates/spelled.h"

namespace xg2lab::templates {
namespace {

const char* kind_name(const Argument& argument) {
  switch (argument.kind) {
    case Argument::kText: return "a text";
    case Argument::kInteger: return "a number";
    case Argument::kNumber:
    case Argument::kNull: return argument.text.c_str();
    case Argument::kFlag: return "a truth value";
    case Argument::kList: return "a list";
    case Argument::kMapping: return "a mapping";
    case Argument::kGrammar: return "a Grammar";
    case Argument::kOther: return argument.text.c_str();
  }
  return "";
}

// A place in the arguments. Most are never written out, so a place refers to the one around it.
struct Place {
  const Place* around = nullptr;  // null: the request's mapping
  std::string_view name;          // of a member
  std::optional<size_t> item{};   // of a list; then there is no name

  std::string pointer() const {
    if (around == nullptr) return "";
    return concat(around->pointer(), "/", item ? std::to_string(*item) : pointer_part(name));
  }
};

class Checker {
 public:
  Checker(const Template& of, const std::vector<Scope>& scopes, const ArgumentLimits& limits)
      : of_(of), scopes_(scopes), limits_(limits) {}

  std::vector<ArgumentIssue> check(const Argument& arguments) {
    mapping(arguments, {0}, {}, 0);
    return std::move(issues_);
  }

 private:
  bool is_full() const { return issues_.size() >= limits_.n_issues; }

  void report(const char* code, std::string message, std::string hint, SourceSpan span,
              const Place& place) {
    if (!is_full())
      issues_.push_back({code, std::move(message), std::move(hint), span, place.pointer()});
  }

  // A mapping fills the slots of all `scopes`: of several, if several Each read its list.
  void mapping(const Argument& given, const std::vector<size_t>& scopes, const Place& place,
               size_t depth) {
    count_work("checking the arguments", given.members.size() + 1);
    for (const SlotFacts& slot : slots_of(scopes)) {
      if (is_full()) return;
      const Argument* argument = given.find(slot.name);
      if (argument != nullptr) {
        filling(*argument, slot, {&place, slot.name}, depth);
      } else {
        report("missing_argument", concat("there is no argument ", quoted(slot.name)),
               concat("give it ", wanted(slot.kind)), slot.uses.front(), place);
      }
    }
    for (const auto& [name, argument] : given.members) unknown(name, scopes, place);
  }

  // The slots of some scopes. Lists of one name are one slot, read by the rules of all of them.
  const std::vector<SlotFacts>& slots_of(const std::vector<size_t>& scopes) {
    if (scopes.size() == 1) return scopes_[scopes.front()].slots;
    const auto [made, is_new] = united_.try_emplace(scopes);
    std::vector<SlotFacts>& slots = made->second;
    if (!is_new) return slots;
    for (size_t scope : scopes) {
      for (const SlotFacts& slot : scopes_[scope].slots) {
        const auto is_same = [&](const SlotFacts& known) {
          return known.name == slot.name && known.kind == slot.kind;
        };
        const auto known = std::ranges::find_if(slots, is_same);
        if (known == slots.end()) {
          slots.push_back(slot);
          continue;
        }
        known->is_spelled = known->is_spelled || slot.is_spelled;
        for (size_t element : slot.elements) {
          if (std::ranges::find(known->elements, element) == known->elements.end())
            known->elements.push_back(element);
        }
      }
    }
    return slots;
  }

  void unknown(const std::string& name, const std::vector<size_t>& scopes, const Place& place) {
    std::vector<std::string_view> names;
    for (size_t scope : scopes) {
      if (scopes_[scope].find(name) != nullptr) return;
      for (const SlotFacts& slot : scopes_[scope].slots) names.emplace_back(slot.name);
    }
    const auto near = closest_name(name, names);
    const SourceSpan span = of_.grammar.rule(scopes_[scopes.front()].rule).name_span;
    std::string hint = names.empty() ? "there is no slot here; remove it"
                                     : concat("the slots are ", join_first(8, names, ", ", quoted));
    report("unknown_argument", concat("no slot is named ", quoted(name)),
           near ? concat("did you mean ", quoted(*near), "?") : std::move(hint), span,
           {&place, name});
  }

  static const char* wanted(HoleKind kind) {
    switch (kind) {
      case HoleKind::kText: return "a text";
      case HoleKind::kOneOf: return "a list of texts";
      case HoleKind::kRepeat: return "a number from 0 on";
      case HoleKind::kIf: return "True or False";
      case HoleKind::kEach: return "a list of mappings";
      case HoleKind::kUse: return "a Grammar";
      case HoleKind::kValue: return "a JSON value";
      case HoleKind::kValues: return "a list of JSON values";
      case HoleKind::kIfZero: return "a number from 0 on";
    }
    return "";
  }

  void wrong_kind(const Argument& argument, const SlotFacts& slot, const Place& place) {
    report("wrong_argument", concat(quoted(slot.name), " is ", kind_name(argument)),
           concat("give it ", wanted(slot.kind)), slot.uses.front(), place);
  }

  void filling(const Argument& argument, const SlotFacts& slot, const Place& place, size_t depth) {
    switch (slot.kind) {
      case HoleKind::kText:
        if (argument.kind != Argument::kText) return wrong_kind(argument, slot, place);
        return spelling(argument, slot, place);
      case HoleKind::kOneOf: return texts(argument, slot, place);
      case HoleKind::kRepeat:
      case HoleKind::kIfZero: return count(argument, slot, place);
      case HoleKind::kIf:
        if (argument.kind != Argument::kFlag) wrong_kind(argument, slot, place);
        return;
      case HoleKind::kEach: return elements(argument, slot, place, depth);
      case HoleKind::kUse:
        if (argument.kind != Argument::kGrammar) wrong_kind(argument, slot, place);
        return;
      case HoleKind::kValue: return value(argument, slot, place);
      case HoleKind::kValues: return values(argument, slot, place);
    }
  }

  // JSON's values are what Python's json module takes, and whole.
  void value(const Argument& argument, const SlotFacts& slot, const Place& place) {
    count_work("checking the arguments", 1);
    const auto refuse = [&](std::string what) {
      report("wrong_argument",
             concat(quoted(slot.name), " holds ", what, ", which is not a JSON value"),
             concat("give it ", wanted(slot.kind)), slot.uses.front(), place);
    };
    switch (argument.kind) {
      case Argument::kFlag:
      case Argument::kNull: return;
      case Argument::kText:
        if (find_invalid_utf8(argument.text)) refuse("bytes that are not UTF-8");
        return;
      case Argument::kInteger:
      case Argument::kNumber:
        if (argument.digits.empty()) refuse(argument.text);
        return;
      case Argument::kList:
        for (size_t i = 0; i < argument.items.size() && !is_full(); ++i)
          value(argument.items[i], slot, {&place, {}, i});
        return;
      case Argument::kMapping:
        for (const auto& [name, member] : argument.members) {
          if (find_invalid_utf8(name)) refuse("a name that is not UTF-8");
          value(member, slot, {&place, name});
        }
        return;
      case Argument::kGrammar:
      case Argument::kOther: return refuse(kind_name(argument));
    }
  }

  void values(const Argument& argument, const SlotFacts& slot, const Place& place) {
    if (argument.kind != Argument::kList) return wrong_kind(argument, slot, place);
    if (argument.items.empty()) {
      report("empty_choice", concat(quoted(slot.name), " is an empty list: nothing can be chosen"),
             "give it at least one value", slot.uses.front(), place);
    }
    count_elements(argument.items.size());
    value(argument, slot, place);
  }

  void spelling(const Argument& text, const SlotFacts& slot, const Place& place) {
    if (!slot.is_spelled || !text.in_tokens || text.in_tokens->mistake.empty()) return;
    report("misspelled_text", misspelled(text.text, text.in_tokens->mistake), kEncodeHint,
           slot.uses.front(), place);
  }

  void texts(const Argument& argument, const SlotFacts& slot, const Place& place) {
    if (argument.kind != Argument::kList) return wrong_kind(argument, slot, place);
    if (argument.items.empty()) {
      report("empty_choice", concat(quoted(slot.name), " is an empty list: nothing can be chosen"),
             "give it at least one text", slot.uses.front(), place);
    }
    count_elements(argument.items.size());
    for (size_t i = 0; i < argument.items.size() && !is_full(); ++i) {
      if (argument.items[i].kind == Argument::kText) {
        spelling(argument.items[i], slot, {&place, {}, i});
        continue;
      }
      report("wrong_argument", concat("item ", i, " is ", kind_name(argument.items[i])),
             "give it a text", slot.uses.front(), {&place, {}, i});
    }
  }

  void count(const Argument& argument, const SlotFacts& slot, const Place& place) {
    if (argument.kind != Argument::kInteger) return wrong_kind(argument, slot, place);
    if (argument.integer >= 0 && argument.integer <= int64_t{kMostRepetitions}) return;
    report("bad_count", concat(quoted(slot.name), " is ", argument.text),
           concat("give it a number from 0 to ", kMostRepetitions), slot.uses.front(), place);
  }

  void elements(const Argument& argument, const SlotFacts& slot, const Place& place, size_t depth) {
    if (argument.kind != Argument::kList) return wrong_kind(argument, slot, place);
    if (depth >= limits_.nesting) {
      report("nesting_too_deep",
             concat("lists are nested deeper than ", limits_.nesting, " levels"),
             "nest the lists less deeply", slot.uses.front(), place);
      return;
    }
    count_elements(argument.items.size());
    for (size_t i = 0; i < argument.items.size() && !is_full(); ++i) {
      const Place item{&place, {}, i};
      if (argument.items[i].kind == Argument::kMapping) {
        mapping(argument.items[i], slot.elements, item, depth + 1);
      } else {
        report("wrong_argument", concat("item ", i, " is ", kind_name(argument.items[i])),
               "give it a mapping from the names of slots to arguments", slot.uses.front(), item);
      }
    }
  }

  void count_elements(size_t n) {
    n_elements_ += n;
    if (n_elements_ <= limits_.n_elements) return;
    throw Error(ErrorKind::kLimitError,
                concat("the arguments' lists have more than ", limits_.n_elements, " elements"),
                "split the request");
  }

  const Template& of_;
  const std::vector<Scope>& scopes_;
  const ArgumentLimits& limits_;
  std::map<std::vector<size_t>, std::vector<SlotFacts>> united_;  // by scopes
  std::vector<ArgumentIssue> issues_;
  size_t n_elements_ = 0;
};

}  // namespace

namespace {

void add_json(const Argument& argument, JsonBuilder& to) {
  switch (argument.kind) {
    case Argument::kText: to.scalar(JsonKind::kString, argument.text); return;
    case Argument::kInteger:
    case Argument::kNumber: to.scalar(JsonKind::kNumber, argument.digits); return;
    case Argument::kFlag: to.scalar(argument.flag ? JsonKind::kTrue : JsonKind::kFalse); return;
    case Argument::kList:
      to.begin(JsonKind::kArray, true);
      for (const Argument& item : argument.items) add_json(item, to);
      to.end();
      return;
    case Argument::kMapping:
      to.begin(JsonKind::kObject, true);
      for (const auto& [name, member] : argument.members) {
        to.key(name);
        add_json(member, to);
      }
      to.end();
      return;
    case Argument::kNull:
    case Argument::kGrammar:
    case Argument::kOther: to.scalar(JsonKind::kNull); return;
  }
}

}  // namespace

JsonDocument json_list(std::span<const Argument> values) {
  JsonBuilder builder;
  builder.begin_document();
  builder.begin(JsonKind::kArray, true);
  for (const Argument& value : values) add_json(value, builder);
  builder.end();
  return std::move(builder).build("argument");
}

const Argument* Argument::find(const std::string& name) const {
  const auto found = std::ranges::find(members, name, &std::pair<std::string, Argument>::first);
  return found == members.end() ? nullptr : &found->second;
}

std::vector<ArgumentIssue> check_arguments(const Template& of, const std::vector<Scope>& scopes,
                                           const Argument& arguments,
                                           const ArgumentLimits& limits) {
  return Checker(of, scopes, limits).check(arguments);
}

Error argument_error(const std::vector<ArgumentIssue>& issues, const SourceText& source) {
  std::vector<Diagnostic> diagnostics;
  for (const ArgumentIssue& issue : issues) {
    diagnostics.push_back(
        {issue.code, Severity::kError, issue.message, issue.span, issue.hint, issue.pointer});
  }
  return {ErrorKind::kTemplateArgumentError, std::move(diagnostics), source};
}

}  // namespace xg2lab::templates
