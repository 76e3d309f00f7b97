"""The words of the corpus: real ones from short lists, and made-up ones that no list holds.

>>> import random
>>> city(random.Random(1)) == city(random.Random(1))
True

Why made-up words: a model of two million parameters learns a list of names by heart and then answers with one
of its list. Words that never come twice can only be copied, so copying is what it learns.

`HELD_OUT` words are never written, so that requests made of them (`held_out=True`) are new to the model.
"""

from __future__ import annotations

import random

__all__ = ["HELD_OUT", "city", "email", "made_up", "person", "phrase"]


def _list(words: str) -> list[str]:
    return words.split()


_CITIES = _list("""
    Berlin Paris Tokyo Madrid Rome London Vienna Prague Warsaw Athens Cairo Lagos Accra Lima Quito Boston Denver
    Austin Seattle Chicago Toronto Ottawa Vancouver Sydney Perth Auckland Delhi Mumbai Chennai Dhaka Bangkok Hanoi
    Manila Jakarta Seoul Osaka Beijing Shanghai Istanbul Ankara Tehran Baghdad Riyadh Doha Dubai Moscow Kyiv Riga
    Vilnius Helsinki Stockholm Copenhagen Hamburg Munich Cologne Geneva Zürich Basel Milan Naples Turin Venice Seville
    Valencia Porto Lyon Nice Bordeaux Brussels Antwerp Rotterdam Utrecht Glasgow Cardiff Belfast Leeds Bristol Houston
    Dallas Phoenix Miami Atlanta Detroit Portland Havana Caracas Santiago Brasília Córdoba Tunis Algiers Casablanca
    Dakar Kampala Harare
""")
_HELD_OUT_CITIES = _list("""
    Lisbon Oslo Kyoto Nairobi Montreal Bogota Dublin Tromso Krakow Budapest Bergen Málaga Tallinn Zagreb Mombasa
    Adelaide Kolkata Marseille Leipzig Bilbao
""")
_FIRST = _list("""
    Anna Ben Clara David Emma Felix Grace Hugo Ida Jonas Karin Leo Mia Noah Olga Paul Rosa Sam Tara Vera Aisha Omar
    Yuki Kenji Priya Arjun Wei Lin Carlos Lucia Pedro Sofia Ivan Nina Amara Kofi Fatima Hassan Björn Zoë
""")
_LAST = _list("""
    Keller Novak Silva Rossi Meyer Brown Garcia Singh Tanaka Kim Chen Ito Olsen Larsen Dubois Moreau Costa Lopez
    Haddad Khan Mensah Okafor Walker Turner Fischer Wagner Petrov Horvat Jansen Müller
""")
_HELD_OUT_NAMES = _list("Ines Duarte Bruno Tamsin Okoro Lindqvist Farah Delgado Mateo Vasquez")
_NOUNS = _list("""
    pasta rice eggs tea bread pizza laundry oven yoga stretch nap break dentist doctor haircut gym lunch dinner
    breakfast birthday wedding concert lecture exam homework report invoice budget contract project review plan
    schedule meeting interview training rehearsal picnic party garden kitchen roof window car bike train ticket hotel
    passport visa rent bill order parcel camera phone laptop charger keyboard lamp chair table desk shelf blanket
    pillow jacket boots gloves scarf umbrella bottle cup plate spoon knife basket candle mirror clock guitar piano
    drum book notebook pencil map puzzle kite tent rope
""")
_ADJECTIVES = _list("""
    green red blue black white small large old new quick slow warm cold wooden paper summer winter weekly monthly
    final first second team family school office travel spare
""")
_HELD_OUT_NOUNS = _list(
    "lentil soup boat repair violin lesson harbor copper kettles flute recital tax form bonsai pruning"
)
_DOMAINS = ("mail", "post", "office", "school", "studio", "shop")
_HELD_OUT_DOMAINS = ("harbor", "orchard", "museum")
_TOP_LEVELS = ("example", "org", "net")

HELD_OUT: frozenset[str] = frozenset(
    word.lower() for word in (*_HELD_OUT_CITIES, *_HELD_OUT_NAMES, *_HELD_OUT_NOUNS, *_HELD_OUT_DOMAINS)
)

_ONSETS = _list("b c d f g h j k l m n p r s t v w z b d k l m n p r s t br ch dr fl gr kl pr sh st th tr y")
_VOWELS = _list("a e i o u a e i o u ai ea io ou y")
_ACCENTED = _list("á é í ö ü å ø ñ ç ã")
_CODAS = ["", "", "", "", "", "", *_list("n r l s t m k nd rt st x")]


def made_up(rng: random.Random) -> str:
    """A lower-case word of one to three syllables that is on no list; one in twelve has an accented letter."""
    while True:
        n_syllables = rng.choice((1, 2, 2, 2, 3, 3))
        syllables = [rng.choice(_ONSETS) + rng.choice(_VOWELS) + rng.choice(_CODAS) for _ in range(n_syllables)]
        if rng.random() < 1 / 12:
            syllables.insert(rng.randrange(len(syllables) + 1), rng.choice(_ACCENTED))
        word = "".join(syllables)
        if len(word) > 2 and word not in HELD_OUT:
            return word


def _either(rng: random.Random, known: list[str], held_out: list[str] | None, share_known: float) -> str:
    if held_out is not None:
        return rng.choice(held_out)
    return rng.choice(known) if rng.random() < share_known else made_up(rng)


def city(rng: random.Random, *, held_out: bool = False) -> str:
    """A capitalised city name, now and then of two words."""
    name = _either(rng, _CITIES, _HELD_OUT_CITIES if held_out else None, 0.3)
    name = name[0].upper() + name[1:]
    if not held_out and rng.random() < 0.1:
        name = f"{rng.choice(('New', 'San', 'Port', 'Saint', 'Lake'))} {name}"
    return name


def person(rng: random.Random, *, held_out: bool = False) -> str:
    """A first name, mostly followed by a family name."""
    n_words = 1 if rng.random() < 0.3 else 2
    lists = (_FIRST, _LAST)[:n_words]
    words = [_either(rng, known, _HELD_OUT_NAMES if held_out else None, 0.3) for known in lists]
    return " ".join(word[0].upper() + word[1:] for word in words)


def email(rng: random.Random, *, held_out: bool = False) -> str:
    """An address such as `anna.keller@mail.example`."""
    local = person(rng, held_out=held_out).lower().replace(" ", rng.choice((".", "_", "")))
    domain = rng.choice(_HELD_OUT_DOMAINS if held_out else _DOMAINS)
    if not held_out and rng.random() < 0.3:
        domain = made_up(rng)
    return f"{local}@{domain}.{rng.choice(_TOP_LEVELS)}"


def phrase(rng: random.Random, *, held_out: bool = False) -> str:
    """One to three words, such as `pasta`, `Team budget` or `velka tron`."""
    if held_out:
        words = [rng.choice(_HELD_OUT_NOUNS) for _ in range(rng.choice((1, 2, 2)))]
    else:
        words = [_either(rng, _NOUNS, None, 0.5) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        if len(words) > 1 and rng.random() < 0.4:
            words[0] = rng.choice(_ADJECTIVES)
    text = " ".join(words)
    return text[0].upper() + text[1:] if rng.random() < 0.4 else text
