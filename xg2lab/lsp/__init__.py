"""The language server: `xg2lab lsp`. An editor's questions on texts of EBNF, GBNF, Lark, JSON Schemas and the like."""
