import threading
import time
import weakref
from concurrent.futures import CancelledError, Future
from typing import Any

import anyio
import pytest

from bridgebench.batching import Batcher, Request, Timed, device_lock, shared, similar_length


def select(sizes: list[int], max_tokens: int, max_items: int = 64) -> list[int]:
    return list(similar_length(max_tokens, max_items)([Request(size, size) for size in sizes]))


def test_batches_hold_the_oldest_and_its_nearest_in_length_within_the_padded_bound() -> None:
    assert select([50, 400, 60, 40, 390], max_tokens=180) == [3, 0, 2]  # 3 x 60 tokens, shortest first
    assert select([400, 50, 60], max_tokens=100) == [0]  # longer than the bound: alone, never starved
    assert select([5] * 10, max_tokens=1000, max_items=4) == [0, 1, 2, 3]


class Recorder:
    """Doubles numbers, but not negative ones, and fails at 99; keeps the batches; holds the first until `release`."""

    def __init__(self, hold: bool = False) -> None:
        self.batches: list[list[int]] = []
        self.started, self.release = threading.Event(), threading.Event()
        if not hold:
            self.release.set()

    def __call__(self, items: list[int]) -> list[int | Exception]:
        self.batches.append(items)
        self.started.set()
        self.release.wait(10)
        if 99 in items:
            raise RuntimeError("ninety-nine")
        return [ValueError("negative") if item < 0 else 2 * item for item in items]


def busy(**options: Any) -> tuple[Batcher[int, int], Recorder, Future[Timed[int]]]:
    """A batcher that runs item 0 until `release`: what is queued meanwhile waits together, however slow the machine.

    Options are those of `Batcher`.
    """
    run = Recorder(hold=True)
    batcher: Batcher[int, int] = Batcher(run, name="test", **options)
    first = batcher.submit(0, 1)
    assert run.started.wait(10)
    return batcher, run, first


def test_waiting_requests_become_one_batch_and_time_is_shared_by_tokens() -> None:
    batcher, run, first = busy()
    rest = [batcher.submit(item, size) for item, size in [(1, 30), (2, 10), (3, 60)]]
    time.sleep(0.5)  # in the queue: must not count
    run.release.set()
    results = [future.result(10) for future in rest]
    assert run.batches == [[0], [2, 1, 3]]
    assert [result.value for result in results] == [2, 4, 6]
    assert [result.batch for result in results] == [3, 3, 3]
    assert results[2].seconds == pytest.approx(2 * results[0].seconds)
    assert results[0].seconds == pytest.approx(3 * results[1].seconds)
    assert sum(result.seconds for result in results) < 0.5 <= first.result().seconds


def test_a_request_alone_waits_only_a_moment() -> None:
    batcher: Batcher[int, int] = Batcher(Recorder(), name="test", wait=0.005)
    started = time.monotonic()
    assert batcher.submit(4, 1).result(10).value == 8
    assert time.monotonic() - started < 5


def test_items_of_one_caller_are_one_batch_however_long_others_are_waited_for() -> None:
    run = Recorder()
    batcher: Batcher[int, int] = Batcher(run, name="test", wait=0.0)
    for _ in range(200):  # queued one by one, some would leave before the last arrives
        anyio.run(batcher.many, [1, 2, 3, 4], [1, 1, 1, 1])
    assert run.batches == [[1, 2, 3, 4]] * 200


def test_an_item_that_fails_fails_alone() -> None:
    batcher, run, _ = busy()
    first, second, third = [batcher.submit(item, 1) for item in (1, -1, 3)]
    run.release.set()
    assert (first.result(10).value, first.result(10).batch) == (2, 3)
    with pytest.raises(ValueError, match="negative"):
        second.result(10)
    assert third.result(10).value == 6


def test_when_run_raises_the_items_run_one_by_one() -> None:
    batcher, run, _ = busy()
    futures = [batcher.submit(item, 1) for item in (12, 99, 14)]
    run.release.set()
    assert futures[0].result(10).value == 24
    with pytest.raises(RuntimeError, match="ninety-nine"):
        futures[1].result(10)
    assert futures[2].result(10).batch == 1
    assert run.batches == [[0], [12, 99, 14], [12], [99], [14]]


def test_a_run_that_loses_results_is_an_error() -> None:
    batcher: Batcher[int, int] = Batcher(lambda items: [], name="lossy")
    with pytest.raises(RuntimeError, match="lossy: 0 results for 1 items"):
        batcher.submit(1, 1).result(10)


def test_cancelled_futures_leave_the_queue() -> None:
    batcher, run, _ = busy()
    dropped, kept = batcher.submit(1, 1), batcher.submit(2, 1)
    assert dropped.cancel()
    run.release.set()
    assert kept.result(10).batch == 1
    with pytest.raises(CancelledError):
        dropped.result(10)
    assert run.batches == [[0], [2]]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_caller_leaves_the_queue(backend: str) -> None:
    if backend == "trio":
        pytest.importorskip("trio", reason="trio is not installed")
    run = Recorder(hold=True)
    batcher: Batcher[int, int] = Batcher(run, name="test")

    async def main() -> int:
        batcher.submit(0, 1)
        await anyio.to_thread.run_sync(run.started.wait, 10)
        with anyio.move_on_after(0.05) as scope:
            await batcher.many([1, 2, 3], [1, 1, 1])
        assert scope.cancelled_caught
        run.release.set()
        return (await batcher(4, 1)).value

    assert anyio.run(main, backend=backend) == 8
    assert run.batches == [[0], [4]]


def test_more_callers_wait_than_the_default_thread_limiter_lets_through() -> None:
    run = Recorder(hold=True)
    batcher: Batcher[int, int] = Batcher(run, name="test", max_items=100)

    async def main() -> list[int]:
        values: list[int] = []

        async def one(item: int) -> None:
            values.append((await batcher(item, 1)).value)

        async with anyio.create_task_group() as group:
            group.start_soon(one, 0)
            await anyio.to_thread.run_sync(run.started.wait, 10)
            for item in range(1, 81):
                group.start_soon(one, item)
            await anyio.sleep(0.3)
            run.release.set()
        return values

    assert sorted(anyio.run(main)) == [2 * item for item in range(81)]
    assert [len(batch) for batch in run.batches] == [1, 80]


def test_one_batcher_a_key() -> None:
    def make() -> Batcher[int, int]:
        return Batcher(Recorder(), name="test")

    first = shared(("test", "weights-a"), make)
    assert shared(("test", "weights-a"), make) is first
    assert shared(("test", "weights-b"), make) is not first


def test_queues_of_one_device_take_turns_and_waiting_is_not_counted() -> None:
    running, most = 0, 0

    def run(items: list[int]) -> list[int]:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.2)
        running -= 1
        return items

    assert device_lock("cuda") is device_lock("cuda:0")
    assert device_lock("cuda:1") is not device_lock("cuda:0")
    first: Batcher[int, int] = Batcher(run, name="first", lock=device_lock("test"))
    second: Batcher[int, int] = Batcher(run, name="second", lock=device_lock("test"))
    started = time.perf_counter()
    futures = [batcher.submit(1, 1) for batcher in (first, second)]
    counted = sum(future.result(10).seconds for future in futures)
    assert most == 1
    assert 0.4 <= counted <= time.perf_counter() - started, "the second one's waiting would count twice"


def test_time_is_shared_by_what_items_took() -> None:
    batcher, run, _ = busy(spent=lambda item, result: item + result)
    small, large = [batcher.submit(item, 1) for item in (1, 3)]
    run.release.set()
    assert large.result(10).batch == 2
    assert large.result(10).seconds == pytest.approx(3 * small.result(10).seconds)


def test_what_a_failed_batch_had_made_is_freed_before_its_items_run_alone() -> None:
    class Memory:
        pass

    made: list[weakref.ref[Memory]] = []

    def run(items: list[int]) -> list[int]:
        assert not [memory for memory in made if memory() is not None], "still held"
        memory = Memory()
        made.append(weakref.ref(memory))
        if len(items) > 1:
            raise MemoryError
        return items

    batcher: Batcher[int, int] = Batcher(run, name="full", wait=0.2)
    futures = [batcher.submit(item, 1) for item in range(3)]
    assert [future.result(10).value for future in futures] == [0, 1, 2]
    assert len(made) == 1 + 3
