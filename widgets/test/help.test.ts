// What the editor makes of the kernel's answers: bytes are units, answers about another text are dropped, snippets have CodeMirror's spelling.
import { expect, test } from "vitest";
import { type Asking, Help, NO_ANSWERS, templateOf } from "../src/editor/help";
import { keywordAt, splitAt } from "../src/editor/sampler";
import type { Keyword, TextWord } from "../src/wire";

const WORD: TextWord = {
  label: "value",
  insert: "value",
  kind: "rule",
  detail: "rule, 1 use",
  doc: "",
  span: [3, 5],
  is_snippet: false,
};
const helpOf = (asking: Partial<Asking>, text = () => "éab") =>
  new Help({ ...NO_ANSWERS, ...asking }, text, () => "ebnf");

test("bytes of an answer are units of the text", async () => {
  const asked: number[] = [];
  const help = helpOf({
    complete: async (_text, _kind, offset) => {
      asked.push(offset);
      return [WORD];
    },
    places: async () => ({
      definition: [0, 2],
      places: [
        [0, 2],
        [2, 4],
      ],
      renamable: null,
    }),
  });
  expect((await help.words(2)).map(({ from, to }) => [from, to])).toEqual([[2, 3]]);
  expect(asked).toEqual([3]);
  expect(await help.places(0)).toEqual({
    definition: { from: 0, to: 1 },
    places: [
      { from: 0, to: 1 },
      { from: 1, to: 3 },
    ],
    renamable: null,
  });
});

test("an answer about a text that has changed is dropped", async () => {
  let text = "ab";
  const help = helpOf(
    {
      complete: async () => {
        text = "abc";
        return [WORD];
      },
      rename: async () => {
        text += "d";
        return [{ span: [0, 1], text: "x" }];
      },
    },
    () => text,
  );
  expect(await help.words(1)).toEqual([]);
  expect(await help.rename(1, "x")).toBeNull();
});

test("without a kernel there are no answers", async () => {
  const help = helpOf({});
  expect(await help.words(0)).toEqual([]);
  expect(await help.card(0)).toBeNull();
  expect(await help.places(0)).toBeNull();
  expect(await help.layout()).toBeNull();
  expect(await help.folds()).toBeNull();
});

test("a snippet in CodeMirror's spelling", () => {
  expect(templateOf("a ::= $" + '{1:"x"} $0')).toBe("a ::= $" + '{1:"x"} $' + "{}");
  expect(templateOf('"type": "$' + '{1:string}"')).toBe('"type": "$' + '{1:string}"');
  expect(templateOf('{"a": $0}')).toBe('\\{"a": $' + "{}\\}");
  expect(templateOf("\\\\n \\$x")).toBe("\\n $x");
  expect(templateOf("Regex($" + '{1:"a{2\\}"})$0')).toBe('Regex("a\\{2\\}")$' + "{}");
});

test("the byte at which a text fails is shown as its character", () => {
  expect(splitAt("é!b", 2)).toEqual(["é", "!", "b"]);
  expect(splitAt("é", 2)).toEqual(["é", "", ""]);
  expect(splitAt("a😀b", 1)).toEqual(["a", "😀", "b"]);
});

test("the keyword at the caret is the last that begins before it", () => {
  const keyword = (pointer: string, begin: number): Keyword => ({
    pointer,
    keyword: pointer.slice(1),
    state: "enforced",
    note: "",
    span: [begin, begin + 5],
    line: 1,
  });
  const all = [keyword("/a", 1), keyword("/b", 10), keyword("/c", 30)];
  expect(keywordAt(all, 15)?.pointer).toBe("/b");
  expect(keywordAt(all, 0)).toBeNull();
});
