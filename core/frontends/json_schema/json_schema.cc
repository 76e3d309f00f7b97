#include "frontends/json_schema/json_schema.h"

#include <utility>

#include "frontends/json_schema/writer.h"
#include "support/error.h"

namespace xg2lab::json_schema {

Grammar grammar_of_schema(const JsonDocument& document, const std::vector<std::string>& uris,
                          const Options& options) {
  Coverage coverage(document, options.relaxes);
  const References references(document, uris);
  Formulas formulas;
  Conditions conditions;
  Reader reader(document, references, formulas, conditions, coverage);
  Algebra algebra(document, formulas, conditions, reader, coverage);
  GrammarBuilder builder;
  builder.set_source(document.source());
  Writer writer(document, options, formulas, conditions, reader, algebra, coverage, builder);
  const RuleId root = writer.write(reader.schema(document.root()));
  coverage.raise();
  builder.set_keyword_uses(coverage.uses());
  return std::move(builder).build(root);
}

}  // namespace xg2lab::json_schema
