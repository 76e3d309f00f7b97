// The blocked mass of a step, by who refused it. Mirror of xg2lab/lab/trace/lost_mass.py.

/** The mass that one place of the grammar took; rule, line and column are null where no rule did. */
export interface LostTo {
  name: string;
  rule: number | null;
  line: number | null;
  column: number | null;
  expected: string;
  mechanism: string;
  mass: number;
  token_ids: number[];
}
/** the largest group first; of `rest`, n_rest tokens, nobody was asked */
export interface LostMass {
  total: number;
  groups: LostTo[];
  rest: number;
  n_rest: number;
}
