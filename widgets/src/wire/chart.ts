// The Earley chart of a trace: items by column, and what made each.

/** state, origin, operation, source column and index, child column and index; -1 when there is none */
export type ChartItem = [number, number, number, number, number, number, number];
export type ChartWay = [number, number, number, number, number]; // the same from operation on
/** of an item that was made in several ways: column, index, number of other ways, those that were kept, one after the other */
export type WaysRow = number[];
export const START = 0;
export const PREDICT = 1;
export const SCAN = 2;
export const COMPLETE = 3;
