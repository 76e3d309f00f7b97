#include "passes/resolve_token_names.h"

#include <utility>

#include "grammar/rewrite.h"

namespace xg2lab::passes {

Grammar resolve_token_names(Grammar grammar, const checks::KnownTokens& known) {
  if (!has_token_names(grammar)) return grammar;
  return rewrite(std::move(grammar),
                 [&](GrammarBuilder& builder, ExprId old, std::span<const ExprId> children) {
                   const Expr& e = builder.expr(old);
                   if (e.kind != ExprKind::kTokenSet) return builder.with_children(old, children);
                   TokenSet set = builder.so_far().token_set(old);
                   for (const TokenName& name : std::exchange(set.names, {})) {
                     for (TokenId id : known.named(name.text)) {
                       if (known.use(id) == checks::TokenUse::kFree) set.ids.push_back(id);
                     }
                   }
                   return builder.token_set(std::move(set), e.span);
                 });
}

}  // namespace xg2lab::passes
