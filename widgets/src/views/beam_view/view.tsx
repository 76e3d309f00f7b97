// BeamView: what the model would have written, allowed and blocked, as a tree whose branches are as wide as their probability.
//
// Reader sees  the likeliest continuations of the step under the cursor; of an allowed one how much the mask draws (pale) and how much the
//              model alone gave it (dark inside); blocked ones in the blocked colour, continued as the model alone would. Python -> browser:
//              the tree, recorded or asked. Browser -> Python: the selected step and token; a forced token, by a button that names it.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { errorOf, notRecorded, type Refused } from "../../answers";
import { Empty, Panel, Seg, useWidth } from "../../parts/small";
import { Table } from "../../parts/table";
import type { Store } from "../../store";
import { cut, prob, visible } from "../../text";
import type { PanelProps } from "../../view";
import type { Step, Trace, WireBeam } from "../../wire";
import { type BeamNode, besideBeam, pathTo, placeBeam, ROW, strokeOf } from "./layout";

const DEPTHS = ["1", "2", "4", "6", "8"] as const;
const WIDTHS = ["1", "2", "3", "5", "8"] as const;
const options = <T extends string>(values: readonly T[]) => values.map((value): readonly [T, string] => [value, value]);
type Found = { beam: WireBeam } | { error: Refused } | null;

/** What is known of a step's continuations; asked of the kernel where this size was not recorded, while no run is on and the view is seen. */
function useBeam(
  store: Store,
  trace: Trace | null,
  step: Step | null,
  depth: number,
  width: number,
  isSeen: boolean,
): Found {
  const found = useSignal<Found>(null);
  const line = store.link.line.value;
  const isRunning = store.link.status.value === "running";
  const recorded = step ? trace?.beams?.[step.index] : undefined;
  const hasModel = trace?.header.model !== null;
  useEffect(() => {
    let isOver = false;
    const tell = (value: Found) => {
      if (!isOver) found.value = value;
    };
    if (!step || !hasModel || isRunning || !isSeen) return;
    const isSame = recorded?.depth === depth && recorded.width === width;
    if (recorded && (isSame || line !== "live")) tell({ beam: recorded });
    else if (line === "live")
      store.link.channel.call("beam", { step: step.index, depth, width }, 60_000).then(
        ({ content }) => tell({ beam: content.beam }),
        (error: unknown) => tell({ error: errorOf(error) }),
      );
    else if (line !== "unknown")
      tell({
        error: notRecorded("This tree of continuations", `session.beam(${depth}, ${width}, step=${step.index})`),
      });
    return () => {
      isOver = true;
    };
  }, [store, step, line, isRunning, isSeen, hasModel, recorded, depth, width, found]);
  const value = found.value;
  return value && "beam" in value && value.beam.step !== step?.index ? null : value;
}

const saidOf = (node: BeamNode): string =>
  `${visible(node.text)}: p ${prob(node.p)}, ${prob(node.mass)} along the path${
    node.allowed ? `; under the mask ${prob(node.q ?? 0)}, ${prob(node.drawn ?? 0)} along the path` : "; blocked"
  }${node.ends ? "; ends the output" : ""}`;

export function BeamView({ store }: PanelProps) {
  const [box, width] = useWidth();
  const table = useSignal(false);
  const depth = useSignal<(typeof DEPTHS)[number]>("4");
  const wide = useSignal<(typeof WIDTHS)[number]>("3");
  const chosen = useSignal<number | null>(null);
  const trace = store.link.trace.value;
  const step = store.step.value;
  const found = useBeam(store, trace, step, Number(depth.value), Number(wide.value), width > 0);
  const beam = found && "beam" in found ? found.beam : null;
  const placed = useMemo(() => (beam && width > 0 ? placeBeam(beam, width) : null), [beam, width]);
  const path = placed && chosen.value !== null ? pathTo(placed.nodes, chosen.value) : [];
  const pick = (node: BeamNode) => {
    chosen.value = node.index;
    const first = placed && pathTo(placed.nodes, node.index)[0];
    if (first && step) store.select({ step: step.index, token: first.token });
  };
  return (
    <Panel
      readout={beam && `step ${beam.step}, Z ${prob(beam.z)}`}
      tools={
        <>
          <span class="xs faint">tokens</span>
          <Seg
            label="Tokens of a continuation"
            options={options(DEPTHS)}
            on={depth.value}
            pick={(on) => {
              depth.value = on;
              chosen.value = null;
            }}
          />
          <span class="xs faint">of each kind</span>
          <Seg
            label="Continuations of each kind"
            options={options(WIDTHS)}
            on={wide.value}
            pick={(on) => {
              wide.value = on;
              chosen.value = null;
            }}
          />
        </>
      }
      table={table.value}
      onTable={() => {
        table.value = !table.value;
      }}
    >
      <div class="body" ref={box}>
        {trace?.header.model === null && (
          <Empty title="No model">This session has no model, so no continuation is likelier than another.</Empty>
        )}
        {trace?.header.model !== null && !found && <Empty title="Continuations">The model reads them.</Empty>}
        {found && "error" in found && (
          <Empty title="No continuations here">
            {found.error.message} {found.error.hint}
            {found.error.lines && <code>{found.error.lines.join("\n")}</code>}
          </Empty>
        )}
        {placed && beam && !table.value && (
          <Tree placed={placed} beam={beam} chosen={chosen.value} path={path} pick={pick} width={width} />
        )}
        {placed && table.value && (
          <Table
            label="Continuations"
            heads={["continuation", "", "#p", "#mass", "#q", "#drawn"]}
            caption={<>likeliest continuations, level by level</>}
          >
            {placed.nodes.map((node) => (
              <tr key={node.index} class={node.index === chosen.value ? "is-selected" : ""}>
                <th scope="row" class="mono">
                  <button type="button" class="plain" onClick={() => pick(node)}>
                    {pathTo(placed.nodes, node.index)
                      .map((one) => visible(one.text))
                      .join(" ")}
                  </button>
                </th>
                <td>{node.allowed ? "allowed" : "blocked"}</td>
                <td class="num">{prob(node.p)}</td>
                <td class="num">{prob(node.mass)}</td>
                <td class="num">{node.q === null ? "" : prob(node.q)}</td>
                <td class="num">{node.drawn === null ? "" : prob(node.drawn)}</td>
              </tr>
            ))}
          </Table>
        )}
        {placed && <Chosen store={store} path={path} />}
      </div>
    </Panel>
  );
}

/** The chosen continuation in words, and the button that forces its first token. */
function Chosen({ store, path }: { store: Store; path: readonly BeamNode[] }) {
  const [first, last] = [path[0], path.at(-1)];
  if (!first || !last)
    return (
      <p class="xs faint">
        pale: drawn under the mask; dark: what the model alone gave; dashed: blocked. Choose a continuation.
      </p>
    );
  return (
    <p class="xs beam-chosen" data-chosen>
      <span class="mono">{path.map((node) => visible(node.text)).join(" ")}</span>
      <span>{saidOf(last)}</span>
      {first.allowed && (
        <button type="button" class="xs" data-force onClick={() => store.force(first.token)}>
          {store.forcing} {visible(first.text)}
        </button>
      )}
    </p>
  );
}

interface TreeProps {
  placed: ReturnType<typeof placeBeam>;
  beam: WireBeam;
  chosen: number | null;
  path: readonly BeamNode[];
  pick: (node: BeamNode) => void;
  width: number;
}

function Tree({ placed, beam, chosen, path, pick, width }: TreeProps) {
  const focus = useSignal(0);
  const box = useRef<HTMLDivElement>(null);
  const { nodes, root, step } = placed;
  const label = Math.floor((step - 34) / 7.25);
  const keys = (event: KeyboardEvent) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!/^Arrow|^Home$|^End$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const from = nodes[focus.value];
    if (!from) return;
    const to = besideBeam(nodes, from, event.key);
    focus.value = to.index;
    box.current?.querySelector<HTMLElement>(`[data-index="${to.index}"]`)?.focus();
  };
  const total = Math.max(width, root.x + step * (1 + Math.max(-1, ...nodes.map((node) => node.level))));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: arrows move among the buttons inside
    <div class="beam-box" ref={box} onKeyDown={keys}>
      <div style={{ width: `${total}px`, height: `${placed.height}px`, position: "relative" }}>
        <svg width={total} height={placed.height} aria-hidden="true">
          {nodes.map((node) => {
            const parent = nodes[node.parent];
            const from = parent ?? { x: root.x + 20, y: root.y };
            const text = parent ? Math.min(label, [...visible(parent.text)].length) : 0;
            const begin = parent ? parent.x + 26 + text * 7.25 : from.x;
            const middle = (begin + node.x) / 2;
            const d = `M${begin} ${from.y}C${middle} ${from.y} ${middle} ${node.y} ${node.x} ${node.y}`;
            const isOn = path.includes(node) ? " on" : "";
            return (
              <g key={node.index} data-branch={node.allowed ? "allowed" : "blocked"}>
                {node.allowed && <path class={`drawn${isOn}`} d={d} stroke-width={strokeOf(node.drawn ?? 0)} />}
                <path class={`${node.allowed ? "mass" : "blocked"}${isOn}`} d={d} stroke-width={strokeOf(node.mass)} />
              </g>
            );
          })}
        </svg>
        <span class="beam-root" style={{ top: `${root.y - ROW / 2}px` }} title={`allowed mass Z ${prob(beam.z)}`}>
          {beam.step}
        </span>
        {nodes.map((node) => (
          <button
            key={node.index}
            type="button"
            data-index={node.index}
            class={`beam-node${node.allowed ? "" : " blocked"}${node.index === chosen ? " is-selected" : ""}`}
            style={{ left: `${node.x}px`, top: `${node.y - 11}px` }}
            title={saidOf(node)}
            tabIndex={node.index === focus.value ? 0 : -1}
            onFocus={() => {
              focus.value = node.index;
            }}
            onClick={() => pick(node)}
          >
            {cut(visible(node.text), Math.max(3, label))}
            {node.ends && <i>end</i>}
          </button>
        ))}
      </div>
    </div>
  );
}
