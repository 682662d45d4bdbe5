import { SingleBar } from 'cli-progress';

/** Reports how far long work is, on stderr: a bar on a terminal, plain lines otherwise. */
export interface ProgressReporter {
  /**
   * @param fraction in 0..1
   * @param secondsLeft null while unknown
   * @param detail what is being done, one line
   */
  update(fraction: number, secondsLeft: number | null, detail: string): void;
  stop(): void;
}

/** Seconds between two plain lines. */
const LINE_INTERVAL = 10;

/** The reporter that suits where stderr goes. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr): ProgressReporter {
  return stream.isTTY ? barProgress(stream) : lineProgress(stream);
}

function barProgress(stream: NodeJS.WriteStream): ProgressReporter {
  const bar = new SingleBar({
    stream,
    format: '{bar} {percentage}% | {left} | {detail}',
    hideCursor: true,
    linewrap: false,
  });
  bar.start(1000, 0, { left: '', detail: '' });
  return {
    update: (fraction, secondsLeft, detail) => {
      bar.update(Math.round(1000 * fraction), { left: formatLeft(secondsLeft), detail });
    },
    stop: () => bar.stop(),
  };
}

function lineProgress(stream: NodeJS.WriteStream): ProgressReporter {
  let last = Number.NEGATIVE_INFINITY;
  return {
    update: (fraction, secondsLeft, detail) => {
      const now = performance.now() / 1000;
      if (now - last < LINE_INTERVAL) return;
      last = now;
      stream.write(`${String(Math.floor(100 * fraction)).padStart(3)} % | ${formatLeft(secondsLeft)} | ${detail}\n`);
    },
    stop: () => {},
  };
}

function formatLeft(seconds: number | null): string {
  if (seconds === null) return 'estimating';
  const minutes = Math.floor(seconds / 60);
  return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s left`;
}
