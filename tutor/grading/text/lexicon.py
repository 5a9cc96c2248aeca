"""Finds the concepts of the glossary, and the cues, in the tokens of an answer: the longest phrase at each place.

A word typed with marks is compared with its marks. One typed without is compared without, but only where that is no
guess: in an answer without any marks, or inside a phrase of several words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from tutor.course.model import Concept
from tutor.grading.text import cues
from tutor.grading.text.words import Token, marks_typed, stem, tokens
from tutor.text import fold

# Words of the field that lie within a typing mistake of each other: they are right as they stand.
_FIELD = (
    "transformer transform transformation transformed information attention retention normalization normalize "
    "generalization regularization initialization optimization quantization tokenization activation deactivation "
    "gradient ingredient residual encoder decoder embedding forward backward parameter perimeter inference reference "
    "interference convergence divergence dependent independent invariant variant variance invariance statistic static "
    "accuracy dropout softmax momentum learning training raining straining channel stability instability position "
    "positional feature future layers player network framework architecture model language memory"
)
_KNOWN_WORDS = frozenset(stem(word) for word in _FIELD.split()) | frozenset(_FIELD.split())
_SHORTEST_FUZZED = 6
MAX_TOKENS = 300
"""More signs than this are no answer of at most some hundred words."""
_SPOKEN = frozenset(("word", "filler"))


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of an answer: one token, or the tokens of a phrase. `names` are concepts, `cues` start with `@`."""

    token: Token
    index: int
    length: int
    names: frozenset[str]
    cues: frozenset[str]

    @property
    def end(self) -> int:
        """The index of the token after it."""
        return self.index + self.length


@dataclass(slots=True)
class _Node:
    exact: dict[str, _Node] = field(default_factory=dict)
    marked: dict[str, _Node] = field(default_factory=dict)
    folded: dict[str, list[_Node]] = field(default_factory=dict)
    names: set[tuple[str, str]] = field(default_factory=set)
    marked_only: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The tokens of an answer, how they were typed, and the spans found in them."""

    spans: tuple[Span, ...]
    tokens: tuple[Token, ...]
    marked: bool
    vietnamese: bool


class Lexicon:
    """A glossary made ready for finding; build it with `lexicon`, which keeps it."""

    def __init__(self, glossary: Mapping[str, Concept]) -> None:
        self._root = _Node()
        self._words: set[str] = set()
        self._named: dict[str, frozenset[str]] = {}
        self.opposites: dict[str, str] = {}
        for name, concept in glossary.items():
            if concept.opposite:
                self.opposites[name] = concept.opposite
                self.opposites.setdefault(concept.opposite, name)
            for lang, listed in (("vi", concept.vi), ("en", concept.en)):
                for phrase in listed:
                    self._add(name, lang, phrase)
        for name, lang, phrase in cues.phrases():
            self._add(name, lang, phrase)
        known = self._words | _KNOWN_WORDS | cues.FUNCTION_WORDS["en"]
        self._known = frozenset(known)
        self._fuzzy = [word for word in self._words if len(word) >= _SHORTEST_FUZZED - 1 and not fold.is_syllable(word)]

    def _add(self, name: str, lang: str, phrase: str) -> None:
        node = self._root
        words = tokens(fold.nfc(phrase))
        for token in words:
            if token.ascii:
                following = node.exact.setdefault(token.stem, _Node())
                if lang == "en":
                    self._words.add(token.stem)
            else:
                if token.key not in node.marked:
                    node.marked[token.key] = _Node()
                    # Several marked words may fold to one: a word without marks follows all of their branches.
                    node.folded.setdefault(token.folded, []).append(node.marked[token.key])
                following = node.marked[token.key]
            node = following
        node.names.add((name, lang))
        node.marked_only = phrase in cues.MARKED_ONLY

    def read(self, text: str) -> Reading:
        """Cuts `text` (NFC) into spans."""
        found = tokens(text)[:MAX_TOKENS]
        marked = marks_typed(text)
        if not marked:
            found, marked = self._from_telex(found)
        vietnamese = marked or _looks_vietnamese(found)
        found = [self._corrected(token) for token in found]
        return Reading(tuple(self._spans(found, marked, vietnamese)), tuple(found), marked, vietnamese)

    def named_in(self, text: str) -> frozenset[str]:
        """The concepts that a text of the course names; kept, since each question is asked many times."""
        if text not in self._named:
            spans = self.read(fold.nfc(text)).spans
            self._named[text] = frozenset(name for span in spans for name in span.names)
        return self._named[text]

    def _from_telex(self, found: list[Token]) -> tuple[list[Token], bool]:
        """Decodes raw Telex where enough words are nothing else, as with the input method switched off."""
        decoded = {}
        words = 0
        for index, token in enumerate(found):
            if token.kind != "word" or not token.text.isalpha():
                continue
            words += 1
            key = fold.telex(token.text) if token.stem not in self._known and token.text not in self._known else None
            if key is not None:
                decoded[index] = key
        if not _is_telex(list(decoded.values()), words):
            return found, False
        return [
            Token(fold.nfc(key), "word", key, fold.fold(key), key, token.start)
            if (key := decoded.get(index)) is not None
            else token
            for index, token in enumerate(found)
        ], True

    def _corrected(self, token: Token) -> Token:
        """An English word of the glossary in place of one with a typing mistake; never for Vietnamese syllables."""
        if (
            token.kind != "word"
            or not token.ascii
            or len(token.text) < _SHORTEST_FUZZED
            or not token.text.isalpha()
            or token.stem in self._known
            or token.text in self._known
            or fold.is_syllable(token.text)
        ):
            return token
        word = self._nearest(token.stem)
        return token if word is None else Token(token.text, "word", token.key, token.folded, word, token.start)

    def _nearest(self, word: str) -> str | None:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        limit = 1 if len(word) < 9 else 2
        # The first letter is seldom mistyped, and without it stable and unstable would be neighbours.
        candidates = [each for each in self._fuzzy if each[0] == word[0] and abs(len(each) - len(word)) <= limit]
        nearest = process.extractOne(word, candidates, scorer=OSA.distance, score_cutoff=limit)
        return None if nearest is None else str(nearest[0])

    def _spans(self, found: list[Token], marked: bool, vietnamese: bool) -> Iterable[Span]:
        index = 0
        while index < len(found):
            token = found[index]
            length, names = 1, frozenset[str]()
            if token.kind == "pseudo":
                names = frozenset((token.text,))
            elif token.kind in _SPOKEN:
                length, names = self._longest(found, index, marked, vietnamese)
                if token.kind == "filler" and length > 1:
                    # "the other samples" is about other samples: a filler is no reason to prefer the earlier phrase.
                    later, _ = self._longest(found, index + 1, marked, vietnamese)
                    if later >= length:
                        length, names = 1, frozenset()
            if names or token.kind != "filler":
                concepts = frozenset(name for name in names if not name.startswith("@"))
                yield Span(token, index, length, concepts, names - concepts)
            index += length

    def _longest(self, found: list[Token], index: int, marked: bool, vietnamese: bool) -> tuple[int, frozenset[str]]:
        best = 1
        guess_no_word = marked or not vietnamese
        names: dict[bool, set[tuple[str, str]]] = {}
        # Branches that are still alive: the node, and whether a word on the way was compared without its marks.
        alive: list[tuple[_Node, bool]] = [(self._root, False)]
        for length in range(1, len(found) - index + 1):
            token = found[index + length - 1]
            if token.kind not in _SPOKEN:
                break
            arrived = list(_steps(alive, token))
            alive = [*arrived, *alive] if token.kind == "filler" and length > 1 else arrived
            if not alive:
                break
            here: dict[bool, set[tuple[str, str]]] = {}
            for node, guessed in arrived:
                if node.names and not (guessed and (node.marked_only or (length == 1 and guess_no_word))):
                    here.setdefault(guessed, set()).update(node.names)
            if here:
                best, names = length, here
        return best, _decide(names, vietnamese)


def _is_telex(keys: list[str], words: int) -> bool:
    """Whether words that Telex keystrokes would spell are no accident. English has a few: seen, list, here.

    A syllable with both a vowel of its own and a tone (`coongj`) is seldom one.
    """
    sure = sum(1 for key in keys if not fold.nfc(key[:-1]).isascii() and not key[-1].isalpha())
    share = len(keys) / max(words, 1)
    return len(keys) >= 2 and (sure >= 2 or share >= 0.25 or (sure == 1 and share >= 0.15))


def _steps(alive: Iterable[tuple[_Node, bool]], token: Token) -> Iterable[tuple[_Node, bool]]:
    for node, guessed in alive:
        if token.ascii:
            if (following := node.exact.get(token.stem)) is not None:
                yield following, guessed
            for following in node.folded.get(token.folded, ()):
                yield following, True
        elif (following := node.marked.get(token.key)) is not None:
            yield following, guessed


def _decide(names: dict[bool, set[tuple[str, str]]], vietnamese: bool) -> frozenset[str]:
    """What a phrase means: in Vietnamese `no` is nó typed without its mark, in English it denies."""
    exact, guessed = names.get(False, set()), names.get(True, set())
    if exact and guessed:
        chosen = guessed if vietnamese and all(lang == "en" for _, lang in exact) else exact
    else:
        chosen = exact or guessed
    return frozenset(name for name, _ in chosen)


def _looks_vietnamese(found: Iterable[Token]) -> bool:
    vi, en = _function_words()
    score = 0
    for token in found:
        if token.kind == "word":
            score += (token.text in vi) - (token.text in en)
    return score > 0


@lru_cache(maxsize=1)
def _function_words() -> tuple[frozenset[str], frozenset[str]]:
    """Function words that belong to one language only, as they look without marks."""
    vi = frozenset(fold.fold(word) for word in cues.FUNCTION_WORDS["vi"]) | frozenset(("khong", "ko", "chuan", "hoa"))
    en = cues.FUNCTION_WORDS["en"]
    return vi - en, en - vi


_KEPT: list[tuple[Mapping[str, Concept], Lexicon]] = []


def lexicon(glossary: Mapping[str, Concept]) -> Lexicon:
    """The lexicon of `glossary`, built once: an app asks for the same one at every answer."""
    for known, built in _KEPT:
        if known is glossary:
            return built
    built = Lexicon(glossary)
    _KEPT.append((glossary, built))
    del _KEPT[:-4]
    return built
