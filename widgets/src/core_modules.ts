// What the bundle lends to chunks, by the names under which build.mjs leaves them out there. A module that holds state (signals,
// channels, contexts) has to be lent, or there would be two of it; the others are lent because they are here anyway.
//
// Members are named, since what is never named is left out of the bundle; the build fails when a chunk wants one that is missing.
import { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { Fragment, h, render } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { errorOf, notRecorded } from "./answers";
import { bitOf, decodeProb, isAllowed, N_CLASSES, ONLY_A, ONLY_B, xorOf } from "./bulk";
import { copyText } from "./clipboard";
import { gunzip } from "./gzip";
import { gutterOf, laneItems, NAME_GLYPH, outputBytes, placeColumns } from "./layout/chart";
import { doneText, passed, waysOf } from "./layout/chart_text";
import { fsmGraph, neighbourhood, RADIUS, sizeOf } from "./layout/fsm";
import { gridFor } from "./layout/mask";
import { sourceLines } from "./layout/source";
import { v } from "./parts/colour";
import { CLASS_NAMES, CLASS_SHAPES, Glyph, Icon, Mark } from "./parts/glyphs";
import { memo } from "./parts/memo";
import { reveal } from "./parts/reveal";
import { whenSeen } from "./parts/seen";
import { Empty, Notice, P_AND_Q, Panel, Seg, Swatches, Token, useWidth } from "./parts/small";
import { StepSlider } from "./parts/step_slider";
import { Table } from "./parts/table";
import { bytesOf, Channel, KernelError } from "./rpc";
import { begin, during, settlesWith } from "./settled";
import {
  bytes,
  byteText,
  cut,
  escaped,
  HIDDEN,
  hex,
  int,
  micros,
  millis,
  nanos,
  plural,
  prob,
  visible,
  zLevel,
} from "./text";
import {
  edgesFrom,
  fromHex,
  groupBy,
  innermost,
  NOTHING_SELECTED,
  ruleOf,
  stateName,
  stateOf,
  statesOfRule,
  stepAtByte,
} from "./trace";
import { Arc, arrow } from "./views/chart_arcs";
import { choose as chooseItem } from "./views/chart_choose";
import { ColumnGround, HEAD, Item, LaneName, OPS, placements } from "./views/chart_parts";
import { useFitted } from "./views/fsm_fitted";
import { FsmDrawing } from "./views/fsm_graph";
import { choose as chooseState } from "./views/fsm_table";
import { BrushList } from "./views/mask_brush";
import { MaskCanvas } from "./views/mask_canvas";
import { Legend } from "./views/mask_legend";
import { Vocabulary } from "./vocabulary";

export const CORE: Record<string, Record<string, unknown>> = {
  "@preact/signals": { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect },
  preact: { Fragment, h, render },
  "preact/hooks": { useEffect, useLayoutEffect, useMemo, useRef },
  answers: { errorOf, notRecorded },
  bulk: { bitOf, decodeProb, isAllowed, N_CLASSES, ONLY_A, ONLY_B, xorOf },
  clipboard: { copyText },
  gzip: { gunzip },
  "layout/chart": { gutterOf, laneItems, NAME_GLYPH, outputBytes, placeColumns },
  "layout/chart_text": { doneText, passed, waysOf },
  "layout/fsm": { fsmGraph, neighbourhood, RADIUS, sizeOf },
  "layout/mask": { gridFor },
  "layout/source": { sourceLines },
  "parts/colour": { v },
  "parts/glyphs": { CLASS_NAMES, CLASS_SHAPES, Glyph, Icon, Mark },
  "parts/memo": { memo },
  "parts/reveal": { reveal },
  "parts/seen": { whenSeen },
  "parts/small": { Empty, Notice, P_AND_Q, Panel, Seg, Swatches, Token, useWidth },
  "parts/step_slider": { StepSlider },
  "parts/table": { Table },
  rpc: { bytesOf, Channel, KernelError },
  settled: { begin, during, settlesWith },
  text: { bytes, byteText, cut, escaped, HIDDEN, hex, int, micros, millis, nanos, plural, prob, visible, zLevel },
  trace: {
    edgesFrom,
    fromHex,
    groupBy,
    innermost,
    NOTHING_SELECTED,
    ruleOf,
    stateName,
    stateOf,
    statesOfRule,
    stepAtByte,
  },
  "views/chart_arcs": { Arc, arrow },
  "views/chart_choose": { choose: chooseItem },
  "views/fsm_fitted": { useFitted },
  "views/fsm_graph": { FsmDrawing },
  "views/fsm_table": { choose: chooseState },
  "views/chart_parts": { ColumnGround, HEAD, Item, LaneName, OPS, placements },
  "views/mask_brush": { BrushList },
  "views/mask_canvas": { MaskCanvas },
  "views/mask_legend": { Legend },
  vocabulary: { Vocabulary },
};
