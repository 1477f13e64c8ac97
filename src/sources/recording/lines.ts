import { from, isObservable, type ObservableInput, type Observer } from 'rxjs';

/** Reads the lines of a recording one at a time. */
export interface LineReader {
  /** Notifies the observer of the next line or of the end, within the call or later. Call it again only after that. */
  read(): void;
  /** Releases the input, wherever it stands. */
  close(): void;
}

/**
 * Opens the lines of a recording.
 *
 * Text and iterables, async ones too, are read a line at a time, when `read` asks for it. Any other input (an Observable, a promise) decides
 * itself when it emits; its lines are kept until `read` asks for them.
 */
export function openLines(recording: string | ObservableInput<string>, observer: Observer<string>): LineReader {
  if (typeof recording === 'string') return pullLines(linesOf(recording), observer);
  if (!isObservable(recording)) {
    if (Symbol.iterator in recording) return pullLines(recording[Symbol.iterator](), observer);
    if (Symbol.asyncIterator in recording) return pullLinesLater(recording[Symbol.asyncIterator](), observer);
  }
  return keepLines(recording, observer);
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

function pullLines(lines: Iterator<string>, observer: Observer<string>): LineReader {
  let isOpen = true;
  return {
    read() {
      let result: IteratorResult<string>;
      try {
        result = lines.next();
      } catch (error) {
        isOpen = false;
        observer.error(error);
        return;
      }
      isOpen = result.done !== true;
      if (result.done === true) observer.complete();
      else observer.next(result.value);
    },
    close() {
      if (isOpen) lines.return?.();
    },
  };
}

function pullLinesLater(lines: AsyncIterator<string>, observer: Observer<string>): LineReader {
  let isOpen = true;
  return {
    read() {
      lines.next().then(
        (result) => {
          isOpen = result.done !== true;
          if (result.done === true) observer.complete();
          else observer.next(result.value);
        },
        (error: unknown) => {
          isOpen = false;
          observer.error(error);
        },
      );
    },
    close() {
      // The subscriber has left: a failure to close the input has no one to go to.
      if (isOpen) lines.return?.().catch(() => undefined);
    },
  };
}

function keepLines(lines: ObservableInput<string>, observer: Observer<string>): LineReader {
  const kept = new Set<() => void>();
  let isAwaited = false;

  function deliver(): void {
    const [first] = kept;
    isAwaited = first === undefined;
    if (first === undefined) return;
    kept.delete(first);
    first();
  }

  function keep(notify: () => void): void {
    kept.add(notify);
    if (isAwaited) deliver();
  }

  const subscription = from(lines).subscribe({
    next: (line) => {
      keep(() => {
        observer.next(line);
      });
    },
    error: (error: unknown) => {
      keep(() => {
        observer.error(error);
      });
    },
    complete: () => {
      keep(() => {
        observer.complete();
      });
    },
  });
  return {
    read: deliver,
    close() {
      subscription.unsubscribe();
      kept.clear();
    },
  };
}
