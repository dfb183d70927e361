"""One queue per set of weights: requests of all samples in flight become batches on one worker thread.

The language-model provider and the encoder bridges (cross-encoders, embeddings, taggers) share it::

    def make() -> Batcher[Pair, float]:  # cheap: only called when the key is new
        return Batcher(score_pairs, name="bge", max_tokens=8192)

    batcher = shared(("cross-encoder", path, revision, dtype, device), make)
    scores = await batcher.many(pairs, sizes)  # list[Timed[float]], in the order of `pairs`
    one = await batcher(pair, size)  # Timed[float]: one.value, one.seconds, one.batch
    future = batcher.submit(pair, size)  # concurrent.futures.Future[Timed[float]]

`run(items)` is called on the worker thread with the items of one batch and returns one result per item, in order.
An item's result may be an exception, which only its own caller sees. When `run` itself raises, the items of that
batch run again one by one, so that one bad item fails only itself. Load weights before the first `submit` (in a
thread: ``await anyio.to_thread.run_sync(load)``), never inside `run`: its time is what a bridge costs.

`run` must return results that are complete (on a GPU: copied to the host), or its time would be that of the launch.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

import anyio
import anyio.to_thread

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True)
class Timed(Generic[Result]):
    """A result and what it took.

    Attributes:
        value: What `run` returned for the item.
        seconds: Device-seconds: the batch's time shared out by size in tokens; waiting in the queue is excluded.
        batch: Number of items in the batch.
    """

    value: Result
    seconds: float
    batch: int


@dataclass(frozen=True)
class Request(Generic[Item, Result]):
    """An item in the queue.

    Attributes:
        item: What `run` will be given.
        size: Tokens it takes, without padding.
        arrived: `time.monotonic` of its submission, in seconds.
    """

    item: Item
    size: int
    arrived: float = field(default_factory=time.monotonic)
    future: "Future[Timed[Result]]" = field(default_factory=Future)


Select = Callable[[Sequence[Request[Any, Any]]], Sequence[int]]
"""Which of the waiting requests (in order of arrival, at least one) form the next batch: their indices."""


def similar_length(max_tokens: int, max_items: int) -> Select:
    """The oldest request and those nearest to it in length, as many as fit.

    The oldest is always taken, so none starves; an item above `max_tokens` runs alone.

    Args:
        max_tokens: Bound of a batch with its padding: longest item x number of items, in tokens.
        max_items: Bound of the number of items.
    """

    def select(waiting: Sequence[Request[Any, Any]]) -> list[int]:
        oldest = waiting[0].size
        nearest = sorted(range(len(waiting)), key=lambda index: abs(waiting[index].size - oldest))
        longest, chosen = 0, 0
        for index in nearest[:max_items]:
            longest = max(longest, waiting[index].size)
            if chosen and longest * (chosen + 1) > max_tokens:
                break
            chosen += 1
        return sorted(nearest[:chosen], key=lambda index: waiting[index].size)

    return select


class Batcher(Generic[Item, Result]):
    """Collects items from any thread or event loop and runs them in batches on one daemon thread.

    Args:
        run: Called with the items of a batch, shortest first; returns one result (or exception) per item.
        name: Name of the worker thread.
        max_tokens: Bound of a batch with its padding, in tokens.
        max_items: Bound of the number of items in a batch.
        wait: Most seconds that an item waits for others to fill its batch while the device is idle.
        select: How a batch is chosen, in place of `similar_length(max_tokens, max_items)`.
        spent: Tokens that an item with its result did take, by which a batch's time is shared out; by default its size.
        lock: Held while `run` computes: the queues of one device share it and take turns; waiting is not counted.
    """

    def __init__(
        self,
        run: Callable[[list[Item]], Sequence[Result | Exception]],
        *,
        name: str,
        max_tokens: int = 8192,
        max_items: int = 64,
        wait: float = 0.005,
        select: Select | None = None,
        spent: Callable[[Item, Result], int] | None = None,
        lock: AbstractContextManager[Any] | None = None,
    ) -> None:
        self._run = run
        self._lock = lock or threading.Lock()
        self._name = name
        self._wait = wait
        self._select = select or similar_length(max_tokens, max_items)
        self._spent = spent
        self._waiting: list[Request[Item, Result]] = []
        self._arrival = threading.Condition()
        self._worker: threading.Thread | None = None

    def submit(self, item: Item, size: int) -> "Future[Timed[Result]]":
        """Queue an item; cancelling the future before it runs takes it out of the queue.

        Args:
            item: What `run` will be given.
            size: Tokens it takes, without padding: batches are chosen, and their time is shared out, by it.
        """
        return self._queue([Request(item, size)])[0]

    def _queue(self, requests: "list[Request[Item, Result]]") -> "list[Future[Timed[Result]]]":
        with self._arrival:
            self._waiting.extend(requests)
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name=f"batcher {self._name}", daemon=True)
                self._worker.start()
            self._arrival.notify()
        return [request.future for request in requests]

    async def __call__(self, item: Item, size: int) -> Timed[Result]:
        """Queue an item and wait for its result, on any of anyio's event loops."""
        return (await self.many([item], [size]))[0]

    async def many(self, items: Sequence[Item], sizes: Sequence[int]) -> list[Timed[Result]]:
        """Queue items together and wait for all their results, in the same order.

        They enter the queue at one moment, so that the batches of a caller alone are the same in every run.

        Cancelling the caller takes those that do not run yet out of the queue.

        Raises:
            Exception: That of the first item that failed.
        """
        futures = self._queue([Request(item, size) for item, size in zip(items, sizes, strict=True)])
        try:
            # A sleeping thread for each caller works on every event loop; a limiter of its own, because the
            # default one would let 40 callers wait at most, and so bound the batches.
            return await anyio.to_thread.run_sync(
                lambda: [future.result() for future in futures],
                abandon_on_cancel=True,
                limiter=anyio.CapacityLimiter(1),
            )
        finally:
            for future in futures:
                future.cancel()

    def _work(self) -> None:
        while True:
            if batch := self._next_batch():
                self._run_batch(batch)
            del batch  # an idle worker holds no items

    def _next_batch(self) -> list[Request[Item, Result]]:
        """Block until a batch is full, or its oldest request has waited long enough; empty if all were cancelled."""
        with self._arrival:
            while True:
                self._waiting = [request for request in self._waiting if not request.future.cancelled()]
                if not self._waiting:
                    self._arrival.wait()
                    continue
                chosen = self._select(self._waiting)
                left = self._waiting[0].arrived + self._wait - time.monotonic()
                if left <= 0 or len(chosen) < len(self._waiting):
                    break
                self._arrival.wait(left)
            batch = [self._waiting[index] for index in chosen]
            self._waiting = [request for index, request in enumerate(self._waiting) if index not in set(chosen)]
        return [request for request in batch if request.future.set_running_or_notify_cancel()]

    def _run_batch(self, batch: list[Request[Item, Result]]) -> None:
        failed = False
        try:
            with self._lock:
                started = time.perf_counter()
                results = self._run([request.item for request in batch])
                seconds = time.perf_counter() - started
            if len(results) != len(batch):
                raise RuntimeError(f"{self._name}: {len(results)} results for {len(batch)} items")
        except Exception as error:
            if len(batch) == 1:
                batch[0].future.set_exception(error)
                return
            failed = True
        if failed:
            # not within `except`: its error holds on to what `run` had made, the memory that the batch ran out of
            for request in batch:
                self._run_batch([request])
            return
        sizes = [
            self._spent(request.item, result) if self._spent and not isinstance(result, Exception) else request.size
            for request, result in zip(batch, results, strict=True)
        ]
        for request, result, size in zip(batch, results, sizes, strict=True):
            if isinstance(result, Exception):
                request.future.set_exception(result)
            else:
                share = size / sum(sizes) if any(sizes) else 1 / len(batch)
                request.future.set_result(Timed(result, seconds * share, len(batch)))


_device_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def device_lock(device: str) -> threading.Lock:
    """The lock for the queues of one torch device (``cuda`` is ``cuda:0``), so that different weights take turns."""
    return _device_locks[device.removesuffix(":0")]


_batchers: dict[Hashable, Batcher[Any, Any]] = {}
_batchers_lock = threading.Lock()


def shared(key: Hashable, make: Callable[[], Batcher[Item, Result]]) -> Batcher[Item, Result]:
    """The process-wide batcher of `key`; `make` is called when there is none yet.

    Args:
        key: A kind of model and what tells its weights apart: path, revision, dtype, device.
        make: Builds the batcher, without loading weights.
    """
    with _batchers_lock:
        if key not in _batchers:
            _batchers[key] = make()
        return cast(Batcher[Item, Result], _batchers[key])
