// Back, step, run or pause, and three ends to run to. Where no kernel answers, or a student follows, two buttons move the cursor.
import { page } from "../page";
import type { Store } from "../store";
import type { RunRequest } from "../wire";
import { Icon } from "./glyphs";

export function Transport({ store, wide }: { store: Store; wide: boolean }) {
  const trace = store.link.trace.value;
  const live = store.canCommand.value;
  const running = store.link.status.value === "running";
  const steps = trace?.steps.length ?? 0;
  const past = store.past !== null;
  const ended = trace?.steps.at(-1)?.terminated ?? false;
  const { isRecording, isFollowing } = page();
  if (store.link.line.value === "offline" || isFollowing) {
    const [what, how] = isFollowing
      ? ["student page", "Your teacher's session: look at any step, and ask why."]
      : isRecording
        ? ["recording, no kernel", "An exported page. To step or to force tokens, run the notebook that made it."]
        : ["replay, no kernel", "The notebook's saved record. Choose a kernel and run the cell to step."];
    return (
      <>
        <span class="transport" role="toolbar" aria-label="Transport">
          <button
            type="button"
            class="ghost icon"
            disabled={!store.step.value?.index}
            title="The cursor one step back (←)"
            aria-label="Back"
            onClick={() => store.backward()}
          >
            <Icon name="back" filled />
          </button>
          <button
            type="button"
            class="ghost icon"
            disabled={!past}
            title="The cursor one step forward (→)"
            aria-label="Forward"
            onClick={() => store.forward()}
          >
            <Icon name="step" filled />
          </button>
        </span>
        <span class="xs faint" data-act data-offline title={`${how} Shift and the arrow keys move the cursor.`}>
          {what}
        </span>
      </>
    );
  }
  return (
    <span class="transport" role="toolbar" aria-label="Transport">
      <button
        type="button"
        class="ghost icon"
        disabled={!live || running || (!past && steps < 2 && !ended)}
        title={past ? "One step back (←)" : "Take the last token back (←)"}
        aria-label="Back"
        onClick={() => store.backward()}
      >
        <Icon name="back" filled />
      </button>
      <button
        type="button"
        class="ghost icon"
        disabled={!live || running || !store.forced}
        title="Undo the force of the newest token (u)"
        aria-label="Undo force"
        onClick={() => store.undoForce()}
      >
        <Icon name="undo" />
      </button>
      <button
        type="button"
        class="ghost icon"
        disabled={!live || running || !past}
        title="Branch here: leave the later tokens as a branch and go on from the cursor (b)"
        aria-label="Branch here"
        onClick={() => store.branchHere()}
      >
        <Icon name="branch" />
      </button>
      <button
        type="button"
        disabled={!live || running || (ended && !past)}
        title="Step (→)"
        onClick={() => store.forward()}
      >
        <Icon name="step" filled />
        step{wide && <kbd>→</kbd>}
      </button>
      {running ? (
        <button type="button" class="primary" title="Pause (space)" onClick={() => store.pause()}>
          <Icon name="pause" filled />
          pause{wide && <kbd>space</kbd>}
        </button>
      ) : (
        <button
          type="button"
          class="primary"
          disabled={!live || ended}
          title="Run to the end (space)"
          onClick={() => store.command("run")}
        >
          <Icon name="run" filled />
          run{wide && <kbd>space</kbd>}
        </button>
      )}
    </span>
  );
}

export function RunTo({ store }: { store: Store }) {
  if (store.link.line.value === "offline") return null;
  const off = !store.canCommand.value || store.link.status.value === "running";
  const run = (until?: RunRequest["until"]) => () => store.command("run", until === undefined ? {} : { until });
  return (
    <>
      <span class="xs faint">run to</span>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset brings a box and a legend that three buttons have no use for */}
      <span class="seg" role="group" aria-label="Run to">
        <button type="button" disabled={off} title="Run to the end of the rule (r)" onClick={run("rule_end")}>
          rule end
        </button>
        <button
          type="button"
          disabled={off}
          title="Run until the feasible mass is below 0.1 (z)"
          onClick={run(["z", 0.1])}
        >
          Z &lt; 0.1
        </button>
        <button type="button" disabled={off} title="Run to the end (space)" onClick={run("end")}>
          end
        </button>
      </span>
    </>
  );
}
