r"""The tokenizer of the tiny model: byte-level BPE, 2,048 tokens, learnt from the corpus.

>>> tokenizer = learn(n_documents=200, n_tokens=600)
>>> tokenizer.decode(tokenizer("Zürich\n").input_ids)
'Zürich\n'

Any bytes go in and the same bytes come out: the alphabet is the 256 bytes, and what no merge covers is written
byte by byte. One choice is unusual: a space never joins the word after it. `Oslo` is then the same tokens after a
space (in the request) and after a quotation mark (in the answer), and copying is a matter of repeating tokens.
Punctuation does join punctuation and space, so tokens such as `": "` cross the edges of grammar rules.

*Ids.* Bytes and merges first, then the added pieces: `SPECIAL` (never text) and `MARKERS` (text that is kept whole).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from xg2lab.tiny.formats import MARKERS
from xg2lab.tiny.training.corpus import document, examples

__all__ = ["N_POSITIONS", "N_TOKENS", "SPECIAL", "learn"]

N_TOKENS = 2048
#: What the model reads: prompt and answer together, in tokens.
N_POSITIONS = 2048
END_OF_TEXT, TURN_START, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
SPECIAL: tuple[str, ...] = (END_OF_TEXT, TURN_START, TURN_END)

#: A word (with its underscores), one or two digits, or a run of anything else (punctuation and
#: space together).
PIECES = r"[\p{L}\p{M}_]+|\p{N}{1,2}|[^\p{L}\p{M}\p{N}_]+"

_CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def _texts(seed: int, n_documents: int) -> Iterator[str]:
    """The corpus without the added pieces, so that no merge is spent on them."""
    for example in islice(examples(seed), n_documents):
        text = "\0".join(document(example))
        for piece in (*SPECIAL, *MARKERS):
            text = text.replace(piece, "\0")
        yield from text.split("\0")


def learn(*, seed: int = 1, n_documents: int = 20_000, n_tokens: int = N_TOKENS) -> PreTrainedTokenizerFast:
    """Learn the merges from `n_documents` of the corpus and add the pieces that stay whole."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=n_tokens - len(SPECIAL) - len(MARKERS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_texts(seed, n_documents), trainer)
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False) for piece in SPECIAL])
    tokenizer.add_tokens([AddedToken(piece, special=False, normalized=False) for piece in MARKERS])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=END_OF_TEXT,
        eos_token=TURN_END,
        pad_token=END_OF_TEXT,
        chat_template=_CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False,
        model_max_length=N_POSITIONS,
    )
