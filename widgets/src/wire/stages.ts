// A rule's machine before and after each pass. Mirror of xg2lab/compiling/stages.py, names in snake_case.
import type { Program } from ".";

export interface StageMarks {
  /** of each state the states before the pass that it stands for; none: it is new */
  stands_for: number[][];
  /** of a new state the rules whose machine was written in */
  within: Record<string, string[]>;
  /** states before the pass that none stands for */
  gone: number[];
}
export interface WireStage {
  /** "as written", or the pass's name */
  name: string;
  /** of one rule, numbered from 0; null: the rule has none, or `note` says why it is not known */
  machine: Program | null;
  rules: string[];
  marks: StageMarks | null;
  note: string;
}
