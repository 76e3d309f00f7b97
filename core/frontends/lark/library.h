// The terminals of `%import common.NAME`, in our own words.
//
// Tests: tests/core/test_lark.py
#pragma once

#include <string_view>

namespace xg2lab::lark {

std::string_view common_terminals();

}  // namespace xg2lab::lark
