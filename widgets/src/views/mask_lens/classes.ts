// The classes of the mask by their keys.
import {
  ACCEPTED,
  BOTH,
  NEITHER,
  ONLY_A,
  ONLY_B,
  PADDING,
  REJECTED,
  SPECIAL,
  STOP_LEGAL,
  STOP_NOT_LEGAL,
  UNCERTAIN_ACCEPTED,
  UNCERTAIN_REJECTED,
} from "../../bulk";

/** Key 1 to 7: the class each stands for; both stops share one row of the legend. */
export const CLASS_KEYS: readonly (readonly number[])[] = [
  [ACCEPTED],
  [UNCERTAIN_ACCEPTED],
  [UNCERTAIN_REJECTED],
  [REJECTED],
  [STOP_LEGAL, STOP_NOT_LEGAL],
  [SPECIAL],
  [PADDING],
];
/** The same in a picture of two masks: A alone, B alone, both, neither. */
export const XOR_KEYS: readonly (readonly number[])[] = [[ONLY_A], [ONLY_B], [BOTH], [NEITHER]];
