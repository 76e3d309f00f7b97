// Read: encoded.
#include "bind/encoder.h"

#include "bind/bind.h"
#include "bind/integers.h"
#include "bind/tensor_view.h"
#include "runtime/spelling.h"
#include "support/error.h"
#include "support/text.h"
#include "support/utf8.h"

namespace xg2lab::bind {

void check_encoder(py::handle encode) {
  if (PyCallable_Check(encode.ptr()) != 0) return;
  throw py::type_error(
      concat("encode is ", kind_of_object(encode), "; wanted a callable from a str to token ids"));
}

std::vector<TokenId> Encoded::tokens() const {
  std::vector<TokenId> tokens;
  tokens.reserve(ids.size());
  for (const int64_t id : ids) tokens.emplace_back(static_cast<uint32_t>(id));
  return tokens;
}

Encoded encoded(py::handle encode, std::string_view text, const TokenSets* tokens) {
  Encoded answer;
  if (find_invalid_utf8(text)) {
    answer.mistake = "can't be encoded: its text is not UTF-8";
    return answer;
  }
  const py::object ids = encode(py::str(text.data(), text.size()));
  try {
    answer.ids = ints_of(ids, "the answer");
  } catch (const py::builtin_exception& error) {
    answer.mistake = concat("must be a list of token ids: ", error.what());
  } catch (const Error& error) {
    answer.mistake = concat("must be a list of token ids: ", error.diagnostics().front().message);
  }
  if (!answer.mistake.empty()) return answer;
  const auto mistake =
      tokens != nullptr ? misspelling(text, answer.ids, *tokens) : misspelling(text, answer.ids);
  answer.mistake = mistake.value_or("");
  return answer;
}

}  // namespace xg2lab::bind
