import type { Lease } from 'rx-informers';
import { highest, writtenAnnotation, writtenIn } from '../../../src/controller/lease/written-versions.js';

const name = 'rx-informers.github.io/written-versions';

const leaseWith = (annotations: Record<string, string>): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', namespace: 'web', uid: '1', resourceVersion: '1', annotations },
});

const textOf = (written: ReadonlyMap<string, string>): string => writtenAnnotation(written)[name] ?? '';

describe('the versions that a Lease leaves to the next owner', () => {
  it('are read as they were written, the latest first', () => {
    const written = new Map([
      ['configmaps', '98'],
      ['jobs.batch', '412'],
    ]);
    expect(textOf(written)).toBe('jobs.batch: 412, configmaps: 98');
    expect(writtenIn(leaseWith({ [name]: textOf(written) }))).toEqual(written);
  });

  it('take at most 1 KiB; of more resources, the latest versions are kept', () => {
    const many = new Map(Array.from({ length: 500 }, (_, index) => [`things${index}.example.com`, `${1_000 + index}`]));
    const text = textOf(many);
    expect(text.length).toBeLessThanOrEqual(1_024);
    expect(text.startsWith('things499.example.com: 1499, things498.example.com: 1498')).toBe(true);
  });

  it.each(['', 'configmaps', 'configmaps: v7', 'configmaps: -1', `configmaps: 7${' '.repeat(2_000)}`])(
    'are none if the annotation is %j',
    (text) => {
      expect(writtenIn(leaseWith({ [name]: text })).size).toBe(0);
    },
  );

  it('are merged to the highest version of each resource, and stay the same map if nothing is higher', () => {
    const one = new Map([['pods', '9']]);
    expect(highest(one, new Map([['pods', '8']]))).toBe(one);
    const other = new Map([
      ['pods', '10'],
      ['nodes', '1'],
    ]);
    expect([...highest(one, other)]).toEqual([...other]);
  });
});
