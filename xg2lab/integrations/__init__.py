"""Where tokens are made: the engine inside servers of others, a server of our own for a lab, and sweeps over schemas.

    XG2LAB_VLLM=1 python -m vllm.entrypoints.openai.api_server ...
    XG2LAB_SGLANG=1 python -m sglang.launch_server --grammar-backend xg2lab ...
    xg2lab serve
    xg2lab sweep schemas.jsonl --out rows.parquet

>>> from xg2lab.integrations.requests import check_request, request_grammar
>>> check_request(request_grammar("regex", "[0-9]{3}"))

`vllm`, `sglang` and `tensorrt_llm` are plug-ins. What they share stands beside: a request's grammar (`requests`), one
text that is being written (`texts`), and the comparison of a server's signatures with those that a plug-in was written
for (`contracts`). No server is imported before its own plug-in is called, and `import xg2lab` imports none of this.

See also: docs/serving.md, docs/serve.md and docs/sweeps.md.
"""

from __future__ import annotations
