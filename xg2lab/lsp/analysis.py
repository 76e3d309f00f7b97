r"""The answers of the language server, as values of its protocol: what a worker process runs.

>>> documents = Documents()
>>> text = 'root ::= digts\ndigits ::= [0-9]'
>>> found = documents.answer({"method": "diagnostics", "uri": "a.ebnf", "version": 1, "text": text})
>>> found[0]["code"], found[0]["range"]["start"], found[0]["relatedInformation"][0]["message"]
('undefined_rule', {'line': 0, 'character': 9}, '`digits` is defined here')
>>> documents.answer({"method": "definition", "uri": "a.ebnf", "version": 1, "position": {"line": 1, "character": 2}})
{'uri': 'a.ebnf', 'range': {'start': {'line': 1, 'character': 0}, 'end': {'line': 1, 'character': 6}}}

IDEA
  `xg2lab.editing` knows the text; here its bytes become lines and columns, and its kinds the protocol's numbers. A
  document keeps its assistant from version to version, and with it the facts of the last text that was a grammar.

See also: `xg2lab.lsp.worker`, which runs this in a process of its own.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from xg2lab.editing.assistant import SLOT, Assistant
from xg2lab.editing.records import Edit, Symbol
from xg2lab.editing.rules_text import RulesText
from xg2lab.errors import ArgumentError, Diagnostic, Xg2LabError
from xg2lab.lints import as_written, lint
from xg2lab.lints.catalogue import CODES
from xg2lab.lints.fixes import fix_of
from xg2lab.lsp.positions import Lines
from xg2lab.sources.readers import READERS, reader_for
from xg2lab.template import Template

__all__ = ["Documents", "kind_of"]

MOST_DOCUMENTS = 40  # whose facts are kept
MOST_DIAGNOSTICS = 500
SECONDS = 0.5  # to search for ambiguous texts
#: The ids of languages in editors, with the kinds that they are read as.
LANGUAGES = {
    "ebnf": "ebnf",
    "gbnf": "ebnf",
    "bnf": "ebnf",
    "lark": "lark",
    "regex": "regex",
    "json-schema": "json_schema",
    "structural-tag": "structural_tag",
}
SEVERITIES = {"error": 1, "warning": 2, "hint": 3}  # the protocol's hints are hardly visible
COMPLETION_KINDS = {
    "rule": 3, "terminal": 21, "macro": 3, "option": 10, "operator": 24, "keyword": 14, "value": 12, "format": 12,
    "snippet": 15, "slot": 6,
}  # fmt: skip
SYMBOL_KINDS = {
    "rule": 12, "terminal": 14, "object": 19, "array": 18, "string": 15, "number": 16, "boolean": 17, "null": 21,
    "format": 5,
}  # fmt: skip
MEANT = re.compile(r"did you mean `([^`]+)`\?")
Request = dict[str, Any]


def kind_of(uri: str, language: str, text: str) -> str:
    """How a document is read: by its language in the editor, else by its name and contents.

    >>> kind_of("file:///x.gbnf", "plaintext", ""), kind_of("file:///a.tag.json", "json", "")
    ('ebnf', 'structural_tag')
    """
    if language in LANGUAGES:
        return LANGUAGES[language]
    path = unquote(urlparse(uri).path) or uri
    if re.search(r"(?:\.tag|\.structural[_-]tag)\.jsonc?$", path, re.IGNORECASE):
        return "structural_tag"
    if path.endswith(".schema.json") or language in ("json", "jsonc"):
        claims = READERS["structural_tag"].claims
        return "structural_tag" if claims is not None and claims(text) else "json_schema"
    try:
        return reader_for(path, text=text).name
    except ArgumentError:
        return "ebnf"


class Document:
    """One open text."""

    def __init__(self, uri: str, request: Request) -> None:
        self.uri = uri
        self.text: str = request["text"]
        self.version = request["version"]
        self.language: str = request.get("language", "")
        self.encoding: str = request.get("encoding", "utf-16")
        self.kind = kind_of(uri, self.language, self.text)
        self.assistant = Assistant(self.kind)
        self._take()

    def take(self, request: Request) -> None:
        """Take another version of the text."""
        self.text, self.version = request["text"], request["version"]
        kind = kind_of(self.uri, self.language, self.text)
        is_json = READERS[kind].is_json
        if kind != self.kind and (not is_json or self.text.strip()):
            self.kind, self.assistant = kind, Assistant(kind)
        self._take()

    def _take(self) -> None:
        self.lines = Lines(self.text, self.encoding)
        self.assistant.read(self.text)


class Documents:
    """All open texts, and the answers about them."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Document] = OrderedDict()

    def has(self, uri: str, version: int) -> bool:
        """Whether a version of a text is known here."""
        return uri in self._known and self._known[uri].version == version

    def answer(self, request: Request) -> Any:
        """Answer one request. Raises `Xg2LabError` where the answer is a refusal."""
        method = request["method"]
        if method == "close":
            self._known.pop(request["uri"], None)
            return None
        answers = {
            "diagnostics": self._diagnostics,
            "completion": self._completion,
            "hover": self._hover,
            "definition": self._definition,
            "references": self._references,
            "prepare_rename": self._prepare_rename,
            "rename": self._rename,
            "symbols": self._symbols,
            "folding": self._folding,
            "formatting": self._formatting,
            "actions": self._actions,
        }
        if method not in answers:
            raise ArgumentError(f"there is no request {method!r}", hint=", ".join(answers))
        return answers[method](self._document(request), request)

    def _document(self, request: Request) -> Document:
        uri = request["uri"]
        if "text" in request:
            if uri in self._known:
                self._known[uri].take(request)
            else:
                self._known[uri] = Document(uri, request)
        if uri not in self._known:
            raise ArgumentError(f"{uri} is not open", hint="open it")
        self._known.move_to_end(uri)
        while len(self._known) > MOST_DOCUMENTS:
            self._known.popitem(last=False)
        return self._known[uri]

    # ---- Findings ----

    def _found(self, document: Document, request: Request) -> list[Diagnostic]:
        options = request.get("options") or {}
        given: dict[str, Any] = {}
        reader = READERS[document.kind]
        if options.get("onUnsupported") == "relax" and "on_unsupported" in reader.options:
            given["on_unsupported"] = "relax"
        if options.get("strict") is False and "strict_mode" in reader.options:
            given["strict_mode"] = False
        if not document.text.strip():
            return []
        template = self._template(document)
        if template is not None:
            return template
        seconds = float(options.get("ambiguitySeconds", SECONDS))
        root = options.get("root") if "root" in reader.options else None
        return list(lint(document.text, kind=document.kind, seconds=seconds, root_rule_name=root, **given))

    def _template(self, document: Document) -> list[Diagnostic] | None:
        """The findings of a template; None if the text is none."""
        if document.kind == "json_schema" and '"$slot"' in document.text:
            try:
                template = Template.from_json_schema(document.text)
                return list(as_written(template.diagnostics, template.source, document.text))
            except Xg2LabError as error:
                found = error.diagnostics or [Diagnostic("refused", "error", error.message, error.hint)]
                source = error.source
                return found if source is None else list(as_written(found, source, document.text))
        if document.kind != "ebnf" or not SLOT.search(document.text) or not _has_slots(document.text):
            return None
        try:
            return list(Template.from_ebnf(document.text).diagnostics)
        except Xg2LabError as error:
            return error.diagnostics or [Diagnostic("refused", "error", error.message, error.hint)]

    def _diagnostics(self, document: Document, request: Request) -> list[dict[str, Any]]:
        found = self._found(document, request)[:MOST_DIAGNOSTICS]
        return [self._diagnostic(document, one, request) for one in found]

    def _diagnostic(self, document: Document, found: Diagnostic, request: Request) -> dict[str, Any]:
        hint = f"\nhint: {found.hint}" if found.hint else ""
        made: dict[str, Any] = {
            "range": document.lines.range(_shown(found.span, document.lines.data)),
            "severity": SEVERITIES.get(found.severity, 1),
            "code": found.code,
            "source": "xg2lab",
            "message": found.message + hint,
        }
        docs = (request.get("options") or {}).get("docs") or _docs()
        if docs and found.code in CODES:
            made["codeDescription"] = {"href": docs}
        related = [
            {"location": {"uri": document.uri, "range": document.lines.range(span)}, "message": message}
            for span, message in self._related(document, found)
        ]
        if related:
            made["relatedInformation"] = related
        if found.code in ("unused_rule", "unused_definition"):
            made["tags"] = [1]  # shown faintly
        fix = fix_of(found, document.text)
        if fix is not None:
            made["data"] = {"title": fix.title, "text": fix.text, "range": document.lines.range(found.span)}
        return made

    def _related(self, document: Document, found: Diagnostic) -> Iterator[tuple[tuple[int, int], str]]:
        """Other places that a finding speaks of: the first definition, the rule that may be meant."""
        if document.kind not in ("ebnf", "lark"):
            return
        with suppress(Xg2LabError):
            names = RulesText(document.text, "lark" if document.kind == "lark" else "ebnf").names
            meant = MEANT.search(found.hint)
            if found.code == "duplicate_rule":
                first = names.definition(names.words(found.span))
                if first is not None and first != found.span:
                    yield first, "the first definition is here"
            elif meant and names.definition(meant[1]) is not None:
                yield names.defined[meant[1]], f"`{meant[1]}` is defined here"

    # ---- Questions ----

    def _offset(self, document: Document, request: Request) -> int:
        return document.lines.offset(request["position"])

    def _completion(self, document: Document, request: Request) -> list[dict[str, Any]]:
        offset = self._offset(document, request)
        has_snippets = bool(request.get("snippets", True))
        made: list[dict[str, Any]] = []
        for number, word in enumerate(document.assistant.completions(offset)):
            is_quoted = document.lines.data[word.span[0] : word.span[0] + 1] == b'"'
            made.append(
                {
                    "label": word.label,
                    "kind": COMPLETION_KINDS[word.kind],
                    "detail": word.detail,
                    "documentation": {"kind": "markdown", "value": word.doc},
                    "filterText": f'"{word.label}"' if is_quoted else word.label,
                    "sortText": f"{word.rank}{number:04}",
                    "insertTextFormat": 2 if word.is_snippet and has_snippets else 1,
                    "textEdit": {
                        "range": document.lines.range(word.span),
                        "newText": word.insert if not word.is_snippet or has_snippets else _plain(word.insert),
                    },
                }
            )
        return made

    def _hover(self, document: Document, request: Request) -> dict[str, Any] | None:
        found = document.assistant.hover(self._offset(document, request))
        if found is None:
            return None
        return {"contents": {"kind": "markdown", "value": found.text}, "range": document.lines.range(found.span)}

    def _definition(self, document: Document, request: Request) -> dict[str, Any] | None:
        span = document.assistant.definition(self._offset(document, request))
        return None if span is None else {"uri": document.uri, "range": document.lines.range(span)}

    def _references(self, document: Document, request: Request) -> list[dict[str, Any]]:
        offset = self._offset(document, request)
        spans = document.assistant.references(offset)
        if not request.get("with_declaration", True):
            definition = document.assistant.definition(offset)
            spans = [span for span in spans if span != definition]
        return [{"uri": document.uri, "range": document.lines.range(span)} for span in spans]

    def _prepare_rename(self, document: Document, request: Request) -> dict[str, Any] | None:
        span = document.assistant.renamable(self._offset(document, request))
        if span is None:
            return None
        words = document.lines.data[slice(*span)].decode("utf-8", "replace")
        return {"range": document.lines.range(span), "placeholder": words}

    def _rename(self, document: Document, request: Request) -> dict[str, Any]:
        edits = document.assistant.rename(self._offset(document, request), request["name"])
        return {"changes": {document.uri: self._edits(document, edits)}}

    def _edits(self, document: Document, edits: list[Edit]) -> list[dict[str, Any]]:
        return [{"range": document.lines.range(edit.span), "newText": edit.text} for edit in edits]

    def _symbols(self, document: Document, _request: Request) -> list[dict[str, Any]]:
        def symbol(of: Symbol) -> dict[str, Any]:
            return {
                "name": of.name,
                "detail": of.detail,
                "kind": SYMBOL_KINDS[of.kind],
                "range": document.lines.range(of.span),
                "selectionRange": document.lines.range(of.name_span),
                "children": [symbol(child) for child in of.children],
            }

        return [symbol(of) for of in document.assistant.symbols()]

    def _folding(self, document: Document, _request: Request) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for fold in document.assistant.folds():
            first, last = (document.lines.position(at)["line"] for at in fold.span)
            if last > first:
                made.append({"startLine": first, "endLine": last, "kind": fold.kind})
        return made

    def _formatting(self, document: Document, _request: Request) -> list[dict[str, Any]]:
        return self._edits(document, document.assistant.layout())

    def _actions(self, document: Document, request: Request) -> list[dict[str, Any]]:
        """The changes that mend findings; `diagnostics` are those of the place, as they were sent."""
        made: list[dict[str, Any]] = []
        for one in request.get("diagnostics", []):
            fix = one.get("data")
            if not isinstance(fix, dict) or not {"title", "text", "range"} <= fix.keys():
                continue
            edit = {"range": fix["range"], "newText": fix["text"]}
            made.append(
                {
                    "title": fix["title"],
                    "kind": "quickfix",
                    "diagnostics": [one],
                    "isPreferred": True,
                    "edit": {"changes": {document.uri: [edit]}},
                }
            )
        return made


def _has_slots(text: str) -> bool:
    with suppress(Xg2LabError):
        return any(mention.kind == "slot" for mention in RulesText(text, "template").names.mentions)
    return False


def _shown(span: tuple[int, int], data: bytes) -> tuple[int, int]:
    """A span that can be underlined: of an empty one the byte at it, or before it at the end of the text."""
    if span[1] > span[0]:
        return span
    return (span[0], span[0] + 1) if span[0] < len(data) else (max(0, len(data) - 1), len(data))


def _plain(snippet: str) -> str:
    from xg2lab.editing.snippets import filled

    return filled(snippet)


def _docs() -> str:
    """The address of docs/diagnostics.md, where the package is used from its repository; else nothing."""
    path = Path(__file__).resolve().parents[2] / "docs" / "diagnostics.md"
    return path.as_uri() if path.is_file() else ""
