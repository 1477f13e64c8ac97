import { type QueueGauges, type QueueMetrics, priorityQueue } from 'rx-informers/controller';
import { virtualClock } from 'rx-informers/testing';

function aMeasuredQueue() {
  const told: (string | number)[][] = [];
  let gauges: QueueGauges | undefined;
  const metrics: QueueMetrics = {
    opened: (given) => void (gauges = given),
    added: (priority) => void told.push(['added', priority]),
    taken: (waited, priority) => void told.push(['taken', waited, priority]),
    finished: (took) => void told.push(['finished', took]),
    delayed: () => void told.push(['delayed']),
    closed: () => void told.push(['closed']),
  };
  const clock = virtualClock();
  const queue = priorityQueue({ scheduler: clock, metrics });
  return { queue, clock, told, gauges: gauges! };
}

describe('QueueMetrics', () => {
  it('W8: the hooks receive each addition that counts, the waits and the durations, exactly (TestMetrics)', () => {
    const { queue, clock, told, gauges } = aMeasuredQueue();
    queue.add('a');
    clock.advance(50);
    queue.add('a');
    expect(gauges.depth).toBe(1);
    queue.tryGet();
    clock.advance(25);
    expect([gauges.depth, gauges.unfinishedWork, gauges.longestRunning]).toEqual([0, 25, 25]);
    queue.add('a');
    queue.add('b', { priority: -100 });
    queue.tryGet();
    clock.advance(10);
    expect([gauges.unfinishedWork, gauges.longestRunning]).toEqual([45, 35]);
    queue.done('a');
    queue.tryGet();
    expect(told).toEqual([
      ['added', 0],
      ['taken', 50, 0],
      ['added', 0],
      ['added', -100],
      ['taken', 0, -100],
      ['finished', 35],
      ['taken', 10, 0],
    ]);
  });

  it('W8: counts a delayed key when it is added, and again when its time has come', () => {
    const { queue, clock, told, gauges } = aMeasuredQueue();
    queue.addAfter('a', 10);
    queue.addAfter('a', 20);
    expect([gauges.depth, gauges.delayed]).toEqual([0, 1]);
    clock.advance(10);
    expect([gauges.depth, gauges.delayed]).toEqual([1, 0]);
    expect(told).toEqual([['delayed'], ['delayed'], ['added', 0]]);
  });

  it('W8: is closed once, by a shutdown or the end of a drain (TestMetricShutdown)', async () => {
    const { queue, told } = aMeasuredQueue();
    queue.add('a');
    queue.tryGet();
    const drained = queue.shutDownWithDrain();
    expect(told).not.toContainEqual(['closed']);
    queue.done('a');
    await drained;
    queue.shutDown();
    expect(told.filter(([what]) => what === 'closed')).toHaveLength(1);
  });
});
