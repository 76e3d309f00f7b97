"""The tokenizer: bytes in, the same bytes out; markers whole; the same word the same tokens wherever it stands."""

from __future__ import annotations

import pytest

pytest.importorskip("transformers")

from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from xg2lab.tiny import FORMATS, prompt, tiny_model_path
from xg2lab.tiny.formats import MARKERS
from xg2lab.tiny.training.tokenizer import N_TOKENS, SPECIAL, learn

SHIPPED = AutoTokenizer.from_pretrained(tiny_model_path())


@given(st.text())
@settings(max_examples=300, deadline=None)
def test_any_text_comes_back(text: str) -> None:
    assert SHIPPED.decode(SHIPPED(text).input_ids) == text


@pytest.mark.parametrize(
    "text", ["", " ", "  two  spaces ", "a\r\n\tb", "\0", "Zürich 東京 🦊 e\u0301", "<tool_call", "I 'm ."]
)
def test_awkward_texts_come_back(text: str) -> None:
    assert SHIPPED.decode(SHIPPED(text).input_ids) == text


def test_learning_is_deterministic_and_gives_the_shipped_tokens() -> None:
    tokenizer = learn()
    assert len(tokenizer) == N_TOKENS == len(SHIPPED)
    assert tokenizer.get_vocab() == SHIPPED.get_vocab()


def test_markers_are_one_token_and_text_while_special_tokens_are_not_text() -> None:
    for marker in MARKERS:
        ids = SHIPPED(marker).input_ids
        assert len(ids) == 1
        assert ids[0] not in SHIPPED.all_special_ids
    assert set(SHIPPED.all_special_tokens) <= set(SPECIAL)  # the library names those with a role
    added = SHIPPED.added_tokens_decoder
    assert {token.content for token in added.values() if token.special} == set(SPECIAL)
    assert {token.content for token in added.values() if not token.special} == set(MARKERS)


def test_every_byte_has_a_token() -> None:
    single = {token for token in SHIPPED.get_vocab() if len(token) == 1}
    assert len(single) == 256


def test_a_word_is_the_same_tokens_after_a_space_and_after_a_quotation_mark() -> None:
    for word in ("Lisbon", "violin", "Málaga"):
        ids = SHIPPED(word).input_ids
        for text in (f"in {word}?", f'{{"city": "{word}"}}', f"<escape>{word}<escape>"):
            whole = SHIPPED(text).input_ids
            assert any(whole[i : i + len(ids)] == ids for i in range(len(whole)))


def test_prompt_and_chat_template_agree() -> None:
    for name in FORMATS:
        said = name.removesuffix("_function")  # the word that the shipped model learned
        messages = [{"role": "system", "content": f"{said} format"}, {"role": "user", "content": "Hi"}]
        text = SHIPPED.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        assert text == prompt("Hi", name)
