"""`xg2lab serve`: an OpenAI-compatible server for a lab, whose constrained requests are constrained or refused.

    xg2lab serve                                  the tiny model on http://127.0.0.1:8000/v1, without a network
    xg2lab serve Qwen/Qwen3-0.6B --device cuda    any causal language model of Hugging Face

The modules, in the order in which a request passes them:

    app.py            routes, the key, limits of bodies and requests
    fields.py         fields of a JSON body, each checked, no unknown one ignored
    orders.py         a body as an order: prompt, sampling, constraint
    constraints.py    what the text has to be, and its compiled grammar
    tools.py          tools, the choice among them, and the structural tag that lets them be called
    scheduler.py      one decode thread; requests join and leave between steps
    batch.py          the sequences of a step in one key-value cache
    sampling.py       from logits and masks to tokens
    texts.py          tokens as text, as soon as it is certain
    answers.py        text as content, reasoning and tool calls, as soon as they are certain
    chat.py, completions.py, responses.py    answers in OpenAI's forms
    live.py           running and recent requests, for people and for the workbench

See also: docs/serve.md; docs/design/0060-serve.md.
"""
