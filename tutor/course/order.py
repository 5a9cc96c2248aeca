"""The order of study: each lesson after those that it needs, otherwise by id."""

from __future__ import annotations

from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush


def in_order(needs: Mapping[str, frozenset[str]]) -> tuple[list[str], list[list[str]]]:
    """The ids in order, and the circles found: each from an id by what it needs back to itself.

    `needs` holds what each id needs; all of that are keys too. In a circle one need is passed over.
    """
    graph = {id: set(needs[id]) for id in sorted(needs)}
    circles = []
    while True:
        sorter = TopologicalSorter(graph)
        try:
            sorter.prepare()
        except CycleError as error:
            circle: list[str] = error.args[1][::-1]
            start = circle.index(min(circle))
            circle = [*circle[start:-1], *circle[:start], circle[start]]
            circles.append(circle)
            graph[circle[0]].remove(circle[1])
        else:
            return _smallest_first(sorter), circles


def _smallest_first(sorter: TopologicalSorter[str]) -> list[str]:
    order: list[str] = []
    ready: list[str] = []
    while sorter.is_active():
        for id in sorter.get_ready():
            heappush(ready, id)
        order.append(heappop(ready))
        sorter.done(order[-1])
    return order
