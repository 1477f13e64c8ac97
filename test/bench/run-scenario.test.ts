import { progressTo, type Step } from '../../bench/run/progress.js';
import { runScenario } from '../../bench/run/run-scenario.js';
import { wordCount } from './support/word-count.js';

const module = new URL('./support/word-count.ts', import.meta.url).href;
const scenario = { ...wordCount, contestants: ['floor', 'rx-informers'] };
const options = { scale: 'full', module } as const;

/** Starting Node with a compiler takes a third of a second on an idle machine, and much more on a busy one. */
const PATIENCE = 60_000;

describe('a scenario', () => {
  it(
    'runs every contestant once a round, another one first each time, and collects the figures of all rounds',
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
    'ends with the first contestant that fails, and says which, and what it printed',
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

describe('progress', () => {
  it('says of each run how long it took', async () => {
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
