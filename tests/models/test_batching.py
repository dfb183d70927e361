import threading
import time
from concurrent.futures import CancelledError

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
    """Doubles numbers; keeps the batches; holds the first one until `release`."""

    def __init__(self, hold: bool = False) -> None:
        self.batches: list[list[int]] = []
        self.started, self.release = threading.Event(), threading.Event()
        if not hold:
            self.release.set()

    def __call__(self, items: list[int]) -> list[int | Exception]:
        self.batches.append(items)
        self.started.set()
        self.release.wait(10)
        return [ValueError("negative") if item < 0 else 2 * item for item in items]


def test_waiting_requests_become_one_batch_and_time_is_shared_by_tokens() -> None:
    run = Recorder(hold=True)
    batcher: Batcher[int, int] = Batcher(run, name="test")
    first = batcher.submit(0, 1)
    assert run.started.wait(10)
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


def test_an_item_that_fails_fails_alone() -> None:
    async def main() -> list[Timed[int] | Exception]:
        batcher: Batcher[int, int] = Batcher(Recorder(), name="test", wait=0.1)
        outcomes: list[Timed[int] | Exception] = [ValueError("unset")] * 3

        async def one(index: int, item: int) -> None:
            try:
                outcomes[index] = await batcher(item, 1)
            except ValueError as error:
                outcomes[index] = error

        async with anyio.create_task_group() as group:
            for index, item in enumerate([1, -1, 3]):
                group.start_soon(one, index, item)
        return outcomes

    first, second, third = anyio.run(main)
    assert isinstance(first, Timed)
    assert first.value == 2
    assert first.batch == 3
    assert isinstance(second, ValueError)
    assert str(second) == "negative"
    assert isinstance(third, Timed)
    assert third.value == 6


def test_when_run_raises_the_items_run_one_by_one() -> None:
    sizes = []

    def run(items: list[int]) -> list[int]:
        sizes.append(len(items))
        if 13 in items:
            raise RuntimeError("thirteen")
        return items

    batcher: Batcher[int, int] = Batcher(run, name="test", wait=0.1)
    futures = [batcher.submit(item, 1) for item in (12, 13, 14)]
    assert futures[0].result(10).value == 12
    with pytest.raises(RuntimeError, match="thirteen"):
        futures[1].result(10)
    assert futures[2].result(10).batch == 1
    assert sizes == [3, 1, 1, 1]


def test_a_run_that_loses_results_is_an_error() -> None:
    batcher: Batcher[int, int] = Batcher(lambda items: [], name="lossy")
    with pytest.raises(RuntimeError, match="lossy: 0 results for 1 items"):
        batcher.submit(1, 1).result(10)


def test_cancelled_futures_leave_the_queue() -> None:
    run = Recorder(hold=True)
    batcher: Batcher[int, int] = Batcher(run, name="test")
    batcher.submit(0, 1)
    assert run.started.wait(10)
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
    batcher: Batcher[int, int] = Batcher(
        lambda items: [2 * item for item in items], name="test", wait=0.1, spent=lambda item, result: item + result
    )
    small, large = [batcher.submit(item, 1) for item in (1, 3)]
    assert large.result(10).batch == 2
    assert large.result(10).seconds == pytest.approx(3 * small.result(10).seconds)
