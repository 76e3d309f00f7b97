// What became of pasted token ids. Mirror of xg2lab/lab/auditing/diagnosing.py, Diagnosis.to_wire().
export interface WireDiagnosis {
  /** what is wrong with the token at `step`; or "ended", "complete", "unfinished": all were accepted */
  kind: string;
  n_ids: number;
  /** how many were accepted: the index of the one that was not */
  step: number;
  /** of the output */
  byte: number;
  token_id: number | null;
  text: string;
  /** empty where the engine was not asked */
  mechanism: string;
  reason: string;
  hint: string;
  /** where in the text the ids were found */
  source: string;
  line: { line: number; column: number; text: string } | null;
  /** the text of an issue, with lines that reproduce it */
  issue: string;
}
