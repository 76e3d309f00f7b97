// Read: check_arguments, then Checker::mapping (one mapping) and the functions for each kind.
#include "templates/arguments.h"

#include <algorithm>
#include <map>

#include "support/bounds.h"
#include "support/budget.h"
#include "support/findings.h"
#include "support/json_value.h"
#include "support/suggest.h"
#include "support/text.h"
#include "support/utf8.h"

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

class Checker {
 public:
  Checker(const Template& of, const std::vector<Scope>& scopes, const ArgumentLimits& limits)
      : of_(of), scopes_(scopes), limits_(limits) {}

  std::vector<ArgumentIssue> check(const Argument& arguments) {
    mapping(arguments, {0}, "", 0);
    return std::move(issues_);
  }

 private:
  bool is_full() const { return issues_.size() >= limits_.n_issues; }

  void report(const char* code, std::string message, std::string hint, SourceSpan span,
              const std::string& pointer) {
    if (!is_full()) issues_.push_back({code, std::move(message), std::move(hint), span, pointer});
  }

  // A mapping fills the slots of all `scopes`: of several, if several Each read its list.
  void mapping(const Argument& given, const std::vector<size_t>& scopes, const std::string& pointer,
               size_t depth) {
    count_work("checking the arguments", given.members.size() + 1);
    for (const SlotFacts& slot : slots_of(scopes)) {
      if (is_full()) return;
      const Argument* argument = given.find(slot.name);
      if (argument != nullptr) {
        filling(*argument, slot, concat(pointer, "/", pointer_part(slot.name)), depth);
      } else {
        report("missing_argument", concat("there is no argument ", quoted(slot.name)),
               concat("give it ", wanted(slot.kind)), slot.uses.front(), pointer);
      }
    }
    for (const auto& [name, argument] : given.members) unknown(name, scopes, pointer);
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
        for (size_t element : slot.elements) {
          if (std::ranges::find(known->elements, element) == known->elements.end())
            known->elements.push_back(element);
        }
      }
    }
    return slots;
  }

  void unknown(const std::string& name, const std::vector<size_t>& scopes,
               const std::string& pointer) {
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
           concat(pointer, "/", pointer_part(name)));
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

  void wrong_kind(const Argument& argument, const SlotFacts& slot, const std::string& pointer) {
    report("wrong_argument", concat(quoted(slot.name), " is ", kind_name(argument)),
           concat("give it ", wanted(slot.kind)), slot.uses.front(), pointer);
  }

  void filling(const Argument& argument, const SlotFacts& slot, const std::string& pointer,
               size_t depth) {
    switch (slot.kind) {
      case HoleKind::kText:
        if (argument.kind != Argument::kText) wrong_kind(argument, slot, pointer);
        return;
      case HoleKind::kOneOf: return texts(argument, slot, pointer);
      case HoleKind::kRepeat:
      case HoleKind::kIfZero: return count(argument, slot, pointer);
      case HoleKind::kIf:
        if (argument.kind != Argument::kFlag) wrong_kind(argument, slot, pointer);
        return;
      case HoleKind::kEach: return elements(argument, slot, pointer, depth);
      case HoleKind::kUse:
        if (argument.kind != Argument::kGrammar) wrong_kind(argument, slot, pointer);
        return;
      case HoleKind::kValue: return value(argument, slot, pointer);
      case HoleKind::kValues: return values(argument, slot, pointer);
    }
  }

  // JSON's values are what Python's json module takes, and whole.
  void value(const Argument& argument, const SlotFacts& slot, const std::string& pointer) {
    count_work("checking the arguments", 1);
    const auto refuse = [&](std::string what) {
      report("wrong_argument", concat(quoted(slot.name), " holds ", what, ", which JSON hasn't"),
             concat("give it ", wanted(slot.kind)), slot.uses.front(), pointer);
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
          value(argument.items[i], slot, concat(pointer, "/", i));
        return;
      case Argument::kMapping:
        for (const auto& [name, member] : argument.members) {
          if (find_invalid_utf8(name)) refuse("a name that is not UTF-8");
          value(member, slot, concat(pointer, "/", pointer_part(name)));
        }
        return;
      case Argument::kGrammar:
      case Argument::kOther: return refuse(kind_name(argument));
    }
  }

  void values(const Argument& argument, const SlotFacts& slot, const std::string& pointer) {
    if (argument.kind != Argument::kList) return wrong_kind(argument, slot, pointer);
    if (argument.items.empty()) {
      report("empty_choice", concat(quoted(slot.name), " is an empty list: nothing can be chosen"),
             "give it at least one value", slot.uses.front(), pointer);
    }
    count_elements(argument.items.size());
    value(argument, slot, pointer);
  }

  void texts(const Argument& argument, const SlotFacts& slot, const std::string& pointer) {
    if (argument.kind != Argument::kList) return wrong_kind(argument, slot, pointer);
    if (argument.items.empty()) {
      report("empty_choice", concat(quoted(slot.name), " is an empty list: nothing can be chosen"),
             "give it at least one text", slot.uses.front(), pointer);
    }
    count_elements(argument.items.size());
    for (size_t i = 0; i < argument.items.size() && !is_full(); ++i) {
      if (argument.items[i].kind == Argument::kText) continue;
      report("wrong_argument", concat("item ", i, " is ", kind_name(argument.items[i])),
             "give it a text", slot.uses.front(), concat(pointer, "/", i));
    }
  }

  void count(const Argument& argument, const SlotFacts& slot, const std::string& pointer) {
    if (argument.kind != Argument::kInteger) return wrong_kind(argument, slot, pointer);
    if (argument.integer >= 0 && argument.integer <= int64_t{kMostRepetitions}) return;
    report("bad_count", concat(quoted(slot.name), " is ", argument.text),
           concat("give it a number from 0 to ", kMostRepetitions), slot.uses.front(), pointer);
  }

  void elements(const Argument& argument, const SlotFacts& slot, const std::string& pointer,
                size_t depth) {
    if (argument.kind != Argument::kList) return wrong_kind(argument, slot, pointer);
    if (depth >= limits_.nesting) {
      report("nesting_too_deep",
             concat("lists are nested deeper than ", limits_.nesting, " levels"),
             "give the lists less depth", slot.uses.front(), pointer);
      return;
    }
    count_elements(argument.items.size());
    for (size_t i = 0; i < argument.items.size() && !is_full(); ++i) {
      const std::string place = concat(pointer, "/", i);
      if (argument.items[i].kind == Argument::kMapping) {
        mapping(argument.items[i], slot.elements, place, depth + 1);
      } else {
        report("wrong_argument", concat("item ", i, " is ", kind_name(argument.items[i])),
               "give it a mapping from the names of slots to arguments", slot.uses.front(), place);
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
