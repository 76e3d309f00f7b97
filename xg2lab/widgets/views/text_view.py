"""TextView: the prompt or the chat's messages, and what was written after them."""

from __future__ import annotations

from typing import Any

from xg2lab.widgets.view import View

__all__ = ["TextView"]


class TextView(View):
    """Shows what the model read and what was written, as text: a mark below each token says what chose it.

    A click on a token selects its step. The prompt can be edited in the view, and the session begun again.

    Parameters
    ----------
    session : Session
        The session to show.

    >>> import xg2lab as xgr
    >>> session = xgr.Session('root ::= "ab"', xgr.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2]))
    >>> steps = session.force("a")
    >>> view = TextView(session)
    >>> view.data()["tokens"]
    [{'step': 0, 'text': 'a', 'kind': 'forced_by_user'}]
    >>> view.lines()
    ['output: a', '1 token: 1 forced_by_user']
    """

    PANEL = "text_view"

    def data(self) -> dict[str, Any]:
        """Return what was read and what was written.

        Returns
        -------
        dict
            `prompt`, the text that the model read; `messages`, those that a chat template made it of, or None;
            `tokens`, a dict with `step`, `text` and `kind` for each token taken.
        """
        header = self.lab_session.trace.header
        taken = [step for step in self.lab_session.trace.steps if step.kind is not None]
        tokens = [{"step": step.index, "text": step.text, "kind": step.kind} for step in taken]
        return {"prompt": header["prompt"], "messages": header.get("messages"), "tokens": tokens}

    def lines(self) -> list[str]:
        """Return messages or prompt, the output, and how many tokens were chosen by whom.

        Returns
        -------
        list of str
            A line each; a text of several lines takes several.
        """
        facts = self.data()
        read = facts["messages"] or ([{"role": "prompt", "content": facts["prompt"]}] if facts["prompt"] else [])
        out = [line for part in read for line in f"{part['role']}: {part['content']}".splitlines()]
        out += f"output: {self.lab_session.text}".splitlines()
        kinds = [token["kind"] for token in facts["tokens"]]
        counted = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        words = "1 token" if len(kinds) == 1 else f"{len(kinds)} tokens"
        return [*out, f"{words}: {counted}" if kinds else "no token was taken yet"]
