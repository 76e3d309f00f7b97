// The cases of a sweep's page: a bar of a distribution selects them, and each opens. Whatever a case says is put into
// the page as text, never as HTML.
"use strict";

const { groups, cases, first } = JSON.parse(document.getElementById("sweep-data").textContent);
const TONES = { compiled: "good", refused: "warn" };

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children.filter((child) => child !== null));
  return element;
}

function pretty(schema) {
  try {
    return JSON.stringify(JSON.parse(schema), null, 2);
  } catch {
    return schema; // cut, or no JSON
  }
}

function time(us) {
  if (!us) return "";
  return us < 1000 ? `${us.toFixed(us < 10 ? 1 : 0)} µs` : `${(us / 1000).toFixed(us < 10000 ? 1 : 0)} ms`;
}

function table(head, rows) {
  // Short cells stay in one line.
  const cells = (tag, row) => row.map((cell) => make(tag, String(cell).length > 24 ? "text" : "", String(cell)));
  const body = rows.map((row) => make("tr", "", ...cells("td", row)));
  return make("table", "", make("thead", "", make("tr", "", ...cells("th", head))), make("tbody", "", ...body));
}

function engines(row) {
  return table(
    ["engine", "verdict", "first mask", "masks", "p50", "p99", "slowest", "wrong", "message"],
    row.engines.map((one) => [
      `${one.name} ${one.version}`,
      one.verdict,
      time(one.first_us),
      one.n_masks.toLocaleString(),
      time(one.p50),
      time(one.p99),
      time(one.max),
      one.wrong.join("; "),
      one.message.split("\n")[0],
    ]),
  );
}

function disagreements(row) {
  return table(
    ["between", "instance", "token", "byte", "in one mask alone", "wrong"],
    row.disagreements.map((one) => [
      `${one.a}, ${one.b}`,
      `${one.instance}: ${one.text}`,
      one.step,
      one.byte,
      `${one.a} ${one.only_a.toLocaleString()} ${one.example_a && JSON.stringify(one.example_a)}, ` +
        `${one.b} ${one.only_b.toLocaleString()} ${one.example_b && JSON.stringify(one.example_b)}`,
      one.wrong ? `${one.wrong}: ${one.why}` : one.why,
    ]),
  );
}

function copy(text) {
  const button = make("button", "copy", "Copy");
  button.type = "button";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select the text to copy it"; // the browser allows no clipboard on this page
    }
  });
  return button;
}

function section(title, ...children) {
  return [make("h3", "", title), ...children];
}

function body(row) {
  const parts = [];
  if (row.message) parts.push(...section("Message", make("pre", "", row.message)));
  if (row.engines.length) parts.push(...section("Engines", engines(row)));
  for (const one of row.engines.filter((part) => part.first_wrong)) {
    parts.push(...section(`The first instance that ${one.name} has wrong`, make("pre", "", one.first_wrong)));
  }
  if (row.disagreements.length) parts.push(...section("Disagreements", disagreements(row)));
  for (const one of row.wrote) {
    const said = [one.end, one.is_expected && (one.is_expected === "yes" ? "as expected" : "not as expected"), one.why];
    parts.push(...section(`${one.title} (${said.filter(Boolean).join("; ")})`, make("pre", "", one.text)));
  }
  if (row.schema) {
    const cut = row.schema_cut ? ` (the first ${row.schema.length.toLocaleString()} characters)` : "";
    parts.push(...section(`Schema${cut}`, make("pre", "", pretty(row.schema))));
  }
  parts.push(...section("Run it again", make("pre", "", row.command), copy(row.command)));
  return make("div", "case", ...parts);
}

function entry(index, isOpen) {
  const row = cases[index];
  const badge = make("span", `badge ${TONES[row.verdict] ?? "bad"}`, row.verdict);
  const name = make("span", "name", row.name || row.id);
  const details = make("details", "", make("summary", "", badge, name, make("span", "said", row.said)));
  details.dataset.case = row.id;
  const fill = () => {
    if (details.open && details.childElementCount === 1) details.append(body(row));
  };
  details.addEventListener("toggle", () => {
    fill();
    if (details.open) history.replaceState(null, "", `#${new URLSearchParams({ group: current, case: row.id })}`);
  });
  if (isOpen) {
    details.open = true;
    fill();
  }
  return details;
}

let current = "";

function select(key, opened = "") {
  const group = groups[key];
  if (!group) return;
  current = key;
  for (const button of document.querySelectorAll("button[data-group]")) {
    button.setAttribute("aria-pressed", String(button.dataset.group === key));
  }
  const shown = group.cases.map((index) => entry(index, cases[index].id === opened));
  const n_more = group.n - group.cases.length;
  const more = n_more > 0 ? `The page holds ${shown.length} of ${group.n.toLocaleString()}; the file has all.` : "";
  document.getElementById("cases").replaceChildren(
    make("h2", "", `${group.title}: ${group.n.toLocaleString()}`),
    ...(more ? [make("p", "", more)] : []),
    ...shown,
  );
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-group]");
  if (!button) return;
  select(button.dataset.group);
  history.replaceState(null, "", `#${new URLSearchParams({ group: button.dataset.group })}`);
  document.getElementById("cases").scrollIntoView({ block: "start" });
});

const asked = new URLSearchParams(location.hash.slice(1));
select(asked.get("group") ?? first, asked.get("case") ?? "");
