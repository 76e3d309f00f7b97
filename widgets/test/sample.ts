// A small trace for the unit tests, written by hand: `root ::= "ab:" num   num ::= [0-9]+`, after "ab:4".
import { COMPLETE, PREDICT, type Program, SCAN, START, type Step, type Trace } from "../src/wire";

export const SOURCE = 'root ::= "ab:" num\nnum  ::= [0-9]+ # é\n';

export const program: Program = {
  rules: [
    { id: 0, name: "root", span: [0, 18], line: 1, start: 0, states: [0, 5], nullable: false },
    { id: 1, name: "num", span: [19, 34], line: 2, start: 5, states: [5, 7], nullable: false },
  ],
  states: [
    { id: 0, rule: 0, accepting: false, scannable: true, before: "", after: '"ab:" num', spans: [[9, 14]] },
    { id: 1, rule: 0, accepting: false, scannable: true, before: '"a"', after: '"b:" num', spans: [[9, 14]] },
    { id: 2, rule: 0, accepting: false, scannable: true, before: '"ab"', after: '":" num', spans: [[9, 14]] },
    { id: 3, rule: 0, accepting: false, scannable: false, before: '"ab:"', after: "num", spans: [[15, 18]] },
    { id: 4, rule: 0, accepting: true, scannable: false, before: '"ab:" num', after: "", spans: [] },
    { id: 5, rule: 1, accepting: false, scannable: true, before: "", after: "[0-9]+", spans: [[28, 34]] },
    { id: 6, rule: 1, accepting: true, scannable: true, before: "[0-9]", after: "[0-9]*", spans: [[28, 34]] },
  ],
  edges: [
    { from: 0, to: 1, kind: "bytes", label: '"a"', ranges: [[97, 97]], rule: null, spans: [] },
    { from: 1, to: 2, kind: "bytes", label: '"b"', ranges: [[98, 98]], rule: null, spans: [] },
    { from: 2, to: 3, kind: "bytes", label: '":"', ranges: [[58, 58]], rule: null, spans: [] },
    { from: 3, to: 4, kind: "rule", label: "num", ranges: [], rule: 1, spans: [] },
    { from: 5, to: 6, kind: "bytes", label: "[0-9]", ranges: [[48, 57]], rule: null, spans: [] },
    { from: 6, to: 6, kind: "bytes", label: "[0-9]", ranges: [[48, 57]], rule: null, spans: [] },
  ],
};

export function step(index: number, text: string, byteBegin: number, known: Partial<Step> = {}): Step {
  const data = new TextEncoder().encode(text);
  return {
    index,
    kind: "sampled",
    token_id: 100 + index,
    text,
    bytes: [...data].map((b) => b.toString(16).padStart(2, "0")).join(""),
    byte_begin: byteBegin,
    n_bytes: data.length,
    p: 0.5,
    q: 0.6,
    rank: 1,
    z: 0.8,
    kl: 0.22,
    n_allowed: 3,
    mask_us: 12,
    model_ms: 4,
    accept_us: 1,
    cache: "miss",
    n_built: 1,
    n_adapted: 0,
    n_checked: 0,
    pool: null,
    top: [],
    entries: [],
    live: [],
    completed: false,
    terminated: false,
    explain: {},
    ...known,
  };
}

export const trace: Trace = {
  version: 1,
  header: {
    name: "sample",
    model: null,
    vocab_size: 300,
    grammar: { text: SOURCE, root: "root" },
    options: {},
    sampling: { temperature: 1, top_k: 0, top_p: 1, seed: 0 },
    constrained: true,
    compile_us: 5,
    prompt: "",
  },
  program,
  steps: [
    step(0, "ab", 0, { inner: 0, live: [{ state: 0, rule: 0, origin: 0 }] }),
    step(1, ":4", 2, { inner: 0, live: [{ state: 2, rule: 0, origin: 0 }] }),
    step(2, "", 4, { kind: null, token_id: null, inner: 0, live: [{ state: 6, rule: 1, origin: 3 }] }),
  ],
  branches: [],
  chart: {
    columns: [
      [[0, 0, START, -1, -1, -1, -1]],
      [[1, 0, SCAN, 0, 0, -1, -1]],
      [[2, 0, SCAN, 1, 0, -1, -1]],
      [
        [3, 0, SCAN, 2, 0, -1, -1],
        [5, 3, PREDICT, 3, 0, -1, -1],
      ],
      [
        [6, 3, SCAN, 3, 1, -1, -1],
        [4, 0, COMPLETE, 3, 0, 4, 0],
      ],
    ],
  },
  notes: [],
};
