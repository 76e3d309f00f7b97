"""Free text in structural tags: watched for triggers, for the ends around it, and for excluded texts.

>>> from xg2lab.reference.structural_tag import accepts
>>> text = {"type": "any_text", "excludes": ["x"]}
>>> accepts(text, "abc"), accepts(text, "axc")
(True, False)
>>> tag = {"type": "tag", "begin": "<", "content": {"type": "any_text"}, "end": ">"}
>>> calls = {"type": "triggered_tags", "triggers": ["<"], "tags": [tag]}
>>> accepts(calls, "see <1>, <2>"), accepts(calls, "a < b")
(True, False)

Free text is read a character at a time. The first watched text that is complete decides, the
longest if there are several: a trigger opens its tag, after which free text begins anew; an end
ends the text; an excluded text is not allowed. An exclude within an end would always be complete
first: then the end is not watched for, but follows the free text.

See also: dispatch.py, which writes the same as rules; structural_tag.py.
"""

from collections.abc import Callable
from dataclasses import dataclass

from xg2lab.reference.tag_parts import Around, Format, Parts

Opens = Callable[[int], set[int]]  # from where a trigger has been read to where what it opens may end


@dataclass(frozen=True)
class FreeText(Parts):
    """Formats that are free text, or have it around their tags."""

    def free(
        self, at: int, opens: dict[str, Opens], excludes: list[str], around: Around, *, loops: bool = True
    ) -> set[int]:
        """Where free text may end. Without `loops`, what a trigger opens is the last, and has the ends in it."""
        excludes = [text for text in (*excludes, *around.forbidden) if text not in opens]
        hidden = any(0 <= end.find(text) < len(end) - len(text) for end in around.ends for text in excludes)
        is_watched = around.has_ends and not around.end_tokens and not hidden
        ends = set(around.ends) if is_watched else set[str]()
        watched = {*opens, *excludes, *around.ends}
        found, begins, known = set[int](), [at], {at}
        while begins:
            begin = begins.pop()
            for place in range(begin, len(self.text) + 1):
                hits = [text for text in watched if text and self.text[begin:place].endswith(text)]
                if hits:
                    hit = max(hits, key=len)
                    behind = {place} if hit in ends else opens[hit](place) if hit in opens else set[int]()
                    if hit in ends or not loops:
                        found |= behind
                    else:
                        begins += behind - known
                        known |= behind
                    break
                if not is_watched:
                    found |= self.close({place}, around)
                elif around.may_be_empty:
                    found.add(place)
        return found

    def any_text_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Counted text is followed by the ends, which are not in it."""
        excludes, most = form.get("excludes", []), form.get("max_chars")
        if most is None:
            return self.free(at, {}, excludes, around)
        places = self.free(at, {}, [*excludes, *around.ends], around.inside())
        return self.close({place for place in places if place - at <= most}, around)

    def dispatch_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Each pattern is followed by its format."""
        loops = form.get("loop", True)
        behind = around.inside() if loops else around
        opens: dict[str, Opens] = {
            pattern: lambda place, part=part: self.ends(part, behind, place) for pattern, part in form["rules"]
        }
        return self.free(at, opens, form.get("excludes", []), around, loops=loops)

    def triggered_tags_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """A trigger opens the tags that begin with it."""
        once = form.get("stop_after_first", False)
        behind = around if once else around.inside()

        def opened(trigger: str) -> Opens:
            tags = [tag for tag in form["tags"] if tag["begin"].startswith(trigger)]
            return lambda place: {
                end
                for tag in tags
                for end in self.tag_ends({**tag, "begin": tag["begin"][len(trigger) :]}, behind, place)
            }

        opens = {trigger: opened(trigger) for trigger in form["triggers"]}
        places = {at}
        if form.get("at_least_one"):
            begun = [trigger for trigger in opens if self.text.startswith(trigger, at)]
            places = {end for trigger in begun for end in opens[trigger](at + len(trigger))}
            if once:
                return places
        excludes = form.get("excludes", [])
        return {end for place in places for end in self.free(place, opens, excludes, around, loops=not once)}

    def tags_with_separator_ends(self, form: Format, around: Around, at: int) -> set[int]:
        """Tags and separators, nothing else."""
        separator = form["separator"]
        inside = around.inside(*([separator] if separator else []), *around.ends)

        def one(place: int) -> set[int]:
            return {end for tag in form["tags"] for end in self.tag_ends(tag, self.behind(tag, inside, around), place)}

        def more(place: int) -> set[int]:
            return {end + len(separator) for end in one(place) if self.text.startswith(separator, end)}

        begins = {at} if form.get("stop_after_first") else self.many(at, more, 0, None)
        places = {end for place in begins for end in one(place)}
        return self.close(places | (set() if form.get("at_least_one") else {at}), around)

    def behind(self, tag: Format, inside: Around, around: Around) -> Around:
        """What is around a tag among others: one without an end of its own may not hold what comes behind it."""
        return inside if tag["end"] in ("", [""]) else around.inside()
