"""What is looked at before any rubric, to tell whether this is an answer at all."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass

from tutor.grading.text.cues import is_function_word
from tutor.grading.text.lexicon import Reading, Span
from tutor.grading.text.words import MAX_CHARACTERS, Token, count
from tutor.text import fold

COPY_SIMILARITY = 95
STUFFING_WORDS = 8
STUFFING_FUNCTION_SHARE = 0.12
STUFFING_CONCEPT_SHARE = 0.6
UNBROKEN_CONCEPTS = 5
UNBROKEN_FUNCTION_SHARE = 0.2

_STRUCTURE = frozenset(":=;+")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")

# Told to whoever grades, not about the subject: searched in the folded text, so marks make no difference.
_ORDERS = re.compile(
    r"(?:ignore|disregard|forget|override|skip)\b.{0,30}\b"
    r"(?:rubric|instruction|instructions|above|previous|prior|prompt|rules?|criteria|guidelines?|checks?)\b"
    r"|\b(?:full|max|maximum|maximal|top|perfect|highest) (?:marks?|score|credit|points?|grade)\b"
    r"|\b(?:mark|grade|score|rate|count|accept|treat|judge|evaluate|label)\b.{0,25}\b(?:as|it|this|me|to be)\b.{0,12}"
    r"\b(?:right|correct|passed|pass|true|100)\b"
    r"|\bgive (?:me|this|it|the answer)\b.{0,25}\b(?:marks?|score|credit|points?|grade|10|100|pass|full)\b"
    r"|\b(?:this|my) answer is (?:right|correct|perfect)\b"
    r"|\b(?:as an|you are an?|dear) (?:ai|grader|teacher|assistant|model)\b"
    r"|\bsystem prompt\b|\b(?:verdict|score) ?(?:=|:|is) ?(?:right|1|100|10)\b|\b(?:10/10|100/100)\b"
    r"|\b(?:bo qua|phot lo|mac ke|lo di|dung quan tam|quen)\b.{0,30}"
    r"\b(?:rubric|huong dan|tieu chi|quy tac|chi dan|thang diem|cau lenh|yeu cau|prompt|dap an|luat)\b"
    r"|\b(?:cho|cham|tinh|duoc) (?:minh |em |toi |cau nay |cau tra loi nay |bai nay )?"
    r"(?:diem toi da|tron diem|du diem|full diem|diem cao|dung|10 diem|100 diem|diem 10|toi da)\b"
    r"|\bdiem (?:toi da|tuyet doi|cao nhat)\b|\b(?:coi|xem|danh dau|cong nhan)\b.{0,25}\bla (?:dung|chinh xac)\b"
    r"|\bcau tra loi (?:nay |cua (?:minh|em|toi) )?(?:la )?(?:hoan toan )?(?:dung|chinh xac)\b"
    r"|\b(?:hay|lam on|vui long) cham\b"
)

# Searched in the folded text without apostrophes, so that `don't` is `dont` and marks make no difference.
_NOT_KNOWN = re.compile(
    r"\b(?:(?:khong|ko|k|hok|hong|chang|cha|chua)(?: the)?(?: he)? (?:biet|bik|bit|ro|nho|hieu|chac|hoc|doc|nam)"
    r"|(?:khong|ko|k|chua) (?:co )?(?:y tuong|y kien|cau tra loi|tra loi duoc)(?: nao| gi)?"
    r"|(?:khong|ko|k) (?:the )?tra loi|chiu|bo tay|mu tit|quen|xin thua|dau hang|biet chet lien"
    r"|(?:do not|dont|did not|didnt|can not|cannot|cant|could not|couldnt) (?:really )?"
    r"(?:know|remember|recall|understand|say|tell|answer)"
    r"|no (?:idea|clue)|not (?:really )?(?:sure|certain)|not a clue|(?:have not|havent) (?:learned|learnt|read|studied)"
    r"|unsure|forgot|have forgotten|idk|dunno|clueless|i give up|beats me|never (?:learned|learnt|heard))\b"
)
_ABOUT_KNOWING_WORDS = (
    "toi minh em anh chi ta chau thay co a oi da thua thi la xin thiet that su hoan toan cung chua luon "
    "nua lam roi gi het ca phan bai hoc nay dap an cau cai ve van do day noi tra loi cua giua duoc ro ma "
    "vi nen hai cach di nha nhe ah i im we me my you about of it this the to is are between and or yet at "
    "all what how why which any both either honestly sorry just really simply have answer question one "
    "these those them"
)
_ABOUT_KNOWING = frozenset(_ABOUT_KNOWING_WORDS.split())


@dataclass(frozen=True, slots=True)
class Screened:
    """What is left of an answer to be read, and what was done to it."""

    text: str
    cut: bool = False
    """Only its beginning counts: it was too long."""
    orders: bool = False
    """Sentences that tell the grader what to do were left out."""


def screen(answer: str, max_words: int) -> Screened:
    """`answer` in NFC, cut to the words that count, without orders to the grader."""
    text = fold.nfc(answer[: MAX_CHARACTERS + 1])
    cut = len(answer) > MAX_CHARACTERS
    text = text[:MAX_CHARACTERS]
    if count(text) > max_words:
        cut = True
        text = "".join(re.findall(r"\s*\S+", text)[:max_words])
    sentences = _SENTENCE_END.split(text)
    kept = [sentence for sentence in sentences if not _ORDERS.search(fold.fold(sentence))]
    if len(kept) == len(sentences):
        return Screened(text.strip(), cut)
    return Screened("\n".join(kept).strip(), cut, orders=True)


def repeats_question(text: str, prompts: Iterable[str]) -> bool:
    """Whether an answer only says the question again, in any order and with at most one new word."""
    from rapidfuzz import fuzz, utils

    said = fold.fold(utils.default_process(text))
    words = set(said.split())
    if len(words) < 4:
        return False
    for prompt in prompts:
        asked = fold.fold(utils.default_process(fold.nfc(prompt)))
        if len(words - set(asked.split())) <= 1 and fuzz.token_set_ratio(said, asked) >= COPY_SIMILARITY:
            return True
    return False


def gives_up(text: str, prompts: Iterable[str]) -> bool:
    """Whether an answer only says, in whatever words, that its writer does not know; a guess beside it is an answer."""
    folded = " ".join(re.findall(r"\w+", fold.fold(text.replace("’", "'").replace("'", ""))))
    rest, times = _NOT_KNOWN.subn(" ", folded)
    if not times:
        return False
    asked = {word for prompt in prompts for word in re.findall(r"\w+", fold.fold(fold.nfc(prompt)))}
    return set(rest.split()) <= asked | _ABOUT_KNOWING


def only_terms(reading: Reading, text: str, topics: Iterable[str] = ()) -> bool:
    """Whether this is a list of terms and no sentence: many concepts, hardly a word that connects them."""
    if any(mark in text for mark in _STRUCTURE) or "->" in text or "→" in text:
        return False
    words = [token for token in reading.tokens if token.kind in ("word", "filler")]
    if len(words) < STUFFING_WORDS:
        return False
    verbs = _verbs(reading, frozenset(topics))
    function = sum(1 for token in words if _connects(token, reading.marked)) + sum(span.length for span in verbs)
    concepts = sum(
        span.length
        for span in reading.spans
        if span.names and span not in verbs and not _connects(span.token, reading.marked)
    )
    if concepts <= STUFFING_CONCEPT_SHARE * len(words):
        return False
    share = function / len(words)
    return share < STUFFING_FUNCTION_SHARE or (
        share < UNBROKEN_FUNCTION_SHARE and _longest_run(reading, verbs) >= UNBROKEN_CONCEPTS
    )


def _verbs(reading: Reading, topics: frozenset[str]) -> frozenset[Span]:
    """Where `norm` and its kin are what a topic does to something: `Pre-LN norm input`, `BN chuẩn hóa batch`."""
    spans = reading.spans
    if any(span.names & topics and after.names & topics for span, after in itertools.pairwise(spans)):
        # Where topics stand side by side, they are listed.
        return frozenset()
    return frozenset(
        span
        for before, span, after in zip(spans, spans[1:], spans[2:], strict=False)
        if "NORM" in span.names and before.names & topics and after.names and not after.names & topics
    )


def _longest_run(reading: Reading, verbs: frozenset[Span]) -> int:
    """How many concepts follow each other with nothing at all between them."""
    longest = run = 0
    for span in reading.spans:
        run = run + 1 if span.names and span not in verbs and not _connects(span.token, reading.marked) else 0
        longest = max(longest, run)
    return longest


def _connects(token: Token, marked: bool) -> bool:
    return token.kind == "filler" or is_function_word(token.key, marked=marked)


def understood(reading: Reading) -> float:
    """The share of the words with a meaning of their own that the glossary knows."""
    hit = total = 0
    for span in reading.spans:
        if span.token.kind != "word" or (span.cues and not span.names):
            continue
        if span.names:
            hit += span.length
            total += span.length
        elif not _connects(span.token, reading.marked):
            total += 1
    return hit / total if total else 0.0
