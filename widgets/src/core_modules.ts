// What the bundle lends to chunks, by the names under which build.mjs leaves them out there. A module that holds state (signals,
// channels, contexts) has to be lent, or there would be two of it; the others are lent because they are here anyway.
//
// Members are named, since what is never named is left out of the bundle; the build fails when a chunk wants one that is missing.
import { batch, computed, effect, signal, useSignal } from "@preact/signals";
import { Fragment, h, render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { copyText } from "./clipboard";
import { gunzip } from "./gzip";
import { outputBytes } from "./layout/chart";
import { Glyph } from "./parts/glyphs";
import { Empty, Notice, Panel, Seg, Token, useWidth } from "./parts/small";
import { Table } from "./parts/table";
import { bytesOf, Channel, KernelError } from "./rpc";
import { micros, millis, plural } from "./text";
import { innermost, NOTHING_SELECTED, ruleOf, stateOf } from "./trace";

export const CORE: Record<string, Record<string, unknown>> = {
  "@preact/signals": { batch, computed, effect, signal, useSignal },
  preact: { Fragment, h, render },
  "preact/hooks": { useEffect, useLayoutEffect, useMemo, useRef },
  clipboard: { copyText },
  gzip: { gunzip },
  "layout/chart": { outputBytes },
  "parts/glyphs": { Glyph },
  "parts/small": { Empty, Notice, Panel, Seg, Token, useWidth },
  "parts/table": { Table },
  rpc: { bytesOf, Channel, KernelError },
  text: { micros, millis, plural },
  trace: { innermost, NOTHING_SELECTED, ruleOf, stateOf },
};
