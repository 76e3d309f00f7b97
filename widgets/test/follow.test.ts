// A student's page: it follows the teacher's selection until its reader selects something else, and no request of it changes the session.
import { describe, expect, it } from "vitest";
import { FollowedModel, REFUSAL } from "../src/follow/followed";
import { placed, received } from "../src/follow/line";
import { studentPage } from "../src/lab/tabs";
import { NOTHING_SELECTED } from "../src/trace";

type Request = Record<string, unknown>;
function followed() {
  const asked: Request[] = [];
  const heard: string[] = [];
  const replies: Request[] = [];
  const model = new FollowedModel(
    { selection: NOTHING_SELECTED, seq: 3 },
    (request) => asked.push(request),
    () => heard.push("changed"),
  );
  model.on("change:selection", () => heard.push(JSON.stringify(model.get("selection"))));
  model.on("msg:custom", (reply: never) => replies.push(reply));
  return { model, asked, heard, replies };
}
const at = (step: number) => ({ ...NOTHING_SELECTED, step });
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("following", () => {
  it("shows each selection of the teacher", () => {
    const { model, heard } = followed();
    model.update({ selection: at(2), seq: 4 });
    expect([model.get("selection"), model.get("seq"), model.isFollowing]).toEqual([at(2), 4, true]);
    expect(heard).toEqual([JSON.stringify(at(2))]);
  });
  it("ends with a selection of the page's own, which stays on the page", async () => {
    const { model, asked, heard, replies } = followed();
    model.set("selection", at(1));
    model.send({ kind: "set", id: "a:1", key: "selection", value: at(1) });
    await settle();
    expect([model.isFollowing, asked, replies]).toEqual([false, [], [{ re: "a:1" }]]);
    expect(heard.at(-1)).toBe("changed");
    model.update({ selection: at(5) });
    expect(model.get("selection")).toEqual(at(1));
  });
  it("begins again at the teacher's present selection", () => {
    const { model } = followed();
    model.follow(false);
    model.update({ selection: at(5) });
    model.follow(true);
    expect([model.get("selection"), model.isFollowing]).toEqual([at(5), true]);
    model.update({ selection: at(6) });
    expect(model.get("selection")).toEqual(at(6));
  });
  it("goes on if the page tells the teacher's own selection back", () => {
    const { model } = followed();
    model.update({ selection: at(2) });
    model.send({ kind: "set", id: "a:1", key: "selection", value: at(2) });
    expect(model.isFollowing).toBe(true);
  });
  it("keeps layouts on the page", async () => {
    const { model, asked, replies } = followed();
    model.send({ kind: "set", id: "a:1", key: "layouts", value: {} });
    await settle();
    expect([model.isFollowing, asked, replies]).toEqual([true, [], [{ re: "a:1" }]]);
  });
});

describe("requests", () => {
  it.each(["step", "back", "back_to", "undo_force", "force", "run", "pause", "reset", "replay", "resume", "annotate"])(
    "%s is refused without a word to the kernel",
    async (kind) => {
      const { model, asked, replies } = followed();
      model.send({ kind, id: "a:1" });
      await settle();
      expect([asked, replies]).toEqual([[], [{ re: "a:1", error: REFUSAL }]]);
    },
  );
  it.each([
    "edit_annotation",
    "delete_annotation",
    "operators",
    "as_written",
    "beam",
    "stages",
    "audit",
    "compare",
    "x",
  ])("%s is refused as well: what is recorded stays the teacher's", async (kind) => {
    const { model, asked, replies } = followed();
    model.send({ kind, id: "a:1" });
    await settle();
    expect([asked, replies[0]?.error]).toEqual([[], REFUSAL]);
  });
  it("reading ones go to the kernel, which learns that this is no notebook's page and renews no output", () => {
    const { model, asked } = followed();
    model.send({ kind: "explain", id: "a:1", token: 3 });
    model.send({ kind: "hello", id: "a:2" });
    model.send({ kind: "settle", id: "a:3", replay: true });
    expect(asked).toEqual([
      { kind: "explain", id: "a:1", token: 3 },
      { kind: "hello", id: "a:2", follows: true },
      { kind: "settle", id: "a:3", replay: false },
    ]);
  });
});

describe("messages of the web socket", () => {
  it("are text, or parts whose first is the text", () => {
    const message = { header: { msg_type: "comm_msg" }, content: { comm_id: "x" } };
    expect(received(JSON.stringify(message))).toEqual({ ...message, buffers: [] });
    const text = new TextEncoder().encode(JSON.stringify(message));
    const bytes = new Uint8Array(4 * 3 + text.length + 2);
    const view = new DataView(bytes.buffer);
    for (const [k, number] of [2, 12, 12 + text.length].entries()) view.setUint32(4 * k, number);
    bytes.set(text, 12);
    bytes.set([7, 8], 12 + text.length);
    const { buffers, ...rest } = received(bytes.buffer);
    expect(rest).toEqual(message);
    expect(buffers.map((buffer) => [...new Uint8Array(buffer.buffer)])).toEqual([[7, 8]]);
  });
  it("have buffers beside them, which are put in their places", () => {
    const buffer = new DataView(new ArrayBuffer(1));
    expect(placed({ a: { state: {} }, seq: 1 }, [["a", "state", "trace"], ["bulk"]], [buffer, buffer])).toEqual({
      a: { state: { trace: buffer } },
      bulk: buffer,
      seq: 1,
    });
  });
});

it("the address of the page is on the server of the notebook", () => {
  expect(studentPage("https://hub/user/ada/", "k-1", "s2")).toBe(
    "https://hub/user/ada/lab/extensions/xg2lab/static/follow.html?kernel=k-1&session=s2",
  );
});
