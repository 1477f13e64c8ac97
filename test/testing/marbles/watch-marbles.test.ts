import { aPod, watchMarbles, informerTest } from 'rx-informers/testing';
import { VirtualTimeScheduler } from 'rxjs';
import { record, a, b, objects } from './support.js';

const emitted = (diagram: string, known: Parameters<typeof watchMarbles>[1] = objects): string[] =>
  record(() => watchMarbles(diagram, known) as ReturnType<typeof watchMarbles<typeof a>>);

describe('watchMarbles', () => {
  it('creates the source of the diagram in its documentation, one character a frame', () => {
    expect(emitted('L(ab)--A(c)-M(a)-D(b)-B-410-L(ac)|')).toEqual([
      '0: L2(a@1 b@2)',
      '7: A(c@3)',
      '12: M(a@4)',
      '17: D(b@5)',
      '22: B6',
      '24: 410',
      '28: L6(a@4 c@3)',
      '33: |',
    ]);
  });

  it('supports spaces that take no time, and time progressions', () => {
    expect(emitted('L() - 10ms B  0.5s B 1s B 10ms |')).toEqual(['0: L0()', '14: B1', '515: B2']);
    expect(emitted('  5ms X 5ms |')).toEqual(['5: RXI_CONNECTION', '11: |']);
  });

  it('emits everything in parentheses as one batch, including several versions of one object', () => {
    expect(emitted('[D(a)A(b) B]A(ab)[410|]')).toEqual([
      '0: D(a@1) A(b@2) B3',
      '11: A(a@4) A(b@5)',
      '16: 410',
      '16: |',
    ]);
  });

  it('errors at a #, with the given error', () => {
    expect(emitted('-B#')).toEqual(['1: B1', '2: # the source failed, as its diagram says']);
    expect(record(() => watchMarbles('-[A(a)#]', objects, { error: new Error('mine') }))).toEqual([
      '1: A(a@1)',
      '1: # mine',
    ]);
  });

  it('does not complete without an end in the diagram', () => {
    expect(emitted('B')).toEqual(['0: B1']);
    expect(emitted('')).toEqual([]);
  });

  it("supports a' for the same object created again, and a* in a list for an object with an unseen change", () => {
    expect(emitted("L(ab)-L(a*b)-L(a'b)-M(a')")).toEqual([
      '0: L2(a@1 b@2)',
      '6: L3(a@3 b@2)',
      "13: L4(a'@4 b@2)",
      "20: M(a'@5)",
    ]);
  });

  it('supports names of several letters, separated by commas', () => {
    const long = { 'web-1': aPod({ name: 'web-1' }), db: aPod({ name: 'db' }), w: aPod({ name: 'w' }) };
    expect(emitted('L(web-1,db, w)D(web-1,)', long)).toEqual(['0: L3(web-1@1 db@2 w@3)', '13: D(web-1@4)']);
  });

  it('calls a function for the object at each version', () => {
    const versions: string[] = [];
    const known = {
      a: (version: string) => {
        versions.push(version);
        return a;
      },
    };
    expect(emitted('L(a)M(a)', known)).toEqual(['0: L1(a@1)', '4: M(a@2)']);
    expect(versions).toEqual(['1', '2']);
  });

  it('sets the times of a status to the time of its emission', () => {
    const seen: unknown[] = [];
    informerTest(({ flush, scheduler }) => {
      scheduler.schedule(() => {
        watchMarbles('S(l)L(a)-S(w)-429-S(b)-S(r)|', objects).subscribe(([event]) => {
          if (event?.type === 'STATUS') seen.push(event.status);
        });
      }, 100);
      flush();
    });
    const cause = expect.objectContaining({ name: 'StatusError', statusCode: 429, reason: 'TooManyRequests' });
    expect(seen).toEqual([
      { state: 'listing', by: 'pages', received: 0 },
      { state: 'watching', since: 109, resourceVersion: '1' },
      { state: 'backing-off', until: 123, attempt: 1, cause },
      { state: 'reconnecting', cause },
    ]);
  });

  it('accepts any scheduler', () => {
    const scheduler = new VirtualTimeScheduler();
    const seen: number[] = [];
    watchMarbles('-B 5s B|', objects, { scheduler }).subscribe(() => seen.push(scheduler.now()));
    scheduler.flush();
    expect(seen).toEqual([1, 5002]);
  });

  it('is cold: every subscriber receives the same objects from the beginning, and nothing after it has unsubscribed', () => {
    informerTest(({ expectObservable }) => {
      const source = watchMarbles('-A(a)-A(b)|', objects);
      const at = (version: string, pod: typeof a) => [
        { type: 'ADDED', object: { ...pod, metadata: { ...pod.metadata, resourceVersion: version } } },
      ];
      const values = { x: at('1', a), y: at('2', b) };
      expectObservable(source).toBe('-x----y---|', values);
      expectObservable(source, '---^').toBe('----x----y---|', values);
      expectObservable(source, '^--!').toBe('-x', values);
    });
  });

  it.each([
    ['L(ab)-Q', 7, 'Q is not an event'],
    ['L(ab', 2, 'this ( is never closed'],
    ['L(a)A()', 6, 'A needs at least one object'],
    ['A(a*)', 3, '* is only for L'],
    ['L(ad)', 4, 'there is no object d; known objects: a, b, c'],
    ['[A(a)', 1, 'this [ is never closed'],
    ['[]', 1, 'there is nothing between'],
    ['[A(a)-B]', 6, 'time cannot pass'],
    ['[[B]]', 2, 'groups in [ and ] cannot be nested'],
    ['[|B]', 3, 'nothing may follow the end'],
    ['|-B', 3, 'nothing may follow the end'],
    ['(ab)', 1, 'write several events of one batch as'],
    ['-200-', 2, '200 is not an HTTP status'],
    ['-41-', 2, '41 is not an HTTP status'],
    ['-500ms B', 2, 'write a space before and after a time'],
    ['500msB', 1, 'write a space before and after a time'],
    ['S(x)', 3, 'a status is one of'],
    ['S()', 3, 'a status is one of'],
    ["A(')", 3, "a name is missing before '"],
    ['A(a,,b)', 5, 'a name is missing before this comma'],
    ['A(a(b))', 4, '( cannot be part of a name'],
    ['A(a', 2, 'this ( is never closed'],
    ['L', 2, 'expected ('],
    ['A(__proto__,)', 3, 'there is no object __proto__'],
  ])('the error for the diagram %s names the column', (diagram, column, problem) => {
    expect(() => watchMarbles(diagram, objects)).toThrow(
      expect.objectContaining({ code: 'RXI_MARBLE_SYNTAX', column, problem: expect.stringContaining(problem) }),
    );
  });

  it('the error shows the diagram with a caret under the place', () => {
    expect(() => watchMarbles('L(ab)-M(d)', objects)).toThrow(
      ['there is no object d; known objects: a, b, c (column 9)', '', '  L(ab)-M(d)', '          ^'].join('\n'),
    );
  });

  it('the error for a long name shows how to write it', () => {
    expect(() => watchMarbles('L(web)', { web: a })).toThrow('write a single long name as (web,)');
  });
});
