// What the engine knows of Unicode's characters, as runs. Made by tools/make_unicode_tables.py.
//
// NOT HERE  what the properties mean, and those that are made of others (unicode.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace xg2lab::regex {

struct ScriptRange {
  uint32_t lo;
  uint32_t hi;  // inclusive
  uint32_t script;
};

struct NamedSet {
  std::string_view name;  // small letters, without underscores
  uint32_t first;         // in kSetRuns: gaps and lengths by turns
  uint32_t count;
};

// `count` code points from `first` on, every `step`-th, fold to the one `distance` before them.
struct FoldRun {
  uint32_t first;
  uint32_t count;
  uint32_t step;
  uint32_t distance;
};

extern const std::span<const uint32_t> kGeneralCategories;  // length * 32 + category
extern const std::span<const uint32_t> kScripts;            // length * 256 + script
extern const std::span<const std::string_view>
    kScriptNames;  // index: script. Its names, the long one first
extern const std::span<const ScriptRange> kMoreScripts;   // in Script_Extensions, not in Script
extern const std::span<const ScriptRange> kFewerScripts;  // in Script, not in Script_Extensions
extern const std::span<const uint32_t> kSetRuns;
extern const std::span<const NamedSet> kSets;
extern const std::span<const FoldRun> kFoldRuns;

}  // namespace xg2lab::regex
