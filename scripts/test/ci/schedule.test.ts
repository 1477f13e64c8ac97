import { stepsForChanges } from '../../ci/changes.js';
import { nightlySteps, parts } from '../../ci/nightly-steps.js';
import { startable, type Progress } from '../../ci/schedule.js';
import { changeSteps, type Step } from '../../ci/steps.js';

const step = (name: string, rest: Partial<Step> = {}): Step => ({ name, command: 'true', ...rest });
const progress = (running: readonly string[], passed: readonly string[] = []): Progress => ({
  running: new Set(running),
  ended: new Map(passed.map((name) => [name, true])),
});
const names = (steps: readonly Step[]): readonly string[] => steps.map(({ name }) => name);

/** Returns the names of the steps that start, if each step ends with the result of `passes`. */
function startedBy(steps: readonly Step[], processors: number, passes = (_name: string) => true): readonly string[] {
  const ended = new Map<string, boolean>();
  const running: string[] = [];
  for (;;) {
    running.push(...names(startable(steps, { running: new Set(running), ended }, processors)));
    const next = running.shift();
    if (next === undefined) return [...ended.keys()];
    expect(ended.has(next)).toBe(false);
    ended.set(next, passes(next));
  }
}

describe('the order of CI steps', () => {
  it('starts steps in order, as many at once as there are processors', () => {
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

  it('runs a step that needs all processors alone', () => {
    const steps = [step('a'), step('b', { processors: Infinity }), step('c')];

    expect(names(startable(steps, progress(['a']), 2))).toEqual([]);
    expect(names(startable(steps, progress([], ['a']), 2))).toEqual(['b']);
    expect(names(startable(steps, progress(['b'], ['a']), 2))).toEqual([]);
    expect(names(startable(steps, progress([], ['a', 'b']), 2))).toEqual(['c']);
  });

  it('runs steps that wait most of the time beside others', () => {
    const steps = [step('a', { processors: 0.5 }), step('b', { processors: 0.5 }), step('c'), step('d')];

    expect(names(startable(steps, progress([]), 2))).toEqual(['a', 'b', 'c']);
  });

  it('keeps back only the steps that read the files of a failed step', () => {
    const steps = [step('a'), step('b', { after: ['a'] }), step('c', { after: ['b'] }), step('d')];

    expect(startedBy(steps, 1, (name) => name !== 'a')).toEqual(['a', 'd']);
  });

  it.each([1, 2, 8])('runs every step after a change once, with %i processors', (processors) => {
    expect(new Set(startedBy(changeSteps, processors))).toEqual(new Set(names(changeSteps)));
  });

  it.each(parts)('runs every step of part %s of the night once', (part) => {
    expect(new Set(startedBy(nightlySteps(part), 2))).toEqual(new Set(names(nightlySteps(part))));
  });

  it('refuses a part of the night that does not exist', () => {
    expect(() => nightlySteps('nine')).toThrow('part');
  });
});

describe('the choice of CI steps', () => {
  const steps = [step('code'), step('guides', { inputs: /^docs\// })];

  it('leaves out the steps whose inputs have not changed, and names them', () => {
    const { steps: chosen, lines } = stepsForChanges(steps, ['src/index.ts']);

    expect(names(chosen)).toEqual(['code']);
    expect(lines.join('\n')).toContain('guides');
  });

  it('runs a step with one changed input', () => {
    expect(names(stepsForChanges(steps, ['src/index.ts', 'docs/README.md']).steps)).toEqual(['code', 'guides']);
  });

  it('runs every step if there is no commit to compare with', () => {
    expect(names(stepsForChanges(steps, undefined).steps)).toEqual(['code', 'guides']);
  });

  it('lets no step wait for one that may be left out', () => {
    const optional = names(changeSteps.filter(({ inputs }) => inputs !== undefined));

    for (const { after = [] } of changeSteps) expect(after.filter((name) => optional.includes(name))).toEqual([]);
  });
});
