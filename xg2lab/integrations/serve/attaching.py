"""A running server from a notebook: each of its requests as a session, also while it is still writing.

    import xg2lab as xgr
    requests = xgr.attach("http://127.0.0.1:8000")
    session = requests[-1]          # the newest request: a Session with every view
    requests.refresh(session)       # the tokens written since then

A session is a snapshot: it has the tokens that were written when it was made. `refresh` takes the new ones in the same
session, so that open views show them.

Light: the standard library and the lab. The server's packages are not needed to look at a server elsewhere.

See also: `live.py`, the other end; docs/serve.md.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

from xg2lab.errors import ArgumentError, DeserializeFormatError, SessionError
from xg2lab.flight import FlightRecord
from xg2lab.support.files import MOST_BYTES, read_stream
from xg2lab.tokenizer_info import TokenizerInfo

if TYPE_CHECKING:
    from xg2lab.lab.session.session import Session

__all__ = ["Attached", "attach"]

_HINT = "is the server running? `xg2lab serve` says its address when it starts"


def attach(url: str, *, api_key: str | None = None, timeout: float = 10.0) -> Attached:
    """Look at the requests of a server that `xg2lab serve` started.

    Parameters
    ----------
    url : str
        The server's address, with or without `/v1`.
    api_key : str, optional
        The server's key; the environment variable `XG2LAB_API_KEY` if left out.
    timeout : float
        Seconds that one question may take.

    Returns
    -------
    Attached
        The running and recent requests, the oldest first.

    Raises
    ------
    ArgumentError
        The address is none of http or https.
    SessionError
        The server can't be reached, or refuses the key.

    >>> attach("127.0.0.1:8000")
    Traceback (most recent call last):
    xg2lab.errors.ArgumentError: '127.0.0.1:8000' is no address of a server
      hint: http://127.0.0.1:8000

    See also: docs/serve.md.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ArgumentError(f"{url!r} is no address of a server", hint="http://127.0.0.1:8000")
    base = url.rstrip("/").removesuffix("/v1").removesuffix("/live")
    attached = Attached(base, api_key or os.environ.get("XG2LAB_API_KEY"), timeout)
    len(attached)  # now is the time to say that nobody is there
    return attached


class Attached:
    """The requests of a server; `attach` makes it.

    Parameters
    ----------
    url : str
        The server's address.
    api_key : str or None
        Its key.
    timeout : float
        Seconds that one question may take.

    `attach` has an example of an error; tests attach to a server.
    """

    def __init__(self, url: str, api_key: str | None, timeout: float) -> None:
        self.url, self._api_key, self._timeout = url, api_key, timeout
        self._tokenizer: TokenizerInfo | None = None
        self._ids: WeakKeyDictionary[Session, str] = WeakKeyDictionary()

    def requests(self) -> list[dict[str, Any]]:
        """Return what the server says of its requests.

        Returns
        -------
        list of dict
            The oldest first: `id`, `endpoint`, `constraint`, `state`, `n_tokens`, `text`, times and more.

        Raises
        ------
        SessionError
            The server can't be reached, or refuses the key.

        Tests attach to a server.
        """
        value: Any = self._json("/live")
        listed = cast("Any", value).get("requests") if isinstance(value, dict) else None
        if not isinstance(listed, list) or not all(_is_entry(each) for each in cast("list[Any]", listed)):
            raise SessionError(f"{self.url}/live is no list of requests", hint=_HINT)
        return cast("list[dict[str, Any]]", listed)

    def __len__(self) -> int:
        """Return how many requests the server knows now."""
        return len(self.requests())

    def __iter__(self) -> Iterator[Session]:
        """Yield a session of each request that the server knows now."""
        for each in self.requests():
            yield self[each["id"]]

    def __getitem__(self, place: int | str) -> Session:
        """Return a session of a request: by its place in the list, or by its id.

        Raises `IndexError` and `KeyError` where there is none.
        """
        if isinstance(place, str):
            name = place
        else:
            listed = self.requests()
            name = str(listed[place]["id"])
        from xg2lab.lab.session.flights import of_flight

        session = of_flight(self._record(name), self._tokenizer_info())
        self._ids[session] = name
        return session

    def refresh(self, session: Session) -> int:
        """Take the tokens that were written since a session was made, or last refreshed.

        Parameters
        ----------
        session : Session
            One of this object's.

        Returns
        -------
        int
            How many tokens were new.

        Raises
        ------
        SessionError
            The session is of another server, or can't be reached.
        KeyError
            The server has forgotten the request.

        Tests attach to a server.
        """
        name = self._ids.get(session)
        if name is None:
            raise SessionError("this session is of no request of this server", hint="requests[-1] makes one")
        record = self._record(name)
        ids, known = list(record.all_ids), session.output_ids
        if ids[: len(known)] != known:
            session.replay(ids)  # tokens were taken back
            return len(ids)
        if record.refused is not None:
            if len(ids) > len(known) and session.replayed is None:
                session.replay(ids)
            return len(ids) - len(known)
        for token_id in ids[len(known) :]:
            session.force(token_id)
        return len(ids) - len(known)

    def __repr__(self) -> str:
        """Return the address and the newest requests."""
        listed = self.requests()
        lines = [f"{each['id']}  {each.get('state')}  {each.get('n_tokens')} tokens" for each in listed[-10:]]
        return "\n".join([f"{len(listed)} requests of {self.url}", *lines])

    # ---- Inside ---------------------------------------------------------------------------------

    def _record(self, name: str) -> FlightRecord:
        data = self._get(f"/live/{quote(name, safe='')}")
        return FlightRecord.from_json(data, name=f"request {name}")

    def _tokenizer_info(self) -> TokenizerInfo:
        if self._tokenizer is None:
            self._tokenizer = TokenizerInfo.deserialize_json(self._get("/live/tokenizer").decode())
        return self._tokenizer

    def _json(self, path: str) -> Any:
        try:
            return json.loads(self._get(path))
        except ValueError as error:
            raise DeserializeFormatError(f"{self.url}{path} is not JSON: {error}"[:200], hint=_HINT) from error

    def _get(self, path: str) -> bytes:
        headers = {} if self._api_key is None else {"Authorization": f"Bearer {self._api_key}"}
        request = urllib.request.Request(self.url + path, headers=headers)  # noqa: S310 (http or https: `attach` looks)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as answer:  # noqa: S310
                return read_stream(answer, MOST_BYTES, self.url + path)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 404 and path.startswith("/live/"):
                    raise KeyError(path.removeprefix("/live/")) from None
                hint = "pass api_key=, or set XG2LAB_API_KEY" if error.code == 401 else _HINT
                raise SessionError(f"{self.url}{path} answers {error.code} {error.reason}", hint=hint) from None
        except OSError as error:
            raise SessionError(f"{self.url} can't be reached: {error}"[:300], hint=_HINT) from error


def _is_entry(value: object) -> bool:
    return isinstance(value, dict) and isinstance(cast("dict[str, Any]", value).get("id"), str)
