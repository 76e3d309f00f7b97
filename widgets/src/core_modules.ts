// What the bundle lends to chunks, by the names under which build.mjs leaves them out there. A module that holds state (signals,
// channels, contexts) has to be lent, or there would be two of it; the others are lent because they are here anyway.
//
// Members are named, since what is never named is left out of the bundle; the build fails when a chunk wants one that is missing.
import { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { Fragment, h, render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { errorOf, notRecorded } from "./answers";
import { decodeProb, isAllowed, N_CLASSES } from "./bulk";
import { copyText } from "./clipboard";
import { gunzip } from "./gzip";
import { outputBytes } from "./layout/chart";
import { v } from "./parts/colour";
import { CLASS_NAMES, CLASS_SHAPES, Glyph, Icon, Mark } from "./parts/glyphs";
import { Empty, Notice, Panel, Seg, Token, useWidth } from "./parts/small";
import { StepSlider } from "./parts/step_slider";
import { Table } from "./parts/table";
import { bytesOf, Channel, KernelError } from "./rpc";
import { bytes, int, micros, millis, nanos, plural, prob, visible, zLevel } from "./text";
import { groupBy, innermost, NOTHING_SELECTED, ruleOf, stateOf } from "./trace";

export const CORE: Record<string, Record<string, unknown>> = {
  "@preact/signals": { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect },
  preact: { Fragment, h, render },
  "preact/hooks": { useEffect, useLayoutEffect, useMemo, useRef },
  answers: { errorOf, notRecorded },
  bulk: { decodeProb, isAllowed, N_CLASSES },
  clipboard: { copyText },
  gzip: { gunzip },
  "layout/chart": { outputBytes },
  "parts/colour": { v },
  "parts/glyphs": { CLASS_NAMES, CLASS_SHAPES, Glyph, Icon, Mark },
  "parts/small": { Empty, Notice, Panel, Seg, Token, useWidth },
  "parts/step_slider": { StepSlider },
  "parts/table": { Table },
  rpc: { bytesOf, Channel, KernelError },
  text: { bytes, int, micros, millis, nanos, plural, prob, visible, zLevel },
  trace: { groupBy, innermost, NOTHING_SELECTED, ruleOf, stateOf },
};
