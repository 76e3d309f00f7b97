// What Python sends and saves: the records, made from its schema, and what the numbers of a chart's operations mean.
export * from "./generated";

/** Operations of a `ChartItem`. */
export const [START, PREDICT, SCAN, COMPLETE] = [0, 1, 2, 3] as const;
