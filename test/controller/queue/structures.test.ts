import fc from 'fast-check';
import { Heap, type HeapNode, LinkedList, PriorityFifo } from '../../../src/controller/queue/structures.js';
import { mergeReason } from '../../../src/controller/queue/queue-item.js';

const shiftAll = <T>(fifo: PriorityFifo<T>): readonly T[] => Array.from({ length: fifo.size }, () => fifo.shift() as T);

describe('Heap', () => {
  it('returns the least value first, whatever was added and taken out from anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof({ weight: 2, arbitrary: fc.integer() }, { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) }),
          { maxLength: 60, size: 'max' },
        ),
        (steps) => {
          const heap = new Heap<number>((a, b) => a < b);
          const nodes: HeapNode<number>[] = [];
          for (const step of steps) {
            if (typeof step === 'number') nodes.push(heap.push(step));
            else if (nodes.length > 0) heap.remove(nodes.splice(step.remove % nodes.length, 1)[0]!);
            const values = nodes.map(({ value }) => value);
            expect(heap.first).toBe(values.length > 0 ? Math.min(...values) : undefined);
            expect(heap.size).toBe(nodes.length);
          }
        },
      ),
    );
  });
});

describe('LinkedList', () => {
  it('keeps the order of arrival, whatever is taken out', () => {
    const list = new LinkedList<string>();
    const [a, b, c] = ['a', 'b', 'c'].map((value) => list.push(value));
    list.remove(b!);
    expect(list.first).toBe('a');
    list.remove(a!);
    expect(list.first).toBe('c');
    list.remove(c!);
    expect(list.isEmpty).toBe(true);
    list.push('d');
    expect(list.first).toBe('d');
  });
});

describe('PriorityFifo', () => {
  it('returns higher priorities first, and the order of arrival within one', () => {
    const fifo = new PriorityFifo<string>();
    for (const [value, priority] of [
      ['a', 0],
      ['low', -100],
      ['b', 0],
      ['high', 7],
      ['c', 0],
    ] as const) {
      fifo.push(value, priority);
    }
    expect(shiftAll(fifo)).toEqual(['high', 'a', 'b', 'c', 'low']);
    expect(fifo.shift()).toBeUndefined();
  });

  it('puts a promoted value at the end of its new priority, and never demotes', () => {
    const fifo = new PriorityFifo<string>();
    const low = fifo.push('low', -100);
    const a = fifo.push('a', 0);
    fifo.push('b', 0);
    fifo.promote(low, 0);
    fifo.promote(a, -100);
    expect(shiftAll(fifo)).toEqual(['a', 'b', 'low']);
  });

  it('gives the oldest value its turn when it was passed over often enough, promoted ones by their age too', () => {
    const fifo = new PriorityFifo<string>(2);
    fifo.push('low', -100);
    const promoted = fifo.push('promoted', -100);
    const high = (count: number): void => {
      for (let added = 0; added < count; added++) fifo.push('high', 1);
    };
    high(5);
    fifo.promote(promoted, 0);
    expect(shiftAll(fifo)).toEqual(['high', 'high', 'low', 'high', 'high', 'promoted', 'high']);
  });

  it('lets low priorities starve only where that was asked for', () => {
    const fifo = new PriorityFifo<string>(Infinity);
    fifo.push('low', -100);
    for (let added = 0; added < 1_000; added++) fifo.push('high', 0);
    expect(shiftAll(fifo).indexOf('low')).toBe(1_000);
  });
});

describe('mergeReason', () => {
  it('keeps each reason once, and the newest where there are too many', () => {
    expect(mergeReason(['a'], 'a', 2)).toEqual(['a']);
    expect(mergeReason(['a', 'b'], 'c', 2)).toEqual(['b', 'c']);
    expect(mergeReason(['a'], 'b', 1)).toEqual(['b']);
    expect(mergeReason(['a'], undefined, 2)).toEqual(['a']);
    expect(mergeReason([], 'a', 0)).toEqual([]);
  });
});
