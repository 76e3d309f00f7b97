// Small parts of pushes and replies: what comes with a mask, and how an error is told.

export interface BulkHeader {
  step: number;
  mass: number[] | null; // exact probability mass by provenance class
}
export interface WireError {
  type: string;
  message: string;
  hint?: string;
}
