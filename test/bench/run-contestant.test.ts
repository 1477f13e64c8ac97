import { runContestant } from '../../bench/run/run-contestant.js';
import type { Figures } from '../../bench/scenario.js';
import { wordCount } from './support/word-count.js';

const module = new URL('./support/word-count.ts', import.meta.url).href;

/** Starting Node with a compiler takes a third of a second on an idle machine, and much more on a busy one. */
const PATIENCE = 6_000;

describe('a contestant in a process of its own', () => {
  it(
    'measures with what the scenario says, in production mode, with a garbage collector to call',
    async () => {
      expect(await run('floor')).toEqual({ time: 5, heap: 3 });
    },
    PATIENCE,
  );

  it.each([
    [
      'that throws is an error with its name and its stack',
      'thrower',
      /^word-count, thrower: RangeError: too many words\n +at /,
    ],
    [
      'that crashes is an error with the signal',
      'crasher',
      /^word-count, crasher: ended before it answered \(SIGKILL\)/,
    ],
    [
      'that waits for nothing is an error at once',
      'quitter',
      /^word-count, quitter: ended before it answered \(exit code/,
    ],
  ])(
    'a contestant in a process: one %s',
    async (_, contestant, message) => {
      await expect(run(contestant)).rejects.toThrow(message);
    },
    PATIENCE,
  );

  it(
    'is killed when it gives no answer in time',
    async () => {
      await expect(run('sleeper', { timeout: 1 })).rejects.toThrow(
        'word-count, sleeper: gave no answer within 0.001 s',
      );
    },
    PATIENCE,
  );
});

function run(contestant: string, options: { readonly timeout?: number } = {}): Promise<Figures> {
  const context = { scale: 'full', url: '', content: { pods: 3 } } as const;
  const { signal } = new AbortController();
  return runContestant(wordCount, contestant, context, { module, signal, ...options });
}
