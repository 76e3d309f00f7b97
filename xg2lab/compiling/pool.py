r"""The parts that compilers of one tokenizer share: the vocabulary's trie, and the pool of mask entries.

>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo([b'"', b"a", b'":', b",", b"</s>"], stop_token_ids=[4])
>>> compiler = xgr.GrammarCompiler(info, options=xgr.EngineOptions(rule_inlining=False))
>>> for root in ('root ::= key ":" "x"', 'root ::= key ":" "y"', 'root ::= (key ",")+'):
...     compiled = compiler.compile_grammar(root + r' key ::= "\"" [a-z]* "\""')
...     matcher = xgr.GrammarMatcher(compiled)
...     taken = matcher.accept_token(0)
...     print(matcher.allowed_tokens(), matcher.mask_entries()[0]["cache"])
[0, 1, 2] miss
[0, 1, 2] perfect_hit
[0, 1] partial_hit
>>> pool = compiler.pool
>>> pool.n_misses, pool.n_perfect_hits, pool.n_partial_hits, pool.by_grammar[0].n_given
(1, 1, 1, 2)

An entry is the verdict of a grammar's state on every token. It depends on the state's rule and, for tokens that run
over the rule's end, on what may follow it. Same rule, same that follows as far as a token can see: the entry is shared
(a *perfect hit*). Same rule, other callers: only those tokens are checked again (a *partial hit*).

Shapes and units: bytes; ns.

See also: `core/mask/pool/mask_pool.h`, `docs/design/0006-cross-grammar-cache.md`, XGrammar 2 section 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from xg2lab import _core
from xg2lab.support.forks import shared_lock

if TYPE_CHECKING:
    from xg2lab.options import EngineOptions
    from xg2lab.tokenizer_info import TokenizerInfo

__all__ = ["CacheEvent", "GrammarAccount", "PoolStatistics", "SharedParts", "shared_parts"]

_MIB = 1 << 20


@dataclass(frozen=True)
class SharedParts:
    """The vocabulary's trie, and the pool (None: switched off)."""

    token_sets: _core.TokenSets
    mask_pool: _core.MaskPool | None = None


@dataclass(frozen=True)
class GrammarAccount:
    """One compiled grammar's dealings with the pool. `id` is `CompiledGrammar.id`."""

    id: int
    name: str  #: the first line of its text
    n_built: int  #: entries for which it walked the vocabulary
    n_perfect_hits: int  #: entries that it took over
    n_partial_hits: int  #: entries of which it took over what the rule alone decides
    n_background: int  #: entries, of those built or taken over, that the background came by (`partial_jit_k`)
    n_given: int  #: times that a walk of its own was used again, by others or by itself


@dataclass(frozen=True)
class PoolStatistics:
    """The contents of a pool, and how often they were used; `str()` is a table."""

    n_states: int  #: states up to structure, of all grammars
    n_entries: int
    size_bytes: int
    max_bytes: int  #: -1: no limit
    n_perfect_hits: int
    n_partial_hits: int
    n_misses: int
    n_evictions: int  #: states that had to go with their entries, the least recently used first
    by_grammar: tuple[GrammarAccount, ...]  #: of the last 1024 grammars, oldest first

    @classmethod
    def of(cls, pool: _core.MaskPool) -> PoolStatistics:
        """The figures of this moment."""
        accounts = tuple(GrammarAccount(**account) for account in pool.by_grammar())
        return cls(**pool.statistics(), max_bytes=pool.max_bytes, by_grammar=accounts)

    def __str__(self) -> str:
        budget = "" if self.max_bytes < 0 else f" of {self.max_bytes / _MIB:.2f}"
        lines = [
            f"{self.n_entries} entries of {self.n_states} states, {self.size_bytes / _MIB:.2f}{budget} MiB; "
            f"{self.n_perfect_hits} perfect hits, {self.n_partial_hits} partial hits, {self.n_misses} misses, "
            f"{self.n_evictions} evictions",
            " id  built  perfect  partial  given  grammar",
        ]
        lines += [
            f"{g.id:3}  {g.n_built:5}  {g.n_perfect_hits:7}  {g.n_partial_hits:7}  {g.n_given:5}  {g.name}"
            for g in self.by_grammar
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class CacheEvent:
    """One thing that compilation or the caches of masks did.

    `kind` is one of

    - "pass": a compile pass, `name`, and what it found and left: `rules`, `exprs` (expressions of the grammar),
      `states` (of machines), each (before, after) and None where the pass has nothing to do with them. A part of a
      pass, listed right after it, names it as `inside`; its `ns` were added up over `machines` machines
    - "compile": the whole compilation of `grammar`, which is a grammar, a template (`CompiledTemplate.id`) or an
      instance of one. The passes of an instance are `check_arguments` and `link`, or, where it can't be linked,
      `check_arguments`, `write_out` and those of a grammar
    - "entry": the entry of `state` was come by as `cache` says: built ("miss"), taken over whole or in part
      ("perfect_hit", "partial_hit"), then from `donor`
    - "fill": a token mask was requested; `cache` is that of its worst entry, or "context_hit"; `way` says how the mask
      was made: "known", it was known; "entries", of the entries of states; "entries_and_run", of these and a walk of
      white space; "walk", by one walk of the token trie; "shared_walks", by walks that contexts share
    - "eviction": the pool evicted entries that `donor` had built, `n_bytes`, because of `grammar`
    """

    kind: str
    grammar: int | None  #: `CompiledGrammar.id` or `CompiledTemplate.id`
    ns: int  #: how long it took
    at_ns: int  #: when it was over, since the log was turned on
    name: str | None = None
    cache: str | None = None
    way: str | None = None
    state: int | None = None
    donor: int | None = None
    n_bytes: int | None = None
    inside: str | None = None
    rules: tuple[int, int] | None = None
    exprs: tuple[int, int] | None = None
    states: tuple[int, int] | None = None  #: 0 before: made of expressions
    machines: int | None = None
    in_background: bool | None = None  #: of an entry: made ahead of the texts (`EngineOptions.partial_jit_k`)


_token_sets: WeakValueDictionary[str, _core.TokenSets] = WeakValueDictionary()
_pools: WeakValueDictionary[tuple[str, int], _core.MaskPool] = WeakValueDictionary()


def shared_parts(info: TokenizerInfo, options: EngineOptions) -> SharedParts:
    """The parts of a vocabulary with this content: those in use somewhere, else new ones.

    They live as long as a compiler or a compiled grammar that uses them.
    """
    vocabulary = info.vocabulary
    token_sets = _known_token_sets(vocabulary)
    if token_sets is None:
        made = _core.TokenSets(vocabulary)  # takes a while, and needs no lock
        with shared_lock:
            token_sets = _token_sets.setdefault(vocabulary.content_hash, made)
        if not token_sets.is_of(vocabulary):
            token_sets = made  # the hashes collide: the first one shares, the other doesn't
    if not options.cross_grammar_cache:
        return SharedParts(token_sets)
    key = (vocabulary.content_hash, options.max_pool_bytes)
    with shared_lock:
        pool = _pools.get(key)
        if pool is None or pool.token_sets is not token_sets:
            pool = _pools[key] = _core.MaskPool(token_sets, options.max_pool_bytes)
    return SharedParts(token_sets, pool)


def _known_token_sets(vocabulary: _core.Vocabulary) -> _core.TokenSets | None:
    with shared_lock:
        known = _token_sets.get(vocabulary.content_hash)
    return known if known is not None and known.is_of(vocabulary) else None
