// When the parts of a decision were done. Mirror of xg2lab/lab/lanes.py.

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
  /** names and microseconds in the order in which they were done; null for a grammar that came compiled */
  compile_passes?: [name: string, us: number][] | null;
}
