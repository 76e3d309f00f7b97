// A value of a JSON document as a document of its own, with a mapping back.
//
// Tests: tests/structural_tag/test_coverage.py
//
// IDEA
//   References in a schema within a structural tag refer to that schema as a document. Its copy has
//   the same values in the same order, so the n-th value of the copy is the n-th value of the
//   original, which maps positions back. Equal values of other documents have the same copy, so a
//   copy may be kept.
//
// INVARIANTS
//   I1  value k of the copy is value first + k of the whole: both are numbered in the order of the
//       text
#pragma once

#include "support/json_value.h"

namespace xg2lab::structural_tag {

// A copy of the value.
JsonDocument document_of(const JsonDocument& whole, JsonId first);

class Part {
 public:
  // `copy`: what document_of makes of the value.
  Part(const JsonDocument& whole, JsonId first, const JsonDocument& copy)
      : whole_(whole), first_(first), document_(copy) {}

  // The last value of the part that starts, or whose key starts, at or before this byte of its
  // source.
  JsonId value_at(uint32_t begin) const;
  // Maps a span of the part's source to the source of the whole.
  SourceSpan span_outside(SourceSpan within) const;

 private:
  const JsonDocument& whole_;
  JsonId first_;
  const JsonDocument& document_;
};

}  // namespace xg2lab::structural_tag
