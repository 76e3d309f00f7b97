"""The language server over its standard streams, asked by pygls' own client: each language, and texts that do harm."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

from tests import event_loop
from xg2lab.editing.assistant import MOST_BYTES

LONGEST_S = 300  # of a test, on a machine that is busy
ENDING_S = 60  # of a server that was asked to end


class Client(LanguageClient):
    """An editor: it remembers the newest diagnostics of each text."""

    def __init__(self) -> None:
        super().__init__("test", "1")
        self.told: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.told.put_nowait(params))

    def open(self, uri: str, language: str, text: str) -> None:
        """Open a text."""
        self.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, version=1, text=text))
        )

    def change(self, uri: str, version: int, text: str) -> None:
        """Change a text as a whole."""
        self.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(version=version, uri=uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def found(self, uri: str, version: int) -> list[types.Diagnostic]:
        """The diagnostics of a version, when they come."""
        while True:
            told = await self.told.get()
            if (told.uri, told.version) == (uri, version):
                return list(told.diagnostics)


async def ended(client: Client) -> None:
    """End the server as an editor does."""
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


Script = Callable[[Client], Awaitable[None]]


def run(script: Script, *arguments: str, options: Any = None) -> None:
    """Run a script against a server of its own."""

    async def session() -> None:
        client = Client()
        limits = arguments or ("--answer-seconds", "100", "--diagnostics-seconds", "100")  # a busy machine's
        await client.start_io(sys.executable, "-m", "xg2lab", "lsp", *limits)
        item = types.ClientCompletionItemOptions(snippet_support=True)
        completion = types.CompletionClientCapabilities(completion_item=item)
        rename = types.RenameClientCapabilities(prepare_support=True)
        document = types.TextDocumentClientCapabilities(completion=completion, rename=rename)
        capabilities = types.ClientCapabilities(text_document=document)
        result = await client.initialize_async(
            types.InitializeParams(capabilities=capabilities, initialization_options=options)
        )
        assert result.capabilities.rename_provider == types.RenameOptions(prepare_provider=True)
        client.initialized(types.InitializedParams())
        try:
            await asyncio.wait_for(script(client), LONGEST_S)
        finally:
            await asyncio.wait_for(ended(client), ENDING_S)

    event_loop.run(session())


def at(uri: str, text: str) -> tuple[str, types.TextDocumentIdentifier, types.Position]:
    """A text without its caret, and the caret's place."""
    before, _, after = text.partition("‸")
    line = before.rpartition("\n")[2]
    place = types.Position(before.count("\n"), len(line.encode("utf-16-le")) // 2)
    return before + after, types.TextDocumentIdentifier(uri), place


#: language, uri, a text with a caret at a name, that name's places, codes of findings, a label that is offered there
LANGUAGES = [
    ("ebnf", "file:///a.ebnf", 'root ::= "😀" it‸em\nitem ::= [0-9] mis', 2, ["undefined_rule"], "item"),
    ("plaintext", "file:///a.gbnf", "root ::= it‸em item\nitem ::= [0-9]\nmore ::= item", 4, ["unused_rule"], "item"),
    ("lark", "file:///a.lark", "start: it‸em\nitem: NUM\nNUM: /[0-9]/\nX: /x/", 2, ["unused_rule"], "NUM"),
    (
        "json",
        "file:///a.schema.json",
        '{\n  "$defs": {"it‸em": {"minimun": 3}},\n  "$ref": "#/$defs/item"\n}',
        2,
        ["unknown_keyword"],
        None,
    ),
    (
        "json",
        "file:///a.tag.json",
        '{"type": "structural_tag", "format": {"type": "json_schema", "json_schema": '
        '{"$defs": {"it‸em": {}}, "$ref": "#/$defs/item"}, "nonsense": 1}}',
        2,
        ["unknown_field"],
        None,
    ),
]


@pytest.mark.parametrize(
    ("language", "uri", "marked", "n_places", "codes", "label"), LANGUAGES, ids=[r[1] for r in LANGUAGES]
)
def test_a_session_in_each_language(
    language: str, uri: str, marked: str, n_places: int, codes: list[str], label: str | None
) -> None:
    text, document, place = at(uri, marked)

    async def script(client: Client) -> None:
        client.open(uri, language, text)
        found = await client.found(uri, 1)
        assert [one.code for one in found] == codes
        assert all(one.source == "xg2lab" for one in found)
        references = await client.text_document_references_async(
            types.ReferenceParams(types.ReferenceContext(include_declaration=True), document, place)
        )
        assert references is not None
        assert len(references) == n_places
        definition = await client.text_document_definition_async(types.DefinitionParams(document, place))
        assert definition in references
        prepared = await client.text_document_prepare_rename_async(types.PrepareRenameParams(document, place))
        assert isinstance(prepared, types.PrepareRenamePlaceholder)
        assert prepared.placeholder == "item"
        edit = await client.text_document_rename_async(types.RenameParams(document, place, "things"))
        assert edit is not None
        assert edit.changes is not None
        assert len(edit.changes[uri]) == n_places
        if language != "json":  # where each text may be a name
            with pytest.raises(JsonRpcException, match="hint: names have letters"):
                await client.text_document_rename_async(types.RenameParams(document, place, ""))
        hover = await client.text_document_hover_async(types.HoverParams(document, place))
        assert hover is not None
        assert isinstance(hover.contents, types.MarkupContent)
        assert "item" in hover.contents.value
        symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
        assert symbols
        await client.text_document_folding_range_async(types.FoldingRangeParams(document))
        await client.text_document_formatting_async(
            types.DocumentFormattingParams(document, types.FormattingOptions(2, insert_spaces=True))
        )
        words = await client.text_document_completion_async(types.CompletionParams(document, place))
        assert isinstance(words, (list, tuple))
        if label is not None:
            (word,) = [one for one in words if one.label == label]
            assert isinstance(word.text_edit, types.TextEdit)
            assert word.text_edit.range.end == place
        client.change(uri, 2, "" if language != "json" else "{}")
        assert [one.code for one in await client.found(uri, 2)] == ([] if "tag" not in uri else ["missing_field"])

    run(script)


def test_a_fix_is_offered_and_other_places_are_named() -> None:
    uri = "file:///a.ebnf"
    text, document, _ = at(uri, "root ::= digts x\ndigits ::= [0-9]\nx ::= 'a'\nx ::= 'b'‸")

    async def script(client: Client) -> None:
        client.open(uri, "ebnf", text)
        found = {one.code: one for one in await client.found(uri, 1)}
        wrong, twice = found["undefined_rule"], found["duplicate_rule"]
        assert [one.message for one in wrong.related_information or ()] == ["`digits` is defined here"]
        (first,) = twice.related_information or ()
        assert (first.message, first.location.range.start) == ("the first definition is here", types.Position(2, 0))
        assert wrong.code_description is not None
        assert wrong.code_description.href.endswith("docs/diagnostics.md")
        actions = await client.text_document_code_action_async(
            types.CodeActionParams(document, wrong.range, types.CodeActionContext([wrong]))
        )
        assert actions is not None
        (action,) = actions
        assert isinstance(action, types.CodeAction)
        assert action.edit is not None
        assert action.edit.changes is not None
        assert list(action.edit.changes[uri]) == [types.TextEdit(wrong.range, "digits")]

    run(script)


def test_settings_reach_the_readers() -> None:
    schema = '{"type": "array", "uniqueItems": true}'

    async def refuses(client: Client) -> None:
        client.open("file:///a.schema.json", "json", schema)
        assert [(one.code, one.severity) for one in await client.found("file:///a.schema.json", 1)] == [
            ("unsupported_unique_items", types.DiagnosticSeverity.Error)
        ]

    async def relaxes(client: Client) -> None:
        client.open("file:///a.schema.json", "json", schema)
        (found,) = await client.found("file:///a.schema.json", 1)
        assert (found.code, found.severity) == ("relaxed_keyword", types.DiagnosticSeverity.Warning)
        assert found.code_description is not None
        assert found.code_description.href == "https://example.org/codes"

    run(refuses)
    run(relaxes, options={"onUnsupported": "relax", "docs": "https://example.org/codes"})


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Workers in which each text that holds `forever` takes for ever."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "if any('lsp.worker' in word for word in getattr(sys, 'orig_argv', [])):\n"
        "    import time\n"
        "    import xg2lab.editing.assistant as module\n"
        "    read = module.Assistant.read\n"
        "    def held(self, text):\n"
        "        while 'forever' in text:\n"
        "            time.sleep(1)\n"
        "        read(self, text)\n"
        "    module.Assistant.read = held\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("slow")
def test_a_text_that_takes_for_ever_blocks_nobody() -> None:
    good, bad = "file:///good.ebnf", "file:///bad.ebnf"
    text, document, place = at(good, "root ::= it‸em\nitem ::= [0-9]")

    async def script(client: Client) -> None:
        client.open(bad, "ebnf", 'root ::= "forever"')
        (found,) = await client.found(bad, 1)
        assert (found.code, found.severity) == ("not_analysed", types.DiagnosticSeverity.Warning)
        assert "took more than 10 s" in found.message
        asked = types.HoverParams(types.TextDocumentIdentifier(bad), types.Position(0, 1))
        assert await client.text_document_hover_async(asked) is None  # after the deadline, no answer
        client.open(good, "ebnf", text)
        assert await client.found(good, 1) == []
        assert await client.text_document_hover_async(types.HoverParams(document, place)) is not None
        client.change(bad, 2, 'root ::= "ok"')
        assert await client.found(bad, 2) == []

    run(script, "--answer-seconds", "10", "--diagnostics-seconds", "10")


@pytest.mark.usefixtures("slow")
def test_a_newer_text_does_not_wait_for_an_older_one() -> None:
    uri = "file:///a.ebnf"

    async def script(client: Client) -> None:
        client.open(uri, "ebnf", 'root ::= "forever"')
        await asyncio.sleep(1.5)  # so that the worker is at it, if it is quick; if not, the text is skipped
        client.change(uri, 2, 'root ::= "ok" x')
        assert [one.code for one in await client.found(uri, 2)] == ["undefined_rule"]

    run(script, "--diagnostics-seconds", "3000")  # LONGEST_S would be over before


def test_a_text_that_is_too_long_is_said_to_be() -> None:
    async def script(client: Client) -> None:
        client.open("file:///a.ebnf", "ebnf", "#" * (MOST_BYTES + 1))
        (found,) = await client.found("file:///a.ebnf", 1)
        assert found.code == "not_analysed"
        assert "at most 1,048,576 bytes" in found.message
        asked = types.DocumentSymbolParams(types.TextDocumentIdentifier("file:///a.ebnf"))
        assert await client.text_document_document_symbol_async(asked) is None

    run(script)


HOSTILE = [
    ("json-schema", "[" * 200_000),
    ("json-schema", '{"properties": ' * 20_000),
    ("ebnf", "root ::= " + "(" * 200_000),
    ("ebnf", "root ::= \ud83d\ude00 '\x00' \u202e"),
    ("lark", "start: " + "a{" * 50_000),
    ("regex", "(" * 200_000),
    ("structural-tag", '{"format": ' * 5_000),
]


def test_hostile_texts_have_findings_and_answers() -> None:
    async def script(client: Client) -> None:
        for number, (language, text) in enumerate(HOSTILE):
            uri = f"untitled:{number}"
            client.open(uri, language, text)
            assert await client.found(uri, 1)
            document = types.TextDocumentIdentifier(uri)
            await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
            await client.text_document_folding_range_async(types.FoldingRangeParams(document))
            for place in (types.Position(0, 12), types.Position(10**6, 10**6)):
                await client.text_document_completion_async(types.CompletionParams(document, place))
                await client.text_document_hover_async(types.HoverParams(document, place))

    run(script)


def test_without_pygls_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from xg2lab.cli import main

    monkeypatch.setitem(sys.modules, "pygls", None)
    assert main(["lsp"]) == 2
    assert 'hint: pip install "xg2lab[lsp]"' in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["lsp", "--answer-seconds", "0"])
    assert "0 is not between 0 and 3600 seconds" in capsys.readouterr().err
