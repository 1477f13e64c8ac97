import { allObjects, bucket, indexByNode, informer, matching, type Informer, type Pod } from 'rx-informers';
import { aPod, informerTest, type InformerTestHelpers } from 'rx-informers/testing';
import { map } from 'rxjs';
import { errorWith } from '../../support/error-with.js';
import { objects } from './support.js';

type Helpers = InformerTestHelpers<Pod>;

const indexers = { node: indexByNode };
const podsOf = ({ source }: Helpers, diagram: string): Informer<Pod, 'node'> =>
  informer(source(diagram), { indexers, onUnobservedError: () => undefined });

function failureOf(test: (helpers: Helpers) => void): unknown {
  try {
    informerTest(objects, test);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('informerTest', () => {
  it('G2: compares a bucket with a diagram that is aligned with the watch events', () => {
    informerTest(objects, (helpers) => {
      const pods = podsOf(helpers, '                 -L(ab)--A(c)-M(a)-D(b)-B-410-L(bc)|');
      helpers.expectQuery(pods, bucket('node', 'n1')).toBe('-(ab)--------(ab)-a----------b----|');
      helpers.expectQuery(pods, bucket('node', 'n2')).toBe('-()-----c-------------------------|');
    });
  });

  it('compares lists, single objects, and the view of a user, with the same names', () => {
    informerTest(objects, (helpers) => {
      const pods = podsOf(helpers, '  -L(a)--A(b)--D(a)|');
      helpers.expectQuery(pods, allObjects()).toBe('-a-----(ab)--b---|');
      helpers.expectQuery(pods, matching('app=web')).toBe('-()--------------|');
      helpers.expectObjects(pods.get$('default/a')).toBe('-a-----------()--|');
      helpers.expectObjects(pods.list$().pipe(map((all) => all.slice(1)))).toBe('-()----b-----()--|');
    });
  });

  it('represents a status as a letter', () => {
    informerTest(objects, (helpers) => {
      const pods = podsOf(helpers, '         -S(l)--L(a)-S(w)-X-S(r)|');
      pods.connect();
      helpers.expectStatus(pods).toBe('ll----------w------r---s');
    });
  });

  it('compares several emissions of one frame in order, and names without versions', () => {
    informerTest(objects, (helpers) => {
      helpers.expectObjects(podsOf(helpers, 'L(a)-[M(a)]').get$('default/a')).toBe('a----a');
      const values = helpers.cold('-(xy|)', { x: undefined, y: [] as readonly Pod[] });
      helpers.expectObjects(values).toBe('-[()()|]');
    });
  });

  it('distinguishes an object from one created again under its name, and two states of one object', () => {
    const states = { a: aPod({ name: 'a', node: 'n1' }), m: aPod({ name: 'a', node: 'n2' }) };
    informerTest(states, (helpers) => {
      const pods = podsOf(helpers, "       L(a)-M(m)-A(a')|");
      helpers.expectQuery(pods, allObjects()).toBe("a----m----a'---|");
      helpers.expectQuery(pods, bucket('node', 'n1')).toBe("a----()---a'---|");
    });
  });

  it("runs inside rxjs's TestScheduler.run, with all of its helpers", () => {
    informerTest(objects, (helpers) => {
      const { expectObservable, expectSubscriptions, hot, time, flush } = helpers;
      const trigger = hot('--t-');
      expectObservable(trigger).toBe('--t');
      expectObservable(
        podsOf(helpers, '-L(ab)')
          .indexValues$('node')
          .pipe(map((names) => names.join())),
      ).toBe('-n', {
        n: 'n1',
      });
      expect(time('---|')).toBe(3);
      flush();
      expectSubscriptions(trigger.subscriptions).toBe('^');
    });
  });

  it('G8: records when its source is subscribed to', () => {
    informerTest(objects, ({ source, expectObjects, expectSubscriptions }) => {
      const traffic = source('-L(a)--A(b)|');
      const names = informer(traffic, { linger: 2, onUnobservedError: () => undefined });
      expectObjects(names.list$(), '^--!').toBe('-a');
      expectObjects(names.list$(), '------^').toBe('-------a-----(ab)|');
      expectSubscriptions(traffic.subscriptions).toBe(['^----!', '------^----------!']);
    });
  });

  it('needs no objects to test any stream, and provides its scheduler', () => {
    informerTest(({ hot, expectObservable, scheduler }) => {
      const times = hot('--x-x|').pipe(map(() => scheduler.now()));
      expectObservable(times).toBe('--a-b|', { a: 2, b: 4 });
    });
    const ended: string[] = [];
    informerTest(({ scheduler }) => void scheduler.schedule(() => ended.push('late'), 20), { until: 10 });
    expect(ended).toEqual([]);
  });

  it("accepts asymmetric matchers of the test runner in rxjs's expectations", () => {
    const broken = new TypeError('broken');
    informerTest(({ cold, expectObservable }) => {
      expectObservable(cold('-x#', { x: { one: 1, two: 2 } }, broken)).toBe(
        '-x#',
        { x: expect.objectContaining({ one: 1 }) },
        expect.any(TypeError),
      );
    });
    const failure = failureOf(({ cold, expectObservable }) => {
      expectObservable(cold('-#', {}, broken)).toBe('-#', undefined, expect.any(RangeError));
    });
    expect(failure).toEqual(errorWith('RXI_MARBLE_ASSERTION'));
  });

  it('subscribes and unsubscribes at the given times', () => {
    informerTest(objects, (helpers) => {
      const pods = podsOf(helpers, '-L(a)-A(b)-A(c)');
      pods.connect();
      helpers.expectQuery(pods, allObjects(), '---^------!').toBe('---a--(ab)');
    });
  });

  it('continues after a flush, from the current time', () => {
    informerTest(objects, (helpers) => {
      const pods = podsOf(helpers, '5ms L(a)');
      pods.connect();
      helpers.flush();
      helpers.expectQuery(pods, allObjects(), '--^-!').toBe('7ms a');
    });
  });

  it('shows expected and actual emissions side by side on failure, and marks the differences', () => {
    const error = failureOf((helpers) => {
      helpers.expectQuery(podsOf(helpers, '-L(a)--A(b)--D(a)|'), bucket('node', 'n1')).toBe('-a-----b-----[ab]-|');
    });
    expect(error).toEqual(errorWith('RXI_MARBLE_ASSERTION'));
    expect((error as Error).message.split('\n').map((line) => line.trimEnd())).toEqual([
      'query$(bucket("node", "n1")) differs from its diagram',
      '',
      '  time  expected  actual',
      '   1ms  a         a',
      '   7ms  b         (ab)    ✗ different',
      '  13ms  a         b       ✗ different',
      '  13ms  b                 ✗ missing',
      '  17ms            |       ✗ not expected',
      '  18ms  |                 ✗ missing',
      '',
    ]);
  });

  it('shows the message of an error, and the key of an object that has no name', () => {
    const error = failureOf((helpers) => {
      const stranger = aPod({ name: 'z' });
      helpers.expectObjects(helpers.cold('-s#', { s: stranger }, new Error('broken'))).toBe('-a');
    });
    expect((error as Error).message).toMatch(/a +\(<default\/z>,\) +✗ different\n.*# Error: broken +✗ not expected/);
  });

  it("shows a timeline also for rxjs's own expectations", () => {
    const values = failureOf(({ cold, expectObservable }) => {
      expectObservable(cold('-x|', { x: 1 })).toBe('-y|', { y: { two: 2 } });
    });
    expect((values as Error).message).toContain('1ms  { two: 2 }  1       ✗ different');
    const subscriptions = failureOf(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot('-x|');
      expectObservable(source).toBe('-x|');
      expectSubscriptions(source.subscriptions).toBe('^!');
    });
    expect((subscriptions as Error).message).toMatch(/1ms +! +✗ missing\n +2ms +! +✗ not expected/);
  });

  it('fails with the column if a diagram cannot be parsed', () => {
    const wrong = (diagram: string) =>
      failureOf((helpers) => helpers.expectQuery(podsOf(helpers, 'L(a)'), allObjects()).toBe(diagram)) as Error;
    expect(wrong('-d')).toMatchObject({ code: 'RXI_MARBLE_SYNTAX', column: 2 });
    expect(wrong('-(ad)')).toMatchObject({ code: 'RXI_MARBLE_SYNTAX', column: 4 });
    expect(wrong('a)')).toMatchObject({ code: 'RXI_MARBLE_SYNTAX', column: 2 });
    expect(wrong('-a*')).toMatchObject({ code: 'RXI_MARBLE_SYNTAX', column: 2 });
    expect(failureOf((helpers) => helpers.expectStatus(podsOf(helpers, 'L(a)')).toBe('lx'))).toMatchObject({
      column: 2,
    });
  });

  it('fails for an expectation without toBe, which would always pass', () => {
    expect(failureOf((helpers) => void helpers.expectQuery(podsOf(helpers, 'L(a)'), allObjects()))).toEqual(
      new TypeError('query$(allObjects()) is not compared with a diagram; add .toBe(…)'),
    );
  });

  it('fails for an asynchronous test, and passes an error of a test on', () => {
    const asynchronous = (): unknown => Promise.resolve();
    expect(failureOf(asynchronous)).toBeInstanceOf(TypeError);
    const mine = new Error('mine');
    const thrown = failureOf((helpers) => {
      helpers.expectQuery(podsOf(helpers, 'L(a)'), allObjects());
      throw mine;
    });
    expect(thrown).toBe(mine);
  });

  it('G8: unsubscribes from everything it subscribed to, even if the test fails', () => {
    const left: string[] = [];
    const watch = (helpers: Helpers, expected: string): void => {
      const pods = informer(helpers.source('L(a)'), { linger: 0 });
      pods.status$.subscribe(({ state }) => left.push(state));
      helpers.expectQuery(pods, allObjects()).toBe(expected);
    };
    informerTest(objects, (helpers) => watch(helpers, 'a'));
    expect(left.at(-1)).toBe('stopped');
    expect(failureOf((helpers) => watch(helpers, 'b'))).toEqual(errorWith('RXI_MARBLE_ASSERTION'));
    expect(left.at(-1)).toBe('stopped');
  });

  it('infers the indexes of its subject', () => {
    const mistaken = failureOf((helpers) => {
      // @ts-expect-error there is no index of that name
      helpers.expectQuery(podsOf(helpers, 'L(a)'), bucket('nodde', 'n1')).toBe('a');
    });
    expect(mistaken).toMatchObject({ code: 'RXI_UNKNOWN_INDEX' });
  });

  it('ends streams that never complete at the end of virtual time', () => {
    informerTest(
      objects,
      ({ source, expectQuery }) => {
        const pods = informer(source('L(a)'));
        expectQuery(pods, allObjects()).toBe('a');
      },
      { until: 10 },
    );
  });
});
