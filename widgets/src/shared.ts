// What the chunk of further views shares with the bundle: one copy of each, since signals and hooks know only their own.
//
// build.mjs reads the keys: in the chunk, an import of one of these modules is a look into this table.
import { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { Fragment, h } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import * as answers from "./answers";
import * as bulk from "./bulk";
import * as clipboard from "./clipboard";
import * as colour from "./parts/colour";
import * as glyphs from "./parts/glyphs";
import * as memo from "./parts/memo";
import * as small from "./parts/small";
import * as slider from "./parts/step_slider";
import * as table from "./parts/table";
import * as text from "./text";
import * as trace from "./trace";

export const SHARED: Record<string, unknown> = {
  preact: { h, Fragment },
  "preact/hooks": { useEffect, useLayoutEffect, useMemo, useRef },
  "@preact/signals": { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect },
  "src/answers": answers,
  "src/bulk": bulk,
  "src/clipboard": clipboard,
  "src/parts/colour": colour,
  "src/parts/glyphs": glyphs,
  "src/parts/memo": memo,
  "src/parts/small": small,
  "src/parts/step_slider": slider,
  "src/parts/table": table,
  "src/text": text,
  "src/trace": trace,
};
