import { startable, type Progress } from '../../ci/schedule.js';
import { stepsOf, type Step } from '../../ci/steps.js';

const step = (name: string, rest: Partial<Step> = {}): Step => ({ name, command: 'true', ...rest });
const progress = (running: readonly string[], passed: readonly string[] = []): Progress => ({
  running: new Set(running),
  ended: new Map(passed.map((name) => [name, true])),
});
const names = (steps: readonly Step[]): readonly string[] => steps.map(({ name }) => name);

describe('the order of CI steps', () => {
  it('starts steps in order, as many at once as there are slots', () => {
    const steps = [step('a'), step('b'), step('c')];

    expect(names(startable(steps, progress([]), 2))).toEqual(['a', 'b']);
    expect(names(startable(steps, progress(['b'], ['a']), 2))).toEqual(['c']);
    expect(names(startable(steps, progress(['a', 'b']), 2))).toEqual([]);
  });

  it('starts a step only after the steps that it depends on, and lets later ones overtake it', () => {
    const steps = [step('a'), step('b', { after: ['a'] }), step('c')];

    expect(names(startable(steps, progress([]), 2))).toEqual(['a', 'c']);
    expect(names(startable(steps, progress(['c'], ['a']), 2))).toEqual(['b']);
  });

  it('runs an exclusive step alone', () => {
    const steps = [step('a'), step('b', { alone: true }), step('c')];

    expect(names(startable(steps, progress(['a']), 2))).toEqual([]);
    expect(names(startable(steps, progress([], ['a']), 2))).toEqual(['b']);
    expect(names(startable(steps, progress(['b'], ['a']), 2))).toEqual([]);
    expect(names(startable(steps, progress([], ['a', 'b']), 2))).toEqual(['c']);
  });

  it('starts nothing after a failure', () => {
    expect(startable([step('a'), step('b')], { running: new Set(), ended: new Map([['a', false]]) }, 2)).toEqual([]);
  });

  it.each([1, 2, 8])('runs every step of CI once, with %i slots', (places) => {
    const steps = stepsOf({ isNightly: true, hasRig: true });
    const ended = new Map<string, boolean>();
    const running: string[] = [];
    for (;;) {
      running.push(...names(startable(steps, { running: new Set(running), ended }, places)));
      const next = running.shift();
      if (next === undefined) break;
      expect(ended.has(next)).toBe(false);
      ended.set(next, true);
    }

    expect(new Set(ended.keys())).toEqual(new Set(names(steps)));
  });
});
