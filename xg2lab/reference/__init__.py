"""Readable twins of the engine's algorithms: standard library only, they teach and they judge.

Read them in this order; each imports only those before it.

=========== ============================================================ =============================
utf8        a range of code points becomes sequences of byte ranges      Thompson's encoding, by ranges
lexemes     text becomes words: literals, classes, bounds, escapes       regular expressions
dispatch    free text watched for tags becomes rules, one for each end    Aho and Corasick 1975, unoptimized
any_order   members in any order become rules, one for each set           subsets, by definition
token_sets  a set of tokens, named by ids, as one edge takes it            by definition
ebnf        words become rules over literals, classes and references     recursive descent
template    rules with slots, and the rules that arguments make of them  by definition (WGrammar, section 3.1)
classes     what one character of a regular expression may be           predicates
patterns    a regular expression becomes a tree: counts, groups, looks   recursive descent
regex       where a match may end that begins here; runs of chunks       by definition
fsm         an expression becomes a machine, run on all states at once   Thompson 1968
json_numbers which spellings of numbers satisfy a constraint               by definition
json_schema whether a value is valid against a schema                    by definition
dynamic_references a schema of several resources, without references       by definition: the way here, written out
minimize    any machine becomes the smallest of its language             Rabin-Scott 1959, Brzozowski 1962
texts       finitely many texts become the smallest machine of them      Myhill-Nerode, by definition
lark        a text cut into tokens as a lexer would, then parsed         by definition
structure   which states of two grammars correspond in equal rules       XGrammar 2, Algorithms 1, 2
cfg         rules become productions; those that never end are dropped   textbook context-free grammars
earley      a chart of items, one column for each byte                   Earley 1970
ways        in how many ways each item was made: the readings of a text  Scott 2008
tag_parts   what structural tags are made of, and what follows each part  by definition: places where it may end
tag_free_text free text watched for triggers, ends and what may not be    by definition
tag_values  values in structural tags, as JSON or as elements             by definition
structural_tag all formats of a structural tag, of texts and of tokens    by definition
token_edges a token read by its bytes, or crossed whole, or both          Earley, a column for each byte
counted     what is left to match, as a stack: repetitions by number     Antimirov 1996
heads       the options of rules, and their shortest matches             fixed points
stacks      what is left to match, with marks for rules that are open    counted.py, once more
captures    what matches are kept as: their parts, less what is hidden   by definition
options     rules that are limited, lazy, captured, at a temperature     threads: all ways of reading, apart
operator_tree a grammar without recursion as Write, Wait, IfElse, ...     WGrammar, section 3.2
operators   the tree run on bytes: sets of positions, with counts        Glushkov 1961
determinism whether two positions ever compete for a byte                Brüggemann-Klein and Wood 1998
token_operators the tree run on tokens, none of which crosses an edge       WGrammar, sections 3.2 and 3.3, word by word
words       columns as a lexer's places, their origins, and a rest       Earley on whole words
pda         what is left to match, as stacks; no left recursion          XGrammar 2024, section 3
machines    rules as smallest machines that call each other, and count   recursive transition networks, Woods 1970
rows        columns as rows of items without origins, and contexts         Aycock and Horspool 2002 (LR(0) sets)
ticks       max_tokens on contexts: the column after a token has ended    least paths, as fixed points
lookahead   what may follow a rule, held against what was promised      Bar-Hillel 1961, by enumeration
trie        the vocabulary as a tree, then as one depth-first array      Fredkin 1960
shared_walks masks of walks that contexts share: places, groups of nodes    this project: 0017-cold-masks.md
mask        the tokens that may come next: by definition, then split     XGrammar 2024, section 3.1
operator_masks masks of active operators, of entries that scopes share   WGrammar, section 3.3, on bytes
plan        in which way a mask is made: reasons in order               this project: 0035-one-walk-one-plan.md
pool        which mask entries a second grammar takes over, and how far  XGrammar 2, section 3.3
beside      a mask from another's: two walks of the tree, side by side     this project: 0017-cold-masks.md
matcher     accept, mask, roll back, terminate                           all of the above
forced_tokens the ids that must come next, token edges included        matcher
claims      who makes a mask entry while others wait for it, or fail     a transition system: actors, what they share
claim_steps what each of them does, from one lock to the next             guarded commands
claim_orders all that can happen to claims, in every order of events      reachability, breadth first
=========== ============================================================ =============================
"""
