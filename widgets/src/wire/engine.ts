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

/** what a tag dispatch watches for, in the order of its automaton's patterns */
export interface WatchedText {
  text: string;
  kind: "trigger" | "stop" | "exclude";
}
/** where a state of a tag dispatch stands: `n_read` bytes of `text` (an index; any, while n_read is 0) */
export interface DispatchPlace {
  mode: "dispatching" | "dispatched";
  text: number;
  n_read: number;
}

/** One frame of the pushdown automaton: when a match of rule `called` is complete, the parse goes on in `state`. */
export interface StackFrame {
  id: number;
  /** the frame it stands on; null: the bottom. A frame that is not listed may be named */
  below: number | null;
  called: number;
  state: number;
  counts: string | null;
}
/** All stacks as one tree, frames below before those above; Mirror of xg2lab/lab/trace/stacks.py. */
export interface StackTree {
  n_stacks: number;
  n_frames: number;
  tops: { state: number; below: number | null }[];
  frames: StackFrame[];
}
