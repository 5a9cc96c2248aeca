"""The fork server: torch is loaded, nothing has been computed, and every submission starts as a copy of it.

It is forked from the judge before that draws or computes anything, so no copy ever holds an expected value.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
from functools import partial
from typing import NoReturn

from kernels.judge import child, keeper


def start() -> socket.socket:
    """Forks the server off; the socket that `submit` sends to."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    judge = os.getpid()
    if os.fork() == 0:
        ours.close()
        _serve(theirs, judge)
    theirs.close()
    return ours


def submit(server: socket.socket, limits: keeper.Limits, *, triton: bool) -> tuple[int, int, socket.socket]:
    """Starts a child: where to write requests, where to read answers, and the keeper's socket. Raises OSError."""
    request_reader, request_writer = os.pipe()
    answer_reader, answer_writer = os.pipe()
    ours, theirs = socket.socketpair()
    try:
        order = json.dumps({"limits": vars(limits), "triton": triton}).encode()
        socket.send_fds(server, [order], [request_reader, answer_writer, theirs.fileno()])
    except OSError:
        os.close(request_writer)
        os.close(answer_reader)
        ours.close()
        raise
    finally:
        os.close(request_reader)
        os.close(answer_writer)
        theirs.close()
    return request_writer, answer_reader, ours


def _serve(orders: socket.socket, judge: int) -> NoReturn:
    keeper.prctl(keeper.PR_SET_PDEATHSIG, signal.SIGKILL)
    keeper.prctl(keeper.PR_SET_CHILD_SUBREAPER, 1)
    if os.getppid() != judge:
        os._exit(1)
    _forget_the_tutor()
    gc.freeze()
    known: set[int] = set()
    while True:
        orders.settimeout(1.0)
        try:
            data, fds, _, _ = socket.recv_fds(orders, 1 << 16, 3)
        except TimeoutError:
            _reap(known)
            continue
        if not data:
            os._exit(0)
        _reap(known)
        order = json.loads(data)
        if order["triton"]:
            import triton.language  # noqa: F401 - once, for all children to come
        pid = os.fork()
        if pid == 0:
            orders.close()
            control = socket.socket(fileno=fds[2])
            keeper.keep(keeper.Limits(**order["limits"]), control, partial(child.main, fds[0], fds[1]))
        known.add(pid)
        for fd in fds:
            os.close(fd)


def _forget_the_tutor() -> None:
    """Lets go of the judge's channel to the tutor: what a submission prints or reads must not reach it."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


def _reap(known: set[int]) -> None:
    """Takes note of keepers that have ended, and ends what one that was killed has left to us."""
    with contextlib.suppress(ChildProcessError):
        while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            known.discard(pid)
    for pid in keeper.children(os.getpid()):
        if pid not in known:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
