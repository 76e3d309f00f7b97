// The notices name each package that a build read, and refuse one whose licence nobody can read.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

import { Notices } from "../notices.mjs";

const root = mkdtempSync(join(tmpdir(), "notices-"));
afterAll(() => rmSync(root, { recursive: true }));

function place(folder, facts, files) {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, "package.json"), JSON.stringify(facts));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, folder, name), text);
}

function noticesOf(...inputs) {
  const notices = new Notices(root);
  notices.add({ metafile: { inputs: Object.fromEntries(inputs.map((input) => [input, {}])) } });
  return notices;
}

place("node_modules/a", { name: "a", version: "1.0.0", license: "MIT" }, { LICENSE: "Copyright of a" });
place(
  "node_modules/a/node_modules/@s/b",
  { name: "@s/b", version: "2.0.0", license: "ISC" },
  { "LICENCE.md": "of b", NOTICE: "and more" },
);
place("node_modules/silent", { name: "silent", version: "1.0.0" }, { LICENSE: "text" });
place("node_modules/textless", { name: "textless", version: "1.0.0", license: "MIT" }, {});

test("a package is named with version, licence and text, one within another too", async () => {
  const text = await noticesOf("src/x.ts", "node_modules/a/dist/a.js", "node_modules/a/node_modules/@s/b/b.js").text();
  expect(text).toContain("a 1.0.0\nLicense: MIT\n\nCopyright of a");
  expect(text).toContain("@s/b 2.0.0\nLicense: ISC\n\nof b\nand more");
});

test("legal comments that a build took out are kept", async () => {
  const notices = noticesOf("src/x.ts");
  notices.add({ metafile: { inputs: {} }, outputFiles: [{ path: "x.js.LEGAL.txt", text: "/*! kept */\n" }] });
  expect(await notices.text()).toContain("/*! kept */");
});

test("a package without a licence, or without its text, stops the build", async () => {
  await expect(noticesOf("node_modules/silent/x.js").text()).rejects.toThrow("silent is bundled and states no licence");
  await expect(noticesOf("node_modules/textless/x.js").text()).rejects.toThrow("ships no text of its licence");
});
