/**
 * Works through a list with a bounded number of workers and gives out each result as soon as it is there, in any order.
 * More work may be added while it runs. When the consumer stops early, or a worker throws, no further work is started;
 * results that are on their way are still given out before the error.
 *
 * @param queue what there is to do; workers take from its front and may add to its end
 * @param work turns one item into any number of results
 */
export async function* workerPool<T, R>(
  queue: T[],
  workers: number,
  work: (item: T) => Promise<R[]>,
): AsyncGenerator<R> {
  const ready: R[] = [];
  let running = 0;
  let failure: { error: unknown } | undefined;
  let stopped = false;
  let wake = () => {};

  const start = () => {
    while (!failure && !stopped && running < workers && queue.length > 0) {
      running++;
      work(queue.shift() as T)
        .then((results) => ready.push(...results))
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => {
          running--;
          start();
          wake();
        });
    }
  };

  start();
  try {
    for (;;) {
      while (ready.length > 0) yield ready.shift() as R;
      if (running === 0 && ready.length === 0) break;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (ready.length > 0 || running === 0) resolve();
      });
    }
  } finally {
    stopped = true;
  }
  if (failure) throw failure.error;
}
