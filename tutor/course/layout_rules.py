"""What sound steps that ask to tick, to arrange or to lay out look like; whether a flow can be read is for `check`."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.course.issues import Issue
from tutor.course.model import FlowStep, MultiStep, OrderStep
from tutor.course.yaml_lines import quoted, suggestion

FEWEST_ITEMS = 3
"""Two items in a row are a choice, not an order."""


def multi_step(step: MultiStep) -> Iterator[Issue]:
    """Something to tick, something to leave, and a reason for leaving it."""
    right = sum(option.right for option in step.options)
    if not 0 < right < len(step.options):
        yield Issue(("options",), "`options` needs at least one that is `right: true` and one that is not")
    for index, option in enumerate(step.options):
        if not option.right and option.why is None:
            message = f"option {quoted(option.id)} is wrong and has no `why`: say why to who ticks it"
            yield Issue(("options", index), message)


def order_step(step: OrderStep) -> Iterator[Issue]:
    """Enough items, and other orders that hold each of them once."""
    if len(step.items) < FEWEST_ITEMS:
        yield Issue(("items",), f"`items` needs at least {FEWEST_ITEMS}")
    ids = [item.id for item in step.items]
    seen = [tuple(ids)]
    for index, order in enumerate(step.also):
        if unknown := [id for id in order if id not in ids]:
            yield Issue(("also", index), f"there is no item {quoted(unknown[0])}{suggestion(unknown[0], ids)}")
        elif sorted(order) != sorted(ids):
            yield Issue(("also", index), "an order in `also` must name every item once")
        elif order in seen:
            yield Issue(("also", index), "this order is there already")
        seen.append(order)


def flow_step(step: FlowStep) -> Iterator[Issue]:
    """There is an answer."""
    if isinstance(step.answer, tuple) and not step.answer:
        yield Issue(("answer",), "`answer` is empty")
