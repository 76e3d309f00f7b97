// Read: bytes, ranges, edges, states.
#include "runtime/labels.h"

#include <algorithm>
#include <cstdio>

#include "runtime/dispatch_text.h"
#include "support/text.h"

namespace xg2lab {
namespace {

constexpr size_t kShownLabels = 3;

std::string class_byte(uint8_t byte) {
  if (byte == ']' || byte == '[' || byte == '-' || byte == '^')
    return concat('\\', static_cast<char>(byte));
  if (byte == '"') return "\"";
  return byte_text(byte);
}

// The source text of a class, such as [^"\\], if the edge was made from one class alone.
std::string class_in_source(const Program& program, std::span<const SourceSpan> spans) {
  if (spans.size() != 1) return "";
  const std::string_view words = program.source().slice(spans[0]);
  return words.size() > 2 && words.size() <= 24 && words.front() == '[' ? std::string(words) : "";
}

void add_unique(std::vector<std::string>& parts, const std::string& part) {
  if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
}

}  // namespace

std::string byte_text(uint8_t byte) {
  switch (byte) {
    case '\n': return "\\n";
    case '\r': return "\\r";
    case '\t': return "\\t";
    case '"': return "\\\"";
    case '\\': return "\\\\";
    default: break;
  }
  if (byte >= 0x20 && byte < 0x7F) return std::string(1, static_cast<char>(byte));
  char text[8];
  std::snprintf(text, sizeof text, "\\x%02X", byte);
  return text;
}

std::vector<ByteRange> union_of(std::vector<ByteRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](ByteRange a, ByteRange b) { return a.lo < b.lo; });
  std::vector<ByteRange> joined;
  for (ByteRange range : ranges) {
    if (!joined.empty() && range.lo <= joined.back().hi + 1) {
      joined.back().hi = std::max(joined.back().hi, range.hi);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

std::string ranges_text(std::span<const ByteRange> ranges) {
  if (ranges.size() == 1 && ranges[0].lo == ranges[0].hi) {
    return std::string(1, '"').append(byte_text(ranges[0].lo)).append(1, '"');
  }
  std::string text = "[";
  for (ByteRange range : ranges) {
    text += class_byte(range.lo);
    if (range.hi > range.lo + 1) text += "-";
    if (range.hi > range.lo) text += class_byte(range.hi);
  }
  return text + "]";
}

namespace {

std::vector<EdgeLabel> edge_labels(const Program& program) {
  std::vector<EdgeLabel> labels;
  for (size_t s = 0; s < program.n_states(); ++s) {
    const StateId from(s);
    const size_t first = labels.size();
    for (const TerminalEdge& edge : program.terminals(from)) {
      auto at = std::find_if(labels.begin() + static_cast<ptrdiff_t>(first), labels.end(),
                             [&](const EdgeLabel& label) { return label.to == edge.to; });
      if (at == labels.end()) {
        labels.push_back({from, edge.to, false, false, RuleId(), {}, "", {}});
        at = labels.end() - 1;
      }
      at->ranges.push_back(edge.range);
      for (SourceSpan span : program.spans(edge.origins)) {
        if (std::find(at->spans.begin(), at->spans.end(), span) == at->spans.end())
          at->spans.push_back(span);
      }
    }
    for (size_t i = first; i < labels.size(); ++i) {
      labels[i].ranges = union_of(std::move(labels[i].ranges));
      labels[i].text = class_in_source(program, labels[i].spans);
      if (labels[i].text.empty()) labels[i].text = ranges_text(labels[i].ranges);
    }
    if (program.is_before_token(from)) {
      const RuleId rule = program.rule_of(from);
      labels.push_back({from,
                        Program::after_token(from),
                        false,
                        true,
                        rule,
                        {},
                        program.rule(rule).name,
                        {program.rule(rule).span}});
    }
    for (const CallEdge& edge : program.calls(from)) {
      const auto spans = program.spans(edge.origins);
      labels.push_back({from,
                        edge.to,
                        true,
                        false,
                        edge.rule,
                        {},
                        program.rule(edge.rule).name,
                        {spans.begin(), spans.end()}});
    }
  }
  return labels;
}

std::vector<StateLabel> state_labels(const Program& program, const std::vector<EdgeLabel>& edges) {
  std::vector<StateLabel> labels(program.n_states());
  std::vector<std::vector<std::string>> before(program.n_states());
  std::vector<std::vector<std::string>> after(program.n_states());
  for (const EdgeLabel& edge : edges) {
    add_unique(before[edge.to.index()], edge.text);
    add_unique(after[edge.from.index()], edge.text);
    auto& spans = labels[edge.from.index()].spans;
    spans.insert(spans.end(), edge.spans.begin(), edge.spans.end());
  }
  for (size_t s = 0; s < program.n_states(); ++s) {
    labels[s].before = join_first(kShownLabels, before[s], " | ");
    labels[s].after = join_first(kShownLabels, after[s], " | ");
    const DispatchText text = dispatch_text(program, StateId(s));
    if (!text.before.empty()) labels[s].before = text.before;
    if (!text.after.empty()) labels[s].after = text.after;
    std::sort(labels[s].spans.begin(), labels[s].spans.end());
    labels[s].spans.erase(std::unique(labels[s].spans.begin(), labels[s].spans.end()),
                          labels[s].spans.end());
  }
  return labels;
}

}  // namespace

ProgramLabels::ProgramLabels(const Program& program)
    : edges(edge_labels(program)), states(state_labels(program, edges)) {}

std::vector<SourceSpan> spans_of_bytes(const Program& program, StateId state) {
  std::vector<SourceSpan> all;
  for (const TerminalEdge& edge : program.terminals(state)) {
    const auto spans = program.spans(edge.origins);
    all.insert(all.end(), spans.begin(), spans.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace xg2lab
