// Records of the engine that pass through a trace as they are. Mirror of core/bind/*.cc, names in snake_case.

/** GrammarCompiler.pool, grammars not listed */
export interface PoolTotals {
  n_states: number;
  n_entries: number;
  size_bytes: number;
  /** -1: no limit */
  max_bytes: number;
  n_perfect_hits: number;
  n_partial_hits: number;
  n_misses: number;
  n_evictions: number;
}
