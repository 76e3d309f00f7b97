// A pad on the page: messages that take a while to unpack, beside later ones that don't.
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { PadStore } from "../src/editor/pad_store";
import type { PadHandle } from "../src/runtime_api";
import type { PadState } from "../src/wire";

type Message = (content: object, buffers: DataView[]) => void;
class Model {
  receive: Message = () => undefined;
  readonly sent: { kind: string; id: string }[] = [];
  get = () => null;
  on = (name: string, listener: Message) => {
    if (name === "msg:custom") this.receive = listener;
  };
  off = () => undefined;
  send = (request: { kind: string; id: string }) => void this.sent.push(request);
  asked = (kind: string) => vi.waitUntil(() => this.sent.findLast((request) => request.kind === kind)?.id);
}
const gzipped = async (value: unknown) => {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("gzip"));
  return new DataView(await new Response(stream).arrayBuffer());
};
const state = (text: string, revision: number) => ({ text, revision, good_revision: 1 }) as PadState;

beforeAll(() => void vi.stubGlobal("document", { hidden: false }));
afterAll(() => vi.unstubAllGlobals());

it("shows the newest state, though an older one is unpacked after it came", async () => {
  const model = new Model();
  const store = PadStore.of({ model, signal: new AbortController().signal } as unknown as PadHandle);
  const whole = await gzipped({ seq: 4, state: state("older", 1), good: { revision: 1 } });
  model.receive({ re: await model.asked("hello") }, [whole]);
  await Promise.resolve(); // the reply is being unpacked
  model.receive({ kind: "pad", seq: 5, state: state("newer", 2) }, []);
  await vi.waitUntil(() => store.line.value === "live" && store.state.value?.revision === 2);
  expect(store.text.value).toBe("newer");
  model.receive({ kind: "pad", seq: 6, state: state("newest", 3) }, []);
  await vi.waitUntil(() => store.text.value === "newest");
  expect(model.sent.map(({ kind }) => kind)).toEqual(["hello"]); // nothing was missed
});

it("keeps what is typed while a text is on its way, and then shows what became of it", async () => {
  const model = new Model();
  const store = PadStore.of({ model, signal: new AbortController().signal } as unknown as PadHandle);
  model.receive({ re: await model.asked("hello") }, [await gzipped({ seq: 0, state: state("", 0), good: null })]);
  await vi.waitUntil(() => store.line.value === "live");
  store.type("typed");
  const id = await model.asked("write");
  const good = await gzipped({ revision: 1 });
  model.receive({ kind: "pad", seq: 1, state: state("typed", 1) }, [good]); // made before the reply, and unpacked after it
  model.receive({ re: id, revision: 1 }, []);
  await vi.waitUntil(() => store.state.value?.revision === 1);
  expect(store.text.value).toBe("typed");
  expect(store.good.value?.revision).toBe(1);
});

it("is live again when a kernel that was busy answers its greeting late", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const model = new Model();
  const store = PadStore.of({ model, signal: new AbortController().signal } as unknown as PadHandle);
  await vi.advanceTimersByTimeAsync(5000);
  vi.useRealTimers();
  expect(store.line.value).toBe("offline");
  const [first] = model.sent;
  const whole = await gzipped({ seq: 4, state: state("there", 1), good: { revision: 1 } });
  model.receive({ re: first?.id }, [whole]); // nobody waits for it any more
  expect(model.sent.map(({ kind }) => kind)).toEqual(["hello", "hello"]);
  model.receive({ re: model.sent[1]?.id }, [whole]);
  await vi.waitUntil(() => store.line.value === "live");
  expect(store.text.value).toBe("there");
});
