/**
 * A signal that is given at Ctrl-C or at a request to terminate. The work then saves and stops by itself; asking a
 * second time ends the process at once, and the next run goes on from the last checkpoint.
 */
export function interruptSignal(note: (message: string) => void): { signal: AbortSignal; release(): void } {
  const controller = new AbortController();
  const handler = (): void => {
    if (controller.signal.aborted) process.exit(130);
    note('\nStopping after the current step; press Ctrl-C again to stop at once.');
    controller.abort();
  };
  process.on('SIGINT', handler);
  process.on('SIGTERM', handler);
  return {
    signal: controller.signal,
    release: () => {
      process.off('SIGINT', handler);
      process.off('SIGTERM', handler);
    },
  };
}
