"""The training text: requests in English, each with the one answer that is right, in a format that is named.

>>> import random
>>> example = draw(random.Random(7))
>>> from xg2lab.tiny.formats import read
>>> example.format == COPY or read(example.format, example.completion) == example.answer
True

An example is drawn in three steps: a tool (or record) with values, a sentence that says them, a format to answer
in. Every value is in the sentence literally, so the right answer is a matter of copying and choosing, not of
knowing. One example in `1 / COPY_SHARE` is a bare copying task (words in, JSON list out): it is there because
copying is what a small model learns last.

*Shapes and units.* `document(example)` is `(prompt, completion)`, two texts; the model is trained on their tokens
one after the other. The same seed gives the same text on every machine.

See also `words.py` (the words) and `xg2lab/tiny/formats.py` (the formats).
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass

from xg2lab.tiny import prompt
from xg2lab.tiny.formats import FORMATS, with_analysis, write
from xg2lab.tiny.tools import CURRENCIES, FIELDS, RECORD_NAMES, TOOL_NAMES, UNITS, Answer, Field, Value
from xg2lab.tiny.training.words import city, email, made_up, person, phrase

__all__ = ["COPY", "Example", "document", "draw", "examples"]

#: The training-only format: `copy: a b c` is answered by `["a", "b", "c"]`.
COPY = "copy"
COPY_SHARE = 0.12
ANALYSIS_SHARE = 0.3


@dataclass(frozen=True)
class Example:
    """A request, the format to answer in, the right answer, and that answer written down."""

    request: str
    format: str
    answer: Answer
    completion: str


# ---- Sentences: `{field}` stands where the value is said. ---------------------------------------

_SENTENCES: dict[str, tuple[str, ...]] = {
    "get_weather": (
        "What is the weather in {city}?",
        "What is the weather like in {city} today?",
        "How warm is it in {city} right now?",
        "How cold is {city}?",
        "Tell me the weather in {city}.",
        "Is it raining in {city}?",
        "Weather for {city}",
        "I am going to {city}, what is the weather there?",
        "What is the weather in {city} in {unit}?",
        "Give me the temperature in {city} in {unit}.",
        "Weather in {city}, {unit} please",
        "How many degrees {unit} is it in {city}?",
        "Check the weather in {city} and use {unit}.",
    ),
    "set_timer": (
        "Set a timer for {minutes} minutes.",
        "Timer, {minutes} minutes",
        "Wake me in {minutes} minutes.",
        "Start a {minutes} minute timer.",
        "Count down {minutes} minutes.",
        "Set a timer for {minutes} minutes called {label}.",
        "Set a {minutes} minute timer for {label}.",
        "Start a timer named {label} for {minutes} minutes.",
        "Remind me about {label} in {minutes} minutes.",
        "I need {minutes} minutes for {label}, set a timer.",
    ),
    "send_email": (
        "Send an email to {to} with the subject {subject}.",
        "Email {to} about {subject}.",
        "Write to {to}, subject: {subject}",
        "Send {to} a message about {subject}.",
        'Mail {to} with the subject "{subject}".',
        "Compose an email about {subject} and send it to {to}.",
        "Let {to} know about {subject} by email.",
    ),
    "search_flights": (
        "Find flights from {origin} to {destination} on {date}.",
        "Search a flight {origin} to {destination}, {date}",
        "I need to fly from {origin} to {destination} on {date}.",
        "Flights to {destination} from {origin} on {date}?",
        "On {date} I want to travel from {origin} to {destination} by plane.",
        "Which planes leave {origin} for {destination} on {date}?",
        "Book me a flight to {destination} on {date}, I start in {origin}.",
    ),
    "add_event": (
        "Add the event {title} on {date} at {time}.",
        "Put {title} in my calendar for {date} at {time}.",
        "Schedule {title} on {date}, {time}.",
        "Create an event called {title} on {date} at {time}.",
        "On {date} at {time} I have {title}, add it to my calendar.",
        "New event: {title}, {date}, {time}",
    ),
    "convert_currency": (
        "Convert {amount} {source} to {target}.",
        "How much is {amount} {source} in {target}?",
        "What is {amount} {source} in {target}?",
        "Change {amount} {source} into {target}.",
        "I have {amount} {source}, how many {target} is that?",
        "Give me the {target} for {amount} {source}.",
    ),
    "person": (
        "{name} is {age} years old and lives in {city}.",
        "{name}, {age}, lives in {city}.",
        "In {city} lives {name}, who is {age}.",
        "My neighbour {name} from {city} turned {age}.",
        "This is {name} from {city}, age {age}.",
        "{name} moved to {city} at the age of {age}.",
    ),
    "order": (
        "The customer ordered {quantity} {item} at {price} each.",
        "{quantity} {item} for {price}, please.",
        "Order: {item}, {quantity} pieces, price {price}.",
        "We bought {quantity} {item} and paid {price}.",
        "Please ship {quantity} {item}; the price is {price}.",
        "At {price} each, we take {quantity} {item}.",
    ),
    "meeting": (
        "The meeting {title} is on {date} at {time}.",
        "{title} takes place on {date} at {time}.",
        "We meet on {date} at {time} about {title}.",
        "At {time} on {date} there is a meeting called {title}.",
        "Meeting: {title}, {date}, {time}.",
    ),
}

_BEFORE = ("Please ", "Hello! ", "Hi, ", "Quick question: ", "Could you help? ", "Hey. ")
_AFTER = (" Thanks!", " Thank you.", " Please.", " It is urgent.", " Cheers")


# ---- Values, one rule for each kind of field ----------------------------------------------------


def _text(rng: random.Random, field: Field, *, held_out: bool) -> str:
    if field.name in ("city", "origin", "destination"):
        return city(rng, held_out=held_out)
    if field.name == "to":
        return email(rng, held_out=held_out)
    if field.name == "name":
        return person(rng, held_out=held_out)
    return phrase(rng, held_out=held_out)


def _value(rng: random.Random, field: Field, *, held_out: bool) -> Value:
    match field.kind:
        case "text":
            return _text(rng, field, held_out=held_out)
        case "integer":
            return rng.randint(1, rng.choice((9, 60, 99, 500)))
        case "number":
            whole = rng.randint(1, rng.choice((9, 99, 999, 9999)))
            return whole if rng.random() < 0.5 else whole + rng.randint(1, 99) / 100
        case "date":
            return f"20{rng.randint(24, 39)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        case "time":
            return f"{rng.randint(0, 23):02}:{rng.choice((0, 15, 30, 45, rng.randint(0, 59))):02}"
        case "unit":
            return rng.choice(UNITS)
        case "currency":
            return rng.choice(CURRENCIES)


def _say(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _ask(rng: random.Random, name: str, *, held_out: bool) -> tuple[str, Answer]:
    sentence = rng.choice(_SENTENCES[name])
    values: dict[str, Value] = {}
    for field in FIELDS[name]:
        if f"{{{field.name}}}" in sentence:
            value = _value(rng, field, held_out=held_out)
            while value in values.values():  # no flight from a city to itself
                value = _value(rng, field, held_out=held_out)
            values[field.name] = value
    request = sentence.format(**{key: _say(value) for key, value in values.items()})
    if name in TOOL_NAMES and rng.random() < 0.2:
        request = rng.choice(_BEFORE) + (request if request.startswith("I ") else request[0].lower() + request[1:])
    if name in TOOL_NAMES and rng.random() < 0.1:
        request += rng.choice(_AFTER)
    return request, Answer(name, values)


def _copying(rng: random.Random) -> Example:
    words = [made_up(rng) if rng.random() < 0.8 else phrase(rng) for _ in range(rng.randint(3, 6))]
    words = [word.capitalize() if rng.random() < 0.4 else word for word in words]
    completion = json.dumps(words, ensure_ascii=False)
    return Example(", ".join(words), COPY, Answer(COPY, {}), completion)


# ---- The stream ---------------------------------------------------------------------------------


def draw(rng: random.Random, *, format: str | None = None, held_out: bool = False) -> Example:
    """One example. `format` fixes the format; `held_out` makes its words ones that training never sees."""
    if format is None and rng.random() < COPY_SHARE:
        return _copying(rng)
    chosen = format or rng.choice(FORMATS)
    name = rng.choice(RECORD_NAMES if chosen == "json" else TOOL_NAMES)
    request, answer = _ask(rng, name, held_out=held_out)
    completion = write(chosen, answer)
    if chosen == "harmony" and rng.random() < ANALYSIS_SHARE:
        completion = with_analysis(completion, f"Use {name}.")
    return Example(request, chosen, answer, completion)


def examples(seed: int) -> Iterator[Example]:
    """An endless stream of training examples: the same for the same seed."""
    rng = random.Random(seed)
    while True:
        yield draw(rng)


def document(example: Example) -> tuple[str, str]:
    """The prompt and the completion of an example, as the model reads them."""
    if example.format == COPY:
        return prompt(example.request, "json").replace("json format", "copy words", 1), example.completion
    return prompt(example.request, example.format), example.completion
