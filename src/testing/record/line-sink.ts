import { closeSync, openSync, writeSync } from 'node:fs';

/** Where lines go; each comes with its line break. */
export type LineSink = string | ((line: string) => void) | { write(line: string): unknown };

export interface OpenSink {
  write(line: string): void;
  close(): void;
}

/** A path is a file that is written anew, each line before the next event passes: what a crash leaves is a truncated recording. */
export function openSink(sink: LineSink): OpenSink {
  if (typeof sink === 'string') {
    const file = openSync(sink, 'w');
    return {
      write: (line) => {
        writeSync(file, line);
      },
      close: () => {
        closeSync(file);
      },
    };
  }
  const close = (): void => {
    // What was given belongs to who gave it.
  };
  if (typeof sink === 'function') return { write: sink, close };
  return {
    write: (line) => {
      sink.write(line);
    },
    close,
  };
}
