"""Runs one experiment with many sets of values side by side: on processes of this machine, or on a cluster.

    {"experiment", "runs": [values, ...], "jobs", "devices": [...], "executor", "folder", "options"}
      ->  {"progress": [done, total]}, now and then; at last {"result": {"runs": [{"result"} or {"fault"}, ...]}}

One order on standard input, answers on standard output, as in `kernels.lab.__main__`. Each process computes on one
thread or on one GPU: `devices` are the values of CUDA_VISIBLE_DEVICES that are shared out among them.
"""

from __future__ import annotations

import json
import multiprocessing as mp
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from types import FrameType
from typing import Any, Protocol

from kernels.lab.monitor import Reporter

POLL = 0.2
"""Seconds between two looks at the jobs of a cluster; looking costs a look at the file system."""
INTERVAL = 0.2
"""Seconds between two reports of progress of one run."""

Answer = dict[str, Any]
Done = Callable[[int, float], None]


class Job(Protocol):
    """What `submit` of an executor returns: of concurrent.futures, and of submitit."""

    def done(self) -> bool: ...

    def result(self) -> Answer: ...


def sweep(order: dict[str, Any], on_progress: Callable[[float, float], None]) -> list[Answer]:
    """The answer of each run, in the order of the runs: {"result"} or {"fault"}."""
    runs: list[dict[str, Any]] = order["runs"]
    shares = [0.0] * len(runs)

    def done(index: int, share: float) -> None:
        shares[index] = max(shares[index], share)
        on_progress(sum(shares), len(runs))

    collect = _on_cluster if order.get("executor") == "submitit" else _on_processes
    answers: list[Answer] = [{"fault": "it was not run"}] * len(runs)
    on_progress(0, len(runs))
    for index, answer in collect(order, done):
        answers[index] = answer
        done(index, 1.0)
    return answers


def measure(experiment: str, values: dict[str, Any], monitor: Reporter | None = None) -> Answer:
    """One run, wherever it is. Does not raise: what goes wrong is an answer."""
    from kernels.lab import experiment as run

    try:
        return {"result": run(experiment, monitor=monitor, **values).to_dict()}
    except Exception as error:  # one run that fails must not take the others with it
        return {"fault": f"{type(error).__name__}: {error}"[:2000]}


def _on_processes(order: dict[str, Any], done: Done) -> Iterator[tuple[int, Answer]]:
    devices: Sequence[str] = order.get("devices", ())
    jobs = min(order.get("jobs") or len(devices) or cores(), len(order["runs"]))
    context = mp.get_context("spawn")  # a fork would copy the threads that read and report
    shared, heard = context.SimpleQueue(), context.SimpleQueue()
    for i in range(jobs):
        shared.put(devices[i % len(devices)] if devices else None)
    threading.Thread(target=_hear, args=(heard, done), daemon=True).start()
    pool = ProcessPoolExecutor(jobs, context, _begin, (shared, heard))
    try:
        futures: dict[Future[Answer], int] = {
            pool.submit(_work, index, order["experiment"], values): index for index, values in enumerate(order["runs"])
        }
        for future in as_completed(futures):
            error = future.exception()  # of the process: it was killed, most often for memory
            yield futures[future], {"fault": f"its process ended: {error}"} if error else future.result()
    finally:
        heard.put(None)
        pool.shutdown(wait=False, cancel_futures=True)


def _on_cluster(order: dict[str, Any], _done: Done) -> Iterator[tuple[int, Answer]]:
    """Through submitit: Slurm where there is one, else processes of this machine that submitit starts."""
    import submitit

    executor = submitit.AutoExecutor(folder=order["folder"])
    executor.update_parameters(**order.get("options", {}))
    waiting: dict[int, Job] = {}
    try:
        with executor.batch():  # one job array
            found = [executor.submit(measure, order["experiment"], values) for values in order["runs"]]
        waiting.update(enumerate(found))
        while waiting:
            for index in [index for index, job in waiting.items() if job.done()]:
                yield index, _result(waiting.pop(index))
            if waiting:
                time.sleep(POLL)
    finally:
        for job in waiting.values():  # whoever asked has gone
            job.cancel(check=False)  # type: ignore[attr-defined]


def _result(job: Job) -> Answer:
    try:
        return job.result()
    except Exception as error:  # the job was killed or timed out; submitit raises what it finds in the logs
        return {"fault": f"its job ended: {type(error).__name__}: {str(error).strip().splitlines()[-1:]}"}


_heard: Any = None


def _begin(shared: Any, heard: Any) -> None:
    """In each new process, before torch is loaded: one thread or one GPU of its own."""
    global _heard
    _heard = heard
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.environ |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    device = shared.get()
    if device is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = device


def _work(index: int, experiment: str, values: dict[str, Any]) -> Answer:
    last = 0.0

    def report(done: float, total: float) -> None:
        nonlocal last
        if time.monotonic() - last >= INTERVAL:
            last = time.monotonic()
            _heard.put((index, done / total))

    return measure(experiment, values, Reporter(report))


def _hear(heard: Any, done: Done) -> None:
    while (news := heard.get()) is not None:
        done(*news)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def main() -> None:
    """Serve one order, then end; SIGTERM ends it with its jobs."""
    output = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    signal.signal(signal.SIGTERM, _stop)
    lock = threading.Lock()

    def tell(**answer: Any) -> None:
        with lock:
            output.write(json.dumps(answer, ensure_ascii=False, allow_nan=False) + "\n")
            output.flush()

    order = json.loads(sys.stdin.readline())
    threading.Thread(target=_leave_with_stdin, daemon=True).start()
    try:
        answers = sweep(order, lambda done, total: tell(progress=[done, total]))
    except SystemExit:
        if os.getpgrp() == os.getpid():  # the group is ours: end it, instead of waiting for what still runs
            os.killpg(0, signal.SIGKILL)
        raise
    except Exception as error:  # submitit or the machine refuse: whoever waits for an answer gets one
        tell(fault=f"{type(error).__name__}: {error}"[:2000])
    else:
        tell(result={"runs": answers})


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise SystemExit(0)


def _leave_with_stdin() -> None:
    """Whoever asked has gone when standard input ends: end as if told to."""
    sys.stdin.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
