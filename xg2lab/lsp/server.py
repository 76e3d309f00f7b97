"""The language server: pygls speaks the protocol, two worker processes read the texts.

    xg2lab lsp                          over the standard streams, as editors start it

IDEA
  The event loop does no work on texts, so it always answers. Diagnostics have a worker of their own: hovers and
  completion do not wait for a search that takes seconds. Diagnostics are made when the author has not typed for
  `REST_S`; a newer text takes the place of an older one.

Settings (`initializationOptions`): `onUnsupported` ("error" or "relax"), `strict` (false: schemas allow undeclared
properties), `root` (the rule that a whole output must match), `ambiguitySeconds`, `docs` (the address of the page that
explains codes).

See also: docs/language-server.md, docs/design/0053-language-server.md; `xg2lab.lsp.analysis`, which answers.
"""

from __future__ import annotations

import asyncio
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

import xg2lab
from xg2lab.editing.assistant import MOST_BYTES
from xg2lab.errors import ArgumentError, LimitError
from xg2lab.lsp.pool import SlowTextError, Worker

__all__ = ["GrammarServer", "serve"]

REST_S = 0.25  # without another key, before diagnostics are made
ANSWER_S = 5.0  # for a question
DIAGNOSTICS_S = 15.0
TRIGGERS = ['"', "%", ".", "\\", "[", "$"]
_converter = get_converter()


class GrammarServer(LanguageServer):
    """One client's server.

    Parameters
    ----------
    answer_seconds, diagnostics_seconds : float
        How long a question, and the diagnostics of a text, may take before the worker that is at it is ended.
    """

    def __init__(self, answer_seconds: float = ANSWER_S, diagnostics_seconds: float = DIAGNOSTICS_S) -> None:
        super().__init__("xg2lab", xg2lab.__version__, text_document_sync_kind=types.TextDocumentSyncKind.Full)
        self.options: dict[str, Any] = {}
        self.has_snippets = False
        self._seconds = answer_seconds, diagnostics_seconds
        self._workers: tuple[Worker, Worker] | None = None
        self._diagnosing: dict[str, asyncio.Task[None]] = {}

    @property
    def workers(self) -> tuple[Worker, Worker]:
        """The worker for questions, and the one for diagnostics."""
        if self._workers is None:
            self._workers = Worker(self._seconds[0]), Worker(self._seconds[1])
        return self._workers

    # ---- Texts ----

    def changed(self, uri: str) -> None:
        """A text was opened or changed: make its diagnostics when the author rests."""
        before = self._diagnosing.pop(uri, None)
        if before is not None:
            before.cancel()
        self._diagnosing[uri] = asyncio.get_running_loop().create_task(self._diagnose(uri))

    async def closed(self, uri: str) -> None:
        """A text was closed: nothing is wrong with it any more."""
        task = self._diagnosing.pop(uri, None)
        if task is not None:
            task.cancel()
        self._publish(uri, None, [])
        for worker in self.workers:
            await worker.close_text(uri)

    async def ended(self) -> None:
        """The client has gone."""
        for task in self._diagnosing.values():
            task.cancel()
        for worker in self.workers:
            await worker.close()

    async def _diagnose(self, uri: str) -> None:
        await asyncio.sleep(REST_S)
        document = self.workspace.get_text_document(uri)
        version, text = document.version or 0, document.source
        try:
            self._check_size(text)
            found = await self._ask(self.workers[1], "diagnostics", uri, options=self.options)
        except (SlowTextError, LimitError, ArgumentError) as error:
            found = [_refusal(error)]
        document = self.workspace.text_documents.get(uri)
        if document is not None and (document.version or 0) == version:
            self._publish(uri, version, _converter.structure(found, list[types.Diagnostic]))

    def _publish(self, uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found, version))

    # ---- Questions ----

    @staticmethod
    def _check_size(text: str) -> None:
        if len(text) > MOST_BYTES:
            raise LimitError(f"the language server reads texts of at most {MOST_BYTES:,} bytes", hint="split it")

    async def _ask(self, worker: Worker, method: str, uri: str, **fields: Any) -> Any:
        document = self.workspace.get_text_document(uri)
        encoding = self.workspace.position_encoding or types.PositionEncodingKind.Utf16
        return await worker.ask(
            method,
            uri,
            document.version or 0,
            document.source,
            language=document.language_id or "",
            encoding=str(getattr(encoding, "value", encoding)),
            **fields,
        )

    async def answer(
        self, shape: Any, method: str, uri: str, position: types.Position | None = None, **fields: Any
    ) -> Any:
        """Ask the worker for questions; the answer has the shape of a type of the protocol.

        A text that is too long or too slow has no answer: its diagnostics say so.
        """
        if position is not None:
            fields["position"] = {"line": position.line, "character": position.character}
        try:
            self._check_size(self.workspace.get_text_document(uri).source)
            found = await self._ask(self.workers[0], method, uri, **fields)
        except LimitError:
            return None
        return None if found is None else _converter.structure(found, shape)


def _refusal(error: ArgumentError | LimitError) -> dict[str, Any]:
    """A finding that says why there are no others."""
    start = {"line": 0, "character": 0}
    return {
        "range": {"start": start, "end": {"line": 0, "character": 1}},
        "severity": 2,
        "code": "not_analysed",
        "source": "xg2lab",
        "message": f"this text was not analysed: {error.message}\nhint: {error.hint or 'shorten it'}",
    }


def _made(server: GrammarServer) -> GrammarServer:
    """The server with its features."""

    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        given = params.initialization_options
        server.options = dict(given) if isinstance(given, dict) else {}
        document = params.capabilities.text_document
        item = document and document.completion and document.completion.completion_item
        server.has_snippets = bool(item and item.snippet_support)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: types.DidCloseTextDocumentParams) -> None:
        await server.closed(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    async def ended(_params: None) -> None:
        await server.ended()

    _add_questions(server)
    return server


def _add_questions(server: GrammarServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=TRIGGERS))
    async def completion(params: types.CompletionParams) -> list[types.CompletionItem] | None:
        uri, at = params.text_document.uri, params.position
        return await server.answer(list[types.CompletionItem], "completion", uri, at, snippets=server.has_snippets)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await server.answer(types.Hover, "hover", params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> types.Location | None:
        return await server.answer(types.Location, "definition", params.text_document.uri, params.position)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location] | None:
        declares = params.context.include_declaration
        uri, at = params.text_document.uri, params.position
        return await server.answer(list[types.Location], "references", uri, at, with_declaration=declares)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        uri, at = params.text_document.uri, params.position
        return await server.answer(types.PrepareRenamePlaceholder, "prepare_rename", uri, at)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        uri, at = params.text_document.uri, params.position
        try:
            return await server.answer(types.WorkspaceEdit, "rename", uri, at, name=params.new_name)
        except ArgumentError as error:
            raise _invalid(error) from error

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        return await server.answer(list[types.DocumentSymbol], "symbols", params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange] | None:
        return await server.answer(list[types.FoldingRange], "folding", params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def formatting(params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        return await server.answer(list[types.TextEdit], "formatting", params.text_document.uri)

    @server.feature(
        types.TEXT_DOCUMENT_CODE_ACTION,
        types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix]),
    )
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        ours = [one for one in params.context.diagnostics if one.source == "xg2lab"]
        found = _converter.unstructure(ours)
        return await server.answer(list[types.CodeAction], "actions", params.text_document.uri, diagnostics=found)


def _invalid(error: ArgumentError) -> JsonRpcException:
    hint = f"\nhint: {error.hint}" if error.hint else ""
    return JsonRpcInvalidParams(error.message + hint)


def serve(answer_seconds: float = ANSWER_S, diagnostics_seconds: float = DIAGNOSTICS_S) -> None:
    """Serve over the standard streams until the client has gone."""
    _made(GrammarServer(answer_seconds, diagnostics_seconds)).start_io()
