import { chartOf } from '../../bench/report/chart.js';
import { evaluate } from '../../bench/results/evaluate.js';
import { wordCount } from './support/word-count.js';
import { wordCounted } from './support/results.js';

const evaluation = evaluate(wordCount, wordCounted.figures);

describe('the chart of a scenario', () => {
  it('is an SVG on white that names each contestant, the unit and the value', async () => {
    const svg = await chartOf(wordCount, evaluation);
    expect(svg).toMatch(/^<svg /);
    expect(svg).toContain('fill="white"');
    for (const text of ['rx-informers', 'client-node', 'floor', 'wall time, ms (lower is better)', 'heap, MB', '240']) {
      expect(svg).toContain(text);
    }
    expect(svg).not.toContain('crasher');
  });

  it('is the same for the same figures, so that it changes in a diff only when they do', async () => {
    const first = await chartOf(wordCount, evaluation);
    expect(await chartOf(wordCount, evaluation)).toBe(first);
    expect(await chartOf(wordCount, evaluate(wordCount, { floor: { time: [1] } }))).not.toBe(first);
  });

  it('shows this library in a colour of its own', async () => {
    const colours = (svg: string): readonly string[] => svg.match(/#c2185b/g) ?? [];
    expect(colours(await chartOf(wordCount, evaluation))).toHaveLength(2);
    expect(colours(await chartOf(wordCount, evaluate(wordCount, { floor: { time: [1] } })))).toHaveLength(0);
  });
});
