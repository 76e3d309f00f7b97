// The derivations of an ambiguous text side by side: how many there are, the first of them as trees, and where each parts from another.
//
// Reader sees  a tree for each derivation; nodes that not all trees have are marked, the one at which a tree parts from another is ringed
//              and named in words. A node under the pointer lights up in all trees. Python -> browser: the derivations, recorded or asked.
//              Browser -> Python: the selected rule, state and byte; which node's derivations are wanted.
import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { errorOf, notRecorded, type Refused } from "../../../answers";
import { Empty, Unrecorded } from "../../../parts/small";
import type { Store } from "../../../store";
import { int, plural, visible } from "../../../text";
import type { ForestTree, Step, Trace, WireForest } from "../../../wire";
import { outputBytes } from "../layout/chart";
import { selectIn, selectionIn } from "../written";
import { besideNode, type ForestNode, keyOf, LEVEL, NODE_HEIGHT, placeForestTree } from "./forest_layout";
import { type At, decoded } from "./layout";

const [FEW, MANY] = [6, 24];
type Found = { forest: WireForest } | { error: Refused } | null;

/** Digits in groups of three; of a very long number the first ones and how many there are. */
export function counted(digits: string): string {
  if (digits.length > 30) return `${digits[0]}.${digits.slice(1, 4)} · 10^${digits.length - 1}`;
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** How many derivations there are, in words. */
export function headline({ n_trees, is_infinite, trees }: WireForest): string {
  if (is_infinite)
    return `infinitely many derivations: some rule can derive itself; ${plural(trees.length, "tree")} shown`;
  if (n_trees === null) return `${plural(trees.length, "derivation")} shown, the number is not known`;
  const all = n_trees === "1" ? "1 derivation" : `${counted(n_trees)} derivations`;
  return String(trees.length) === n_trees ? all : `${int(trees.length)} of ${all}`;
}

/** What is known of a step's derivations, or of those of one match; asked of the kernel where nothing was recorded. */
function useForest(store: Store, trace: Trace, step: Step, item: At | null, most: number): Found {
  const found = useSignal<Found>(null);
  const recorded = item === null && most === FEW ? trace.forests?.[step.index] : undefined;
  const line = store.link.line.value;
  const at = item?.join(":");
  const columns = trace.chart.columns;
  useEffect(() => {
    let isOver = false;
    const tell = (value: Found) => {
      if (!isOver) found.value = value;
    };
    if (recorded) tell({ forest: recorded });
    else if (line === "live") {
      const asked = { step: step.index, most, ...(item && { item: [...item] as [number, number] }) };
      store.link.channel.call("forest", asked).then(
        ({ content }) => tell({ forest: content.forest }),
        (error: unknown) => tell({ error: errorOf(error) }),
      );
    } else if (line !== "unknown") {
      const lines = [`found = session.derivations(${step.index})`, "print(found.n_trees)"];
      tell({ error: notRecorded("This list of derivations", ...lines) });
    }
    return () => {
      isOver = true;
    };
  }, [store, line, recorded, step.index, step.byte_begin, columns, at, most]);
  return found.value;
}

export interface ForestProps {
  store: Store;
  trace: Trace;
  step: Step;
  /** the switch to one tree */
  children?: ComponentChildren;
}

export function Forest({ store, trace, step, children }: ForestProps) {
  const of = useSignal<{ item: At; said: string } | null>(null);
  const most = useSignal(FEW);
  const lit = useSignal<string | null>(null);
  const found = useForest(store, trace, step, of.value?.item ?? null, most.value);
  if (found === null || "error" in found)
    return (
      <div class="forest">
        <p class="forest-head">{children}</p>
        {found === null ? (
          <Empty title="Derivations">The kernel counts them.</Empty>
        ) : (
          <Empty title="No derivations here">
            <Unrecorded of={found.error} />
          </Empty>
        )}
      </div>
    );
  const { forest } = found;
  const isMore = forest.n_trees !== String(forest.trees.length) && forest.trees.length >= FEW;
  const chosen = selectionIn(store, trace).item;
  return (
    <div class="forest" data-forest={forest.n_trees ?? ""}>
      <p class="forest-head" role="status">
        {children}
        <b data-count>{headline(forest)}</b>
        {of.value && <span class="mono"> of {of.value.said}</span>}
        {forest.note && <span class="faint"> {forest.note}</span>}
        {of.value && (
          <button
            type="button"
            class="link xs"
            onClick={() => {
              of.value = null;
              most.value = FEW;
            }}
          >
            of the whole text
          </button>
        )}
        {isMore && most.value < MANY && (
          <button
            type="button"
            class="link xs"
            data-more
            onClick={() => {
              most.value = MANY;
            }}
          >
            show {MANY}
          </button>
        )}
      </p>
      <div class="forest-trees">
        {forest.trees.map((tree, k) => (
          <ForestFigure
            key={`${k}.${tree.said}`}
            store={store}
            trace={trace}
            tree={tree}
            number={k + 1}
            lit={lit}
            chosen={chosen}
            divide={(node) => {
              if (node.item) of.value = { item: node.item, said: `${node.label} ${node.span}` };
              most.value = FEW;
            }}
          />
        ))}
      </div>
    </div>
  );
}

interface FigureProps {
  store: Store;
  trace: Trace;
  tree: ForestTree;
  number: number;
  lit: Signal<string | null>;
  chosen: readonly number[] | null;
  divide: (node: ForestNode) => void;
}

function ForestFigure({ store, trace, tree, number, lit, chosen, divide }: FigureProps) {
  const box = useRef<HTMLDivElement>(null);
  const focus = useSignal(0);
  const placed = useMemo(() => {
    const output = outputBytes(trace.steps);
    const text = (begin: number, end: number) => visible(decoded(output.slice(begin, end)));
    return placeForestTree(tree, (rule) => trace.program.rules[rule]?.name ?? "?", text);
  }, [tree, trace]);
  const at = new Map(placed.nodes.map((node) => [node.row, node]));
  const isChosen = (node: ForestNode) => node.item !== null && chosen?.join(":") === node.item.join(":");
  const pick = (node: ForestNode) => {
    focus.value = node.row;
    const own = node.item && trace.chart.columns[node.item[0]]?.[node.item[1]];
    const state = own ? own[0] : null;
    selectIn(store, trace, { item: node.item, state, rule: node.rule, byte: node.item ? node.item[0] : node.begin });
  };
  const keys = (event: KeyboardEvent) => {
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (!/^Arrow|^Home$|^End$/.test(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const from = at.get(focus.value) ?? placed.nodes[0];
    if (!from) return;
    const to = besideNode(placed.nodes, from, event.key);
    focus.value = to.row;
    box.current?.querySelector<HTMLElement>(`[data-row="${to.row}"]`)?.focus();
  };
  return (
    <figure class="forest-tree" data-tree={number}>
      <figcaption>
        <span class="faint">way {number}</span> <span class="mono">{tree.said || "the only one"}</span>
      </figcaption>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows move among the buttons inside */}
      <div class="forest-paper" ref={box} onKeyDown={keys}>
        <div style={{ width: `${placed.width}px`, height: `${placed.height}px`, position: "relative" }}>
          <svg width={placed.width} height={placed.height} aria-hidden="true">
            {placed.nodes.map((node) => {
              const above = node.parent === null ? undefined : at.get(node.parent);
              if (!above) return null;
              const [from, to] = [above.y + NODE_HEIGHT / 2, node.y - NODE_HEIGHT / 2];
              const middle = from + LEVEL / 4;
              return (
                <path
                  key={node.row}
                  class={above.differs ? "differs" : ""}
                  d={`M${above.x} ${from}C${above.x} ${middle} ${node.x} ${from} ${node.x} ${to}`}
                />
              );
            })}
          </svg>
          {placed.nodes.map((node) => (
            <button
              key={node.row}
              type="button"
              data-row={node.row}
              data-node={keyOf(node)}
              class={`forest-node${node.rule === null ? " bytes" : ""}${node.differs ? " differs" : ""}${node.parts ? " parts" : ""}${node.closed ? " closed" : ""}${isChosen(node) ? " is-selected" : ""}${lit.value === keyOf(node) ? " lit" : ""}`}
              style={{
                left: `${node.x - node.width / 2}px`,
                top: `${node.y - NODE_HEIGHT / 2}px`,
                width: `${node.width}px`,
              }}
              tabIndex={node.row === focus.value ? 0 : -1}
              title={`${node.label} ${node.span}${node.nWays > 1 ? `: ${node.nWays} ways to divide it` : ""}${node.closed ? "; its parts are not drawn" : ""}${node.differs ? "; not in all trees" : ""}`}
              onMouseEnter={() => {
                lit.value = keyOf(node);
              }}
              onMouseLeave={() => {
                lit.value = null;
              }}
              onFocus={() => {
                focus.value = node.row;
              }}
              onClick={() => pick(node)}
            >
              {node.label}
              {node.span && <i>{node.span}</i>}
              {node.closed && "…"}
              {node.nWays > 1 && <b>{node.nWays}</b>}
            </button>
          ))}
        </div>
      </div>
      {placed.nodes.some((node) => isChosen(node) && node.nWays > 1 && node.parent !== null) && (
        <button
          type="button"
          class="link xs"
          data-divide
          onClick={() => {
            const node = placed.nodes.find((one) => isChosen(one) && one.nWays > 1);
            if (node) divide(node);
          }}
        >
          derivations of this node alone
        </button>
      )}
    </figure>
  );
}
