"""The learner's progress as lines of text in sections, for the screen and for the command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from tutor.course.model import Course, Lang
from tutor.memory.events import Event
from tutor.memory.mistaken import Mistaken, mistaken
from tutor.memory.reviews import Reviews
from tutor.memory.standing import PERIOD, Mark, Standing, seconds_by_day
from tutor.text import bars, prose
from tutor.text.aloud import aloud
from tutor.text.i18n import _, ngettext
from tutor.text.sanitize import sanitize

WEEKS = 8
MARKS: dict[Mark, str] = {"known": "✓", "shaky": "~", "unseen": "·"}
MOST_MISTAKES = 8


class Section(NamedTuple):
    """A part of the report. Lines are at most as wide as was asked for."""

    title: str
    lines: tuple[str, ...]


def report(
    course: Course, reviews: Reviews, standing: Standing, history: Iterable[Event], lang: Lang, width: int
) -> list[Section]:
    """All sections in the order in which they matter."""
    spent = seconds_by_day(history, reviews)
    parts = [
        Section(_("By lesson"), _lessons(course, standing, lang, width)),
        Section(_("The next 14 days"), _forecast(standing, reviews.today, width)),
        Section(_("Remembered"), tuple(_retention(standing))),
        Section(_("Misconceptions"), _mistakes(mistaken(course, reviews, lang), width)),
        Section(_("Days of study"), _calendar(spent, reviews.today)),
        Section(_("By claim"), _claims(course, standing, lang, width)),
    ]
    return [part for part in parts if part.lines]


def weekday(day: date) -> str:
    """The name of a day of the week, in two letters."""
    names = (_("Mo"), _("Tu"), _("We"), _("Th"), _("Fr"), _("Sa"), _("Su"))
    return names[day.weekday()]


def duration(seconds: float) -> str:
    """A time in hours and minutes."""
    minutes = round(seconds / 60)
    if minutes < 60:
        return ngettext("{n} min", "{n} min", minutes).format(n=minutes)
    return _("{hours} h {minutes} min").format(hours=minutes // 60, minutes=minutes % 60)


def _lessons(course: Course, standing: Standing, lang: Lang, width: int) -> tuple[str, ...]:
    found = [(lesson, standing.lessons[lesson.id]) for lesson in course.lessons if lesson.id in standing.lessons]
    words = [_counted(counts) for _lesson, counts in found]
    longest = max((cell_len(text) for text in words), default=0)
    if aloud():
        titled = [sanitize(lesson.title.get(lang), newlines=False) for lesson, _counts in found]
        return tuple(f"{title}: {text}." for title, text in zip(titled, words, strict=True))
    rows = []
    for (lesson, counts), text in zip(found, words, strict=True):
        bar = bars.share(counts["known"], counts["shaky"], counts.total())
        room = max(8, width - len(bar) - longest - 4)
        rows.append(f"{_fit(lesson.title.get(lang), room)}  {bar}  {text}")
    return tuple(rows)


def _counted(counts: Mapping[Mark, int]) -> str:
    known, shaky, unseen = counts["known"], counts["shaky"], counts["unseen"]
    return _("{known} known, {shaky} shaky, {unseen} unseen").format(known=known, shaky=shaky, unseen=unseen)


def _claims(course: Course, standing: Standing, lang: Lang, width: int) -> tuple[str, ...]:
    """What is shaky first, then what is not known yet."""
    order: tuple[Mark, ...] = ("shaky", "unseen", "known")
    marks = sorted(standing.claims.items(), key=lambda pair: order.index(pair[1]))
    if not marks:
        return ()
    rows = [_counted(Counter(mark for _claim, mark in marks))]
    for id, mark in marks:
        claim = course.claims.get(id)
        says = " ".join(prose.plain(claim.claim.get(lang), 2000).split()) if claim is not None else id
        if claim is not None and claim.verdict == "reversed":
            says = _("not so: {claim}").format(claim=says)  # what is known of it is that the opposite holds
        rows.append(f"{_word(mark)}: {says}" if aloud() else _fit(f"{MARKS[mark]} {says}", width).rstrip())
    return tuple(rows)


def _word(mark: Mark) -> str:
    return {"known": _("known"), "shaky": _("shaky"), "unseen": _("unseen")}[mark]


def _forecast(standing: Standing, today: date, width: int) -> tuple[str, ...]:
    if not any(standing.forecast):
        return ()
    if aloud():
        dated = ((today + timedelta(days=day), due) for day, due in enumerate(standing.forecast) if due)
        return tuple(f"{weekday(day)} {day:%d.%m.}: {due}" for day, due in dated)
    labels = [weekday(today + timedelta(days=day)) for day in range(len(standing.forecast))]
    labels[0] = _("now")
    return bars.bars(standing.forecast, labels, height=3, column=max(3, min(5, width // len(labels))))


def _retention(standing: Standing) -> Iterable[str]:
    right, total, expected = standing.retention
    if total:
        text = ngettext(
            "{right} of {n} review of the last {days} days remembered ({share} %).",
            "{right} of {n} reviews of the last {days} days remembered ({share} %).",
            total,
        )
        yield text.format(right=right, n=total, days=PERIOD, share=round(100 * right / total))
    if expected is not None:
        text = _("If all of it were asked now, about {share} % would be remembered.")
        yield text.format(share=round(100 * expected))


def _mistakes(found: Sequence[Mistaken], width: int) -> tuple[str, ...]:
    if not found:
        return ()
    cleared = sum(one.cleared for one in found)
    rows = [_("{met} met, {cleared} cleared.").format(met=len(found), cleared=cleared)]
    for one in found[:MOST_MISTAKES]:
        mark = MARKS["known"] if one.cleared else MARKS["shaky"]
        says = " ".join(prose.plain(one.says, 2000).split())
        state = _word("known" if one.cleared else "shaky")
        rows.append(f"{state}, {one.step}: {says}" if aloud() else _fit(f"{mark} {one.step}: {says}", width).rstrip())
    if len(found) > MOST_MISTAKES:
        more = len(found) - MOST_MISTAKES
        rows.append(ngettext("and {n} more", "and {n} more", more).format(n=more))
    return tuple(rows)


def _calendar(spent: Mapping[date, float], today: date) -> tuple[str, ...]:
    if not spent:
        return ()
    monday = today - timedelta(days=today.weekday() + 7 * (WEEKS - 1))
    days = [monday + timedelta(days=number) for number in range(7 * WEEKS)]
    rows = list(bars.weeks([spent.get(day, 0.0) for day in days], [weekday(day) for day in days[:7]]))
    week = sum(seconds for day, seconds in spent.items() if 0 <= (today - day).days < 7)
    notes = [
        ngettext("{n} day of study", "{n} days of study", len(spent)).format(n=len(spent)),
        _("in all {time}").format(time=duration(sum(spent.values()))),
        _("in the last 7 days {time}").format(time=duration(week)),
    ]
    if aloud():
        return tuple(notes)
    margin = "   "
    return tuple(
        row + margin + (notes[place - 2] if 2 <= place < 2 + len(notes) else "") for place, row in enumerate(rows)
    )


def _fit(text: str, width: int) -> str:
    plain = sanitize(text, newlines=False)
    cut = set_cell_size(plain, width)
    return cut if cut.rstrip() == plain.rstrip() else set_cell_size(plain, width - 1) + "…"
