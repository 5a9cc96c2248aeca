"""What the grader process found wrong with code, as sentences. One kind of problem, one sentence."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import Any

from tutor.course.model import Lang
from tutor.grading.say import say
from tutor.text.i18n import N_, translate
from tutor.text.sanitize import sanitize

Facts = Mapping[str, Any]

_ADDED = {
    "inputs-unchanged": N_("The inputs are left as they were"),
    "allowed-calls": N_("Nothing that the exercise rules out is called"),
    "own-kernel": N_("A Triton kernel of yours does the work"),
}
_FAMILIES = {
    "normal": N_("random rows"),
    "tiny-variance": N_("values about √eps"),
    "offset": N_("a mean about 1e4"),
    "small-offset": N_("mean 0.5, spread 3e-3"),
    "constant": N_("constant rows"),
    "wide-range": N_("values from 1e-3 to 1e3"),
    "large": N_("values about 300"),
    "zero": N_("rows of zeros"),
}
_LAYOUTS = {
    "transposed": N_("transposed"),
    "sliced": N_("every second value of a larger tensor"),
    "expanded": N_("one row expanded, stride 0"),
}


def added_check(id: str, lang: Lang) -> str:
    """The name of a check that the grader adds by itself."""
    return say(lang, _ADDED[id]) if id in _ADDED else _plain(id)


def problem(found: Facts, ended: Facts | None, lang: Lang) -> str:
    """What is wrong in one check, with the smallest input that shows it."""
    sentence = reason(found, ended, lang)
    if found["kind"] in ("not-reached", "ended", "right-without-launches", "constants"):
        return sentence
    return f"{sentence} ({where})" if (where := _where(found, lang)) else sentence


def reason(found: Facts, ended: Facts | None, lang: Lang) -> str:
    """What is wrong in one check, whatever its input: checks that fail for one reason have it in common."""
    facts = found.get("facts") or {}
    kind = str(found["kind"])
    name = str(found.get("output") or "")
    output = _output(name.removeprefix("grad:") if kind == "no-gradient" else name, lang)
    if kind == "ended" and ended is not None:
        return _how_it_ended(ended, lang)
    message = _MESSAGES.get(kind)
    return translate(message, lang).format_map(_fill(output, facts, lang)) if message else _plain(kind)


def unreadable(found: Facts, lang: Lang) -> str:
    """Why a submission could not be used at all, and where."""
    kind, name = str(found["kind"]), f"`{_plain(found.get('name', ''))}`"
    line = found.get("line")
    at = say(lang, N_(" (line {n})"), n=line) if isinstance(line, int) else ""
    message = _plain(found.get("message", ""))
    if kind == "syntax":
        return say(lang, N_("This is not Python yet: {message}{at}."), message=message, at=at)
    if kind == "kernel":
        return say(lang, N_("Your kernel does not compile: {message}{at}."), message=message, at=at)
    if kind == "fails":
        return say(
            lang, N_("Your code fails before anything is called: {type}: {message}{at}."),
            type=_plain(found.get("type", "")), message=message, at=at,
        )  # fmt: skip
    if kind == "missing" and found.get("near"):
        near = f"`{_plain(found['near'])}`"
        return say(lang, N_("{name} is missing; there is {near}{at}. Rename it."), name=name, near=near, at=at)
    if kind == "missing" and found.get("empty"):
        return say(lang, N_("There is no code here: {name} is missing."), name=name)
    if kind == "missing":
        return say(lang, N_("{name} is missing: define it at the top level of your code."), name=name)
    if kind == "signature":
        return say(
            lang, N_("{name} takes {got}{at}; it is called as {want}."),
            name=name, got=f"`{_plain(found['got'])}`", want=f"`{_plain(found['want'])}`", at=at,
        )  # fmt: skip
    if kind == "not-a-class":
        return say(lang, N_("{name} must be a class{at}."), name=name, at=at)
    return say(lang, N_("{name} must be a function{at}."), name=name, at=at)


def ended(report: Facts, lang: Lang) -> str:
    """How a submission broke off."""
    return _how_it_ended(report, lang)


def _how_it_ended(report: Facts, lang: Lang) -> str:
    limits = report.get("limits") or {}
    match str(report.get("why")):
        case "seconds" | "wall":
            n = f"{float(limits.get('seconds' if report['why'] == 'seconds' else 'wall', 0)):g}"
            return say(lang, N_("It did not come to an end within {n} seconds and was stopped."), n=n)
        case "memory":
            n = f"{float(limits.get('memory', 0)) / (1 << 30):g}"
            return say(lang, N_("It took more than {n} GB of memory and was stopped."), n=n)
        case "processes":
            return say(lang, N_("It started more than {n} processes and was stopped."), n=limits.get("processes"))
        case "printed":
            megabytes = int(limits.get("printed", 0)) >> 20
            return say(lang, N_("It printed more than {n} MB and was stopped."), n=megabytes)
        case "garbled":
            return say(lang, N_("It wrote into the channel to the grader, and what arrived was no answer."))
    ending = report.get("code")
    if isinstance(ending, int) and ending < 0:
        try:
            name = signal.Signals(-ending).name
        except ValueError:
            name = str(-ending)
        if name == "SIGXCPU":
            return say(lang, N_("It did not come to an end and was stopped."))
        return say(lang, N_("Its process was ended by {name} before it had answered."), name=name)
    if isinstance(ending, int):
        return say(lang, N_("Its process ended itself (exit code {n}) before it had answered."), n=ending)
    return say(lang, N_("Its process ended before it had answered."))


_MESSAGES: dict[str, str] = {
    "values": N_("{output}{at} is {got}, expected {want}"),
    "not-finite": N_("{output}{at} is {got}, expected {want}"),
    "raised": N_("{type}: {message}{line}"),
    "not-raised": N_("no exception, expected {type}"),
    "shape": N_("{output} has shape {got}, expected {want}"),
    "dtype": N_("{output} is {got}, expected {want}"),
    "missing": N_("{output} is missing"),
    "no-gradient": N_("no gradient reaches {output}"),
    "count": N_("{got} values come back, expected {want}: {names}"),
    "not-a-tensor": N_("{output} must be a tensor, not {got}"),
    "not-a-number": N_("{output} must be plain numbers, not {got}"),
    "not-a-module": N_("{output} must be an nn.Module, not {got}"),
    "too-many": N_("{output} has {got} values, at most {want}"),
    "changed": N_("{output} was written to"),
    "forbidden": N_("{name} is called, which this exercise rules out"),
    "no-launch": N_("no kernel of yours is launched"),
    "reductions": N_("torch adds up what the kernel should ({names})"),
    "right-without-launches": N_("{output} is right even when no kernel is launched, so it does not come from one"),
    "ended": N_("it broke off here"),
    "not-reached": N_("not tried, since it broke off before"),
    "parameters": N_("the block has {got} parameters of its own, expected {want}: a weight and a bias for each norm"),
    "not-registered": N_("{name} is not registered: its parameters are not among the block's"),
    "calls": N_("{name} is called {got} times, expected {want}"),
    "modes": N_("{name} does not follow train() and eval()"),
    "dropout": N_("with dropout {p} the branch must be 0 or the sublayer's output / {keep}; a value is {got}"),
    "dropout-rate": N_("with dropout {p} a share of {got} of the branch is 0"),
    "weights-changed": N_("the weights of {name} were changed"),
    "types": N_("{output} must be plain numbers, not {got}"),
}
"""A message for each kind of problem; see `Problem` in kernels.judge.case."""


def _fill(output: str, facts: Facts, lang: Lang) -> dict[str, object]:
    at = facts.get("at") or []
    line = facts.get("line")
    values: dict[str, object] = {name: _fact(value) for name, value in facts.items()}
    if "want" in facts and values.get("got") == values["want"]:  # they differ in later digits only
        values |= {name: f"{facts[name]:.10g}" for name in ("got", "want") if isinstance(facts[name], int | float)}
    values |= {
        "output": output,
        "at": "[" + ", ".join(str(int(part)) for part in at) + "]" if at else "",
        "line": say(lang, N_(" (line {n})"), n=line) if isinstance(line, int) else "",
    }
    return _Missing(values)


class _Missing(dict[str, object]):
    """Facts that a message names and nobody gave are shown as a question mark rather than failing the verdict."""

    def __missing__(self, key: str) -> str:
        return "?"


def _fact(value: object) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return f"{value:.6g}"
    if isinstance(value, list | tuple):
        return ", ".join(_fact(part) for part in value)
    return _plain(value)


def _output(name: str, lang: Lang) -> str:
    if name.startswith("after:"):
        return say(lang, N_("{name} afterwards"), name=_plain(name[6:]))
    if name.startswith("own:"):
        return say(lang, N_("a norm's parameter"))
    if name.startswith("grad:"):
        return say(lang, N_("the gradient of {name}"), name=_output(name[5:], lang))
    return _plain(name)


def _where(found: Facts, lang: Lang) -> str:
    """The input: its shape and what is special about it, and a few values of the row."""
    case = found.get("case") or {}
    parts: list[str] = []
    shape = case.get("shape") or []
    if shape:
        parts.append(f"x {'×'.join(str(int(size)) for size in shape)}")
    for table, key in ((_FAMILIES, "family"), (_LAYOUTS, "layout")):
        name = str(case.get(key, ""))
        if name in table and shape:
            parts.append(say(lang, table[name]))
    if case.get("dtype") not in (None, "float32"):
        parts.append(_plain(case["dtype"]))
    scalars = found.get("scalars") or {}
    parts += [f"{_plain(name)}={_fact(value)}" for name, value in scalars.items()]
    row = found.get("row")
    if row and found.get("kind") in ("values", "not-finite"):
        values = ", ".join(_fact(value) for value in row["values"])
        more = ", …" if row["width"] > len(row["values"]) else ""
        parts.append(say(lang, N_("row {n}: [{values}]"), n=int(row["index"]), values=values + more))
    return "; ".join(parts)


def _plain(value: object) -> str:
    return sanitize(str(value), limit=300, newlines=False).replace("`", "'")
