import { jest } from '@jest/globals';
import type { Figures } from '../model/scenario.js';
import { measureAll } from '../run/measure-all.js';
import { progressTo, type Step } from '../run/progress.js';
import { runContestant } from '../run/run-contestant.js';
import { rotate, runScenario } from '../run/run-scenario.js';
import { wordCount } from './support/word-count.js';

const module = new URL('./support/word-count.ts', import.meta.url).href;

describe('the order of contestants', () => {
  it('changes with the round, so each contestant comes first equally often', () => {
    const rounds = [0, 1, 2, 3].map((round) => rotate(['a', 'b', 'c'], round).join(''));
    expect(rounds).toEqual(['abc', 'bca', 'cab', 'abc']);
  });

  it('is empty for an empty list', () => {
    expect(rotate([], 3)).toEqual([]);
  });
});

describe('a contestant in its own process', () => {
  /**
   * Starting Node with a compiler takes a third of a second on an idle machine, and much more on a
   * busy one.
   */
  const PATIENCE = 6_000;

  it(
    'measures with the settings of the scenario, in production mode, with a garbage collector that can be called',
    async () => {
      expect(await run('floor')).toEqual({ time: 5, heap: 3 });
    },
    PATIENCE,
  );

  it.each([
    [
      'that throws causes an error with its name and its stack',
      'thrower',
      /^word-count, thrower: RangeError: too many words\n +at /,
    ],
    [
      'that crashes causes an error with the signal',
      'crasher',
      /^word-count, crasher: ended before it answered \(SIGKILL\)/,
    ],
    [
      'that never finishes causes an error at once',
      'quitter',
      /^word-count, quitter: ended before it answered \(exit code/,
    ],
  ])(
    'a contestant in its own process: one %s',
    async (_, contestant, message) => {
      await expect(run(contestant)).rejects.toThrow(message);
    },
    PATIENCE,
  );

  it(
    'is killed if it does not answer in time',
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

const scenario = { ...wordCount, contestants: ['floor', 'rx-informers'] };

const options = { scale: 'full', module } as const;

describe('the run of a scenario', () => {
  /**
   * Starting Node with a compiler takes a third of a second on an idle machine, and much more on a
   * busy one.
   */
  const PATIENCE = 60_000;

  it(
    'runs every contestant once per round, starting with another one each time, and collects all figures',
    async () => {
      const steps: Step[] = [];
      const { signal } = new AbortController();
      const progress = <T>(step: Step, work: () => Promise<T>): Promise<T> => {
        steps.push(step);
        return work();
      };
      const figures = await runScenario(scenario, { ...options, rounds: 2, signal, progress });
      expect(figures).toEqual({
        floor: { time: [5, 5], heap: [1, 1] },
        'rx-informers': { time: [12, 12], heap: [1, 1] },
      });
      expect(Object.keys(figures)).toEqual(['floor', 'rx-informers']);
      expect(steps.map(({ round, rounds, contestant }) => `${round}/${rounds} ${contestant}`)).toEqual([
        '1/2 floor',
        '1/2 rx-informers',
        '2/2 rx-informers',
        '2/2 floor',
      ]);
    },
    PATIENCE,
  );

  it(
    'ends with the first contestant that fails, and reports its name and its output',
    async () => {
      const { signal } = new AbortController();
      const lines: string[] = [];
      const failing = { ...scenario, contestants: ['crasher', 'floor'] };
      const run = runScenario(failing, {
        ...options,
        rounds: 1,
        signal,
        progress: progressTo((text) => lines.push(text)),
      });
      await expect(run).rejects.toThrow(/^word-count, crasher: [^]*the crasher is about to crash/);
      expect(lines).toEqual(['word-count · round 1/1 · crasher: failed\n']);
    },
    PATIENCE,
  );

  it(
    'ends when it is interrupted, and kills the contestant',
    async () => {
      const interruption = new AbortController();
      const progress = <T>(_: Step, work: () => Promise<T>): Promise<T> => {
        const working = work();
        interruption.abort();
        return working;
      };
      const sleeping = { ...scenario, contestants: ['sleeper'] };
      const run = runScenario(sleeping, { ...options, rounds: 1, signal: interruption.signal, progress });
      await expect(run).rejects.toThrow('word-count, sleeper: was aborted');
    },
    PATIENCE,
  );
});

describe('the runs of several scenarios', () => {
  it('skip a scenario that cannot be measured on this machine, and state why', async () => {
    const written = jest.spyOn(console, 'log').mockImplementation(() => undefined);
    const unavailable = { ...wordCount, unavailable: () => 'there is no counter' };
    const { signal } = new AbortController();
    const onward = { rounds: undefined, only: undefined, output: undefined, signal };
    await measureAll([unavailable], { scale: 'quick', ...onward });
    expect(written).toHaveBeenCalledWith('word-count is left out: there is no counter');
    written.mockRestore();
  });
});

describe('the progress output', () => {
  it('shows how long each run took', async () => {
    const written: string[] = [];
    let now = 1000;
    const progress = progressTo(
      (line) => written.push(line),
      () => now,
    );
    const step = { scenario: 'first-sync', contestant: 'floor', round: 2, rounds: 5 };
    const result = await progress(step, async () => {
      now += 1940;
      return 'done';
    });
    expect(result).toBe('done');
    expect(written).toEqual(['first-sync · round 2/5 · floor: 1.9 s\n']);
  });
});
