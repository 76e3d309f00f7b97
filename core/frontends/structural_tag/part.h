// A value of a JSON document as a document of its own, and the way back.
//
// Tests: tests/structural_tag/test_coverage.py
//
// IDEA
//   A schema within a structural tag is a document to its references. Its copy has the same values in the same order, so the n-th value
//   of the one is the n-th of the other, and a place in the copy is found again outside.
//
// INVARIANTS
//   I1  value k of the copy is value first + k of the whole: both are numbered in the order of the text
#pragma once

#include "support/json_value.h"

namespace xg2lab::structural_tag {

class Part {
 public:
  Part(const JsonDocument& whole, JsonId first);

  const JsonDocument& document() const { return document_; }
  // The last value of the part that begins, or whose key does, at this byte of its source or before.
  JsonId value_at(uint32_t begin) const;
  // Where a span of the part's source is in that of the whole.
  SourceSpan span_outside(SourceSpan within) const;

 private:
  const JsonDocument& whole_;
  JsonId first_;
  JsonDocument document_;
};

}  // namespace xg2lab::structural_tag
