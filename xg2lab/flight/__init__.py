"""A flight recorder for servers: the requests that went wrong, one small file each, that the workbench opens.

>>> import tempfile
>>> import xg2lab as xgr
>>> info = xgr.TokenizerInfo(["[", "]", "1", "x", "</s>"], stop_token_ids=[4])
>>> recorder = FlightRecorder(tempfile.mkdtemp(), when="refusal")
>>> flight = recorder.begin("request-7", FlightGrammar("ebnf", 'root ::= "[" [0-9]+ "]"'), info, host="demo")
>>> flight.masked(2_400)
>>> flight.accepted([0, 2])
>>> flight.refused(3)
>>> flight.end("refused")
>>> recorder.close()
>>> record = FlightRecord.load(recorder.files()[0])
>>> record.end, record.refused.step, record.grammar.text
('refused', 2, 'root ::= "[" [0-9]+ "]"')

A flight is one request: its grammar, its tokens, its times. The decode path only appends to lists. A thread of the
recorder does the rest: whether a file is written at all, redaction, compression, and the bounds of the folder.

This package needs the engine alone. `xg2lab.lab.open_flight` makes a session of a file, and `xg2lab open FILE` prints
it. See also docs/flight.md for users and docs/design/0058-flight-recorder.md for what was decided.
"""

from __future__ import annotations

from xg2lab.flight.grammars import KINDS, FlightGrammar
from xg2lab.flight.record import ENDS, FlightRecord, FlightTokenizer, MaskTimes, Refused, is_flight
from xg2lab.flight.recorder import Flight, FlightRecorder, FlightStatistics
from xg2lab.flight.redaction import Redacted, redact
from xg2lab.flight.tokenizers import fingerprint, tokenizer_beside

__all__ = [
    "ENDS",
    "KINDS",
    "Flight",
    "FlightGrammar",
    "FlightRecord",
    "FlightRecorder",
    "FlightStatistics",
    "FlightTokenizer",
    "MaskTimes",
    "Redacted",
    "Refused",
    "fingerprint",
    "is_flight",
    "redact",
    "tokenizer_beside",
]
