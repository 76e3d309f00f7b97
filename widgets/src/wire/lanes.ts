// When the parts of a decision were done. Mirror of xg2lab/lab/trace/lanes.py.

/** begin and end in nanoseconds of the session's clock */
export type Lane = [begin: number, end: number];
export interface StepLanes {
  model: Lane | null;
  mask: Lane | null;
  apply: Lane | null;
  sample: Lane | null;
  /** of the mask's time, what the model's did not cover */
  wait_ns: number | null;
}
/** absent in older traces */
export interface HeaderLanes {
  overlap?: boolean | null;
  compile_lane?: Lane | null;
  /** in the order in which they were done, the parts of a pass behind it; null for a grammar that came compiled */
  compile_passes?: CompilePasses | null;
}
export type CompilePasses = [name: string, us: number, facts?: PassFacts][];
/** Of something before a pass and after it. */
export type BeforeAfter = [before: number, after: number];
/** What a pass changed; absent in older traces. */
export interface PassFacts {
  /** of a part: the pass that it is a part of */
  inside?: string;
  rules?: BeforeAfter;
  /** expressions of the grammar */
  exprs?: BeforeAfter;
  /** of machines; 0 before: made of expressions */
  states?: BeforeAfter;
  /** of a part of lowering: how many it was done for, one after the other */
  machines?: number;
}
