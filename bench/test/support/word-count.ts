import { writeSync } from 'node:fs';
import type { Scenario } from '../../model/scenario.js';

/** A scenario that takes no time. Its figures show the input of its process. */
export const wordCount: Scenario = {
  name: 'word-count',
  title: 'Counting the words of `a text`',
  description: 'A text is counted.',
  contestants: ['rx-informers', 'client-node', 'floor', 'thrower', 'crasher', 'sleeper', 'quitter'],
  metrics: {
    time: { title: 'wall time', unit: 'ms', better: 'lower' },
    heap: { title: 'heap', unit: 'MB', better: 'lower' },
  },
  targets: [
    {
      figure: { contestant: 'rx-informers', metric: 'time' },
      is: 'at most',
      factor: 1.3,
      reference: { contestant: 'floor', metric: 'time' },
    },
    { figure: { contestant: 'rx-informers', metric: 'heap' }, is: 'at most', factor: 50 },
  ],
  run: async (contestant, { scale, content }) => {
    if (contestant === 'thrower') throw new RangeError('too many words');
    if (contestant === 'crasher') {
      writeSync(2, 'the crasher is about to crash\n');
      process.kill(process.pid, 'SIGKILL');
    }
    if (contestant === 'sleeper') await new Promise((resolve) => setInterval(resolve, 2 ** 30));
    if (contestant === 'quitter') await new Promise(() => undefined);
    const isAsRequired = typeof globalThis.gc === 'function' && process.env['NODE_ENV'] === 'production';
    return { time: scale === 'full' ? contestant.length : 0, heap: isAsRequired ? (content?.pods ?? 1) : 0 };
  },
};
