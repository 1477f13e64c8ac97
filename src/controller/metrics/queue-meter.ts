import type { QueueGauges, QueueMetrics } from '../queue/queue-metrics.js';
import { ByName, greatest, sum } from './by-name.js';
import type { Instruments, ReadFact } from './instruments.js';
import { inSeconds } from './in-seconds.js';

/** W8: queues by name; the gauges of one are read until it is closed. */
export function queueMeter(instruments: Instruments): (name: string) => QueueMetrics {
  const open = new ByName(() => new Set<QueueGauges>());
  const read = (fact: ReadFact, valueOf: (queues: ReadonlySet<QueueGauges>) => number): void => {
    instruments.read(fact, () => open.map((queues, name) => ({ value: valueOf(queues), labels: { name } })));
  };
  read('queueDepth', (queues) => sum(queues, ({ depth }) => depth));
  read('unfinishedWork', (queues) => inSeconds(sum(queues, ({ unfinishedWork }) => unfinishedWork)));
  read('longestRunning', (queues) => inSeconds(greatest(queues, ({ longestRunning }) => longestRunning)));

  return (name) => {
    const labels = { name };
    instruments.count('queueAdds', 0, labels);
    instruments.count('queueRetries', 0, labels);
    return {
      opened: (gauges) => {
        open.of(name).add(gauges);
      },
      added: () => instruments.count('queueAdds', 1, labels),
      taken: (waited) => instruments.record('queueDuration', inSeconds(waited), labels),
      finished: (took) => instruments.record('workDuration', inSeconds(took), labels),
      delayed: () => instruments.count('queueRetries', 1, labels),
      closed: (gauges) => {
        const queues = open.of(name);
        queues.delete(gauges);
        if (queues.size === 0) open.forget(name);
      },
    };
  };
}
