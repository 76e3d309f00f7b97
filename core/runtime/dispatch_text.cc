// One case for each mode.
#include "runtime/dispatch_text.h"

#include <optional>
#include <string_view>

#include "runtime/labels.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab {
namespace {

// Escapes invisible characters and the bytes of an incomplete character; the result is UTF-8.
std::string readable(std::string_view text) {
  std::string shown;
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<uint8_t>(text[at]);
    const auto character = byte >= 0x80 ? decode_utf8(text, at) : std::nullopt;
    shown += character ? std::string(text.substr(at, character->n_bytes)) : byte_text(byte);
    at += character ? character->n_bytes : 1;
  }
  return shown;
}

const char* name_of(const DispatchFacts& facts, uint32_t text) {
  if (text < facts.n_tags) return "trigger";
  return text < facts.n_tags + facts.n_stop_texts ? "stop string" : "exclude";
}

}  // namespace

DispatchText dispatch_text(const Program& program, StateId state) {
  const DispatchPosition* position = program.dispatch_position(state);
  if (position == nullptr || position->mode == Mode::kNone) return {};
  const DispatchFacts& facts = *program.rule(program.rule_of(state)).dispatch;
  if (position->mode == Mode::kDispatching && position->n_read == 0) {
    return {"", "free text", "free text"};
  }
  const std::string_view text = facts.texts[position->text];
  const std::string read = readable(text.substr(0, position->n_read));
  if (position->mode == Mode::kDispatched) {
    return {"after the trigger `" + read + "`", "\"" + read + "\"", ""};
  }
  const std::string before = "\"" + read + "\"";
  if (position->n_common == position->n_read) {
    return {"after `" + read + "`, with which several of its texts begin", before, "… | free text"};
  }
  const std::string common = readable(text.substr(0, position->n_common));
  const std::string rest =
      readable(text.substr(position->n_read, position->n_common - position->n_read));
  return {concat("inside the ", name_of(facts, position->text), " `", common, "`, ",
                 position->n_read, " of ", position->n_common, " bytes"),
          before, "\"" + rest + "\" | free text"};
}

}  // namespace xg2lab
