import { readFileSync } from 'node:fs';
import { facts as instruments } from '../opentelemetry/support/measured.js';
import { facts as metrics } from './support/figures-of-text.js';

const page = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
const firstCells = [...page.matchAll(/^\| `([\w.]+)` +\|/gm)].map(([, name]) => name);

describe('docs/metrics.md', () => {
  it('has a row for each metric and each instrument, and for nothing else', () => {
    expect(firstCells.sort()).toEqual([...Object.keys(metrics), ...Object.keys(instruments)].sort());
  });

  it('says which metric an instrument is in Prometheus', () => {
    const pairs = [...page.matchAll(/^\| `([a-z_]+\.[\w.]+)`.*\| `(\w+)` *\|$/gm)].map(([, ...pair]) => pair);
    expect(pairs).toHaveLength(Object.keys(instruments).length);
    for (const [instrument = '', metric = ''] of pairs) expect(instruments[instrument]).toBe(metrics[metric]);
  });
});
