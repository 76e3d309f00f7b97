"""How a server is set up: model, address, key, and limits, each with a default.

>>> ServeOptions().max_batch
64
>>> try:
...     ServeOptions(host="0.0.0.0")
... except ArgumentError as error:
...     print(error.hint)
pass --api-key or set XG2LAB_API_KEY; or bind to 127.0.0.1
"""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

from xg2lab.errors import ArgumentError

if TYPE_CHECKING:
    from xg2lab.flight import FlightRecorder

__all__ = ["ServeOptions", "is_loopback"]


def is_loopback(host: str) -> bool:
    """Whether an address is one that only this machine reaches.

    Parameters
    ----------
    host : str
        A name or an address.

    Returns
    -------
    bool
        False also for names that would have to be looked up.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class ServeOptions:
    """The options of a server.

    Parameters
    ----------
    model : str
        "tiny", "tiny_early", a Hugging Face id, or a folder.
    device, dtype : str
        As for `ModelRunner.load`.
    host, port : str, int
        Where to listen; port 0 takes a free one. Other hosts than loopback need a key.
    api_key : str, optional
        The key that clients send as `Authorization: Bearer KEY`.
    served_name : str, optional
        The model's name in requests; `model` itself if left out.
    tool_format : str, optional
        How the model writes tool calls, a name of `xg2lab.tool_calls.formats`; guessed from the model's name if left
        out.
    reasoning : "disabled", "auto" or "enabled"
        Whether answers have reasoning before them, in the marks of `tool_format`.
    max_body_bytes : int
        The largest body of a request.
    max_constraint_bytes : int
        The largest schema, grammar, pattern or list of tools, as JSON text.
    max_compile_seconds : float
        The most seconds of processor time for one constraint.
    max_tokens : int
        The most tokens of one answer.
    max_seconds : float
        The most seconds for one request, from its arrival.
    max_requests : int
        The most requests at one time, waiting ones included; beyond it, status 429.
    max_batch : int
        The most sequences in one step of the model; others wait.
    max_choices : int
        The largest `n`, and the most prompts of one completion request.
    max_recent : int
        How many finished requests `/live` keeps.
    flight : str, optional
        Which requests are recorded as files: "off", "refusal", "slow" or "always". This and the next four are those of
        `FlightRecorder`; what is left out comes from the environment variables `XG2LAB_FLIGHT` and so on.
    flight_dir : str, optional
        The folder of those files.
    flight_slow_ms : float, optional
        For "slow": milliseconds of one mask.
    flight_prompts : str, optional
        "omit" or "keep": whether the files hold prompts.
    flight_outputs : str, optional
        "redact" or "keep": whether free text in the files is replaced.

    Raises
    ------
    ArgumentError
        A limit is out of bounds, or a key is needed and missing.

    >>> ServeOptions(port=0).host
    '127.0.0.1'
    """

    model: str = "tiny"
    device: str = "auto"
    dtype: str = "auto"
    host: str = "127.0.0.1"
    port: int = 8000
    api_key: str | None = None
    served_name: str | None = None
    tool_format: str | None = None
    reasoning: Literal["disabled", "auto", "enabled"] = "disabled"
    max_body_bytes: int = 4 << 20
    max_constraint_bytes: int = 1 << 20
    max_compile_seconds: float = 2.0
    max_tokens: int = 4096
    max_seconds: float = 300.0
    max_requests: int = 256
    max_batch: int = 64
    max_choices: int = 16
    max_recent: int = 64
    flight: str | None = None
    flight_dir: str | None = None
    flight_slow_ms: float | None = None
    flight_prompts: str | None = None
    flight_outputs: str | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name.startswith("max_") and not value > 0:
                raise ArgumentError(f"{field.name} must be above 0, not {value}")
        if not 0 <= self.port < 1 << 16:
            raise ArgumentError(f"port {self.port} is not between 0 and 65535", hint="0 takes a free one")
        if self.api_key is not None and not self.api_key.strip():
            raise ArgumentError("the key is empty", hint="leave it out, or give one of at least 1 character")
        if self.api_key is None and not is_loopback(self.host):
            raise ArgumentError(
                f"{self.host} can be reached from other machines, and there is no key",
                hint="pass --api-key or set XG2LAB_API_KEY; or bind to 127.0.0.1",
            )
        if self.reasoning not in ("disabled", "auto", "enabled"):
            raise ArgumentError(f"reasoning is {self.reasoning!r}", hint="disabled, auto or enabled")

    def recorder(self) -> FlightRecorder:
        """Return the recorder that the options and the environment ask for.

        Returns
        -------
        FlightRecorder
            One that is off, if neither asks for one.

        Raises
        ------
        ArgumentError
            A value is none of its choices.

        >>> ServeOptions(flight="always", flight_dir="elsewhere").recorder().settings.when
        'always'
        """
        from xg2lab.flight import FlightRecorder

        words = {"": self.flight, "_DIR": self.flight_dir, "_SLOW_MS": self.flight_slow_ms}
        words |= {"_PROMPTS": self.flight_prompts, "_OUTPUTS": self.flight_outputs}
        given = {f"XG2LAB_FLIGHT{name}": str(value) for name, value in words.items() if value is not None}
        return FlightRecorder.from_environment({**os.environ, **given})

    @property
    def name(self) -> str:
        """The model's name in requests."""
        return self.served_name or self.model
