// A schema and its options from Python, for grammars and for templates.
#pragma once

#include <string>
#include <vector>

#include "bind/python.h"
#include "frontends/json_schema/json_schema.h"

namespace xg2lab::bind {

struct SchemaInput {
  JsonDocument document;
  std::vector<std::string> uris;  // of the documents in it
  json_schema::Options options;
};

}  // namespace xg2lab::bind
