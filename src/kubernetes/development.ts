/**
 * Returns false in production. If true, objects are deeply frozen when they enter the store, which
 * about doubles the cost of reading a list (H5 ▲), slow subscribers are reported, and misspelt
 * names of options are refused.
 *
 * `process.env.NODE_ENV` is written out so that bundlers can replace it; a browser without a
 * bundler has no `process` and counts as development.
 *
 * Bundlers do not evaluate a call of this function. Where the code that runs in development is
 * large, the same question is asked by `try { if (process.env.NODE_ENV !== 'production') throw
 * development; } catch { … }`. In production, the block after `try` is empty, so bundlers remove
 * both blocks.
 */
export function isDevelopment(): boolean {
  try {
    return process.env.NODE_ENV !== 'production';
  } catch {
    return true;
  }
}

/**
 * Is thrown to reach the code for development. It is made once, because a stack is costly.
 */
export const development: Error = /* #__PURE__ */ new Error('development');

/** Prints a warning about a probable mistake. Called in development only. */
export function warnOfMistake(text: string): void {
  console.warn(`${text} This is reported in development only.`);
}

/** The checks that wait, all of development. */
const waiting = new Set<() => void>();
let isListening = false;

/**
 * Calls `check` once, after some seconds of the machine's clock, or when Node is about to exit. It
 * keeps no process alive and uses no scheduler, so virtual time is not disturbed. The seconds are
 * counted one by one, so time for which the event loop was blocked or the machine slept does not
 * count. Called in development only.
 *
 * @param atExit false if there is nothing to check at the exit
 * @returns a function that cancels the check
 */
export function checkLater(check: () => void, seconds: number, atExit = true): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const cancel = (): void => {
    waiting.delete(run);
    clearTimeout(timer);
  };
  const run = (): void => {
    cancel();
    check();
  };
  const countDown = (left: number): void => {
    timer = setTimeout(() => (left > 1 ? countDown(left - 1) : run()), 1_000);
    (timer as { readonly unref?: () => void }).unref?.();
  };
  countDown(seconds);
  if (!atExit) return cancel;
  waiting.add(run);
  if (isListening) return cancel;
  isListening = true;
  const { process } = globalThis as { readonly process?: { readonly on?: (event: string, act: () => void) => void } };
  process?.on?.('beforeExit', () => {
    for (const each of waiting) each();
  });
  return cancel;
}

/** A place in the code of the caller. Its stack is formatted only if it is reported. */
export class CallSite {
  readonly #site = new Error();

  /** Returns the first line of the stack outside of this library; all lines if it is bundled. */
  get place(): string {
    const { stack = '' } = this.#site;
    const [own = '', ...callers] = stack.split('\n').filter((line) => isFrame.test(line));
    const folder = folderOfFrame.exec(own)?.[1] ?? own;
    const place = callers.find((line) => !line.includes(folder) && !line.includes('node:'));
    return place?.trim() ?? `\n${callers.join('\n')}\n`;
  }
}

const isFrame = /:\d+:\d+\)?$/;
/** Matches the folder of the library, in the published package or in the sources. */
const folderOfFrame = /([^(@\s]*?[\\/])(?:kubernetes[\\/])?[^\\/]*$/;

/**
 * Returns the name of which `name` is probably a misspelling: it differs in upper case and lower
 * case, in one character, or for a name of seven characters or more in two. Returns `undefined` if
 * `name` is one of the names, or resembles none.
 */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  if (names.includes(name)) return undefined;
  const edits = name.length < 7 ? 1 : 2;
  const distances = names.map((known) => ({ known, distance: editDistance(name.toLowerCase(), known.toLowerCase()) }));
  return distances.sort((a, b) => a.distance - b.distance).find(({ distance }) => distance <= edits)?.known;
}

/** Returns how many characters must be added, removed or replaced (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 0; index < from.length; index++) {
    const next = [index + 1];
    for (let column = 0; column < to.length; column++) {
      const replaced = (row[column] as number) + Number(from[index] !== to[column]);
      next.push(Math.min(replaced, (row[column + 1] as number) + 1, (next[column] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
