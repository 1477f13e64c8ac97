import { safely, safelyOnce, safeMethods, safeRandom } from '../../src/scheduling/safely.js';

const fails = (): never => {
  throw new Error('boom');
};

/** Collects the names of the callbacks whose errors were reported. */
function reports() {
  const names: string[] = [];
  return { names, failed: (name: string) => names.push(name) };
}

describe('safely', () => {
  it('returns the result of the callback, or the given value and a report if the callback throws', () => {
    const { names, failed } = reports();
    const call = safely(failed);
    expect([call('backoff', () => 1, 2), call('backoff', fails, 2), call('backoff', fails, 2)]).toEqual([1, 2, 2]);
    expect(names).toEqual(['backoff', 'backoff']);
  });
});

describe('safelyOnce', () => {
  it('reports the first error of each callback', () => {
    const { names, failed } = reports();
    const call = safelyOnce(failed);
    for (const name of ['logger.info', 'logger.info', 'random']) call(name, fails);
    expect(names).toEqual(['logger.info', 'random']);
  });
});

describe('safeMethods', () => {
  it('calls each method with its arguments on its own object, and does nothing for a missing method', () => {
    const { names, failed } = reports();
    const input = {
      sum: 0,
      add(by: number, times: number) {
        this.sum += by * times;
      },
      fails,
    };
    type Methods = Pick<typeof input, 'add' | 'fails'> & { missing(): void };
    const safe = safeMethods<Methods>('metrics', input, ['add', 'fails', 'missing'], safely(failed));
    safe.add(3, 2);
    safe.missing();
    expect(input.sum).toBe(6);
    expect(() => {
      safe.fails();
    }).not.toThrow();
    expect(names).toEqual(['metrics.fails']);
  });
});

describe('safeRandom', () => {
  it.each([
    [() => 0.25, 0.25],
    [() => 0, 0],
    [() => 1, 0.5],
    [() => NaN, 0.5],
    [fails, 0.5],
  ])('draws a number in [0, 1) from %s', (random, drawn) => {
    const { failed } = reports();
    expect(safeRandom(random, safely(failed))()).toBe(drawn);
  });
});
