"""The engine inside servers of others: plug-ins for vLLM and SGLang, matchers for TensorRT-LLM.

    XG2LAB_VLLM=1 python -m vllm.entrypoints.openai.api_server ...
    XG2LAB_SGLANG=1 python -m sglang.launch_server --grammar-backend xg2lab ...

>>> from xg2lab.integrations.requests import check_request, request_grammar
>>> check_request(request_grammar("regex", "[0-9]{3}"))

Each server has a folder here. What they share stands beside: a request's grammar (`requests`), one text that is being
written (`texts`), and the comparison of a server's signatures with those that a plug-in was written for (`contracts`).
No server is imported before its own plug-in is called.

See also: docs/serving.md, docs/design/0061-servers.md.
"""

from __future__ import annotations
