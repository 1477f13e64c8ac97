/** @jest-environment ./test/react/support/browser-environment.js */
import { act, render } from '@testing-library/react';
import { lazy, memo, Profiler, startTransition, Suspense, useState, type ReactNode } from 'react';
import type { Pod, Query } from 'rx-informers';
import { InformersProvider, useWindow, useByIndex, useHasSynced, useIndexValues, useObject } from 'rx-informers/react';
import type { WindowOptions } from 'rx-informers/views';
import { BehaviorSubject, defer, finalize, of, type Observable } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { Boundary } from './support/boundary.js';
import { cluster } from './support/cluster.js';
import { expectComplaints } from './support/console-errors.js';
import { noPods, open, podOn, podsOf, type Pods, namesOf } from './support/page.js';

type Options = WindowOptions<Pod, 'node'>;

const byName = [{ value: (pod: Pod) => pod.metadata.name, direction: 'descending' as const }];

const four = (): Pods => podsOf(podOn('n1', 'a'), podOn('n1', 'b'), podOn('n2', 'c'), podOn('n2', 'd'));

describe('useWindow', () => {
  const renders: string[] = [];

  const rendered = (): readonly string[] => renders.splice(0);

  const Row = memo(function Row({ pod }: { readonly pod: Pod }): ReactNode {
    renders.push(pod.metadata.name);
    return pod.metadata.name;
  });

  function Table({ pods, options }: { readonly pods: Pods; readonly options: Options }): ReactNode {
    const { rows, keys, total } = useWindow(pods, options);
    renders.push('table');
    return [rows.map((pod, position) => <Row key={keys[position]} pod={pod} />), ` / ${total}`];
  }

  beforeEach(() => {
    rendered();
  });

  it('shows rows and their number in the first render, and changes with the next frame', async () => {
    const pods = four();
    const page = open(<Table pods={pods} options={{ sortBy: byName, limit: 2 }} />);
    expect([page.text(), rendered()]).toEqual(['dc / 4', ['table', 'd', 'c']]);
    page.run(() => pods.add(podOn('n1', 'e')));
    expect(page.text()).toBe('dc / 4');
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['ed / 5', ['table', 'e']]);
  });

  it('does not render if the visible rows are the same, and renders only changed rows', async () => {
    const pods = four();
    const page = open(<Table pods={pods} options={{ index: ['node', 'n1'] }} />);
    rendered();
    pods.update(podOn('n2', 'c', 'Failed'));
    await page.pass();
    expect(rendered()).toEqual([]);
    pods.update(podOn('n1', 'b', 'Failed'));
    pods.update(podOn('n1', 'b', 'Running'));
    await page.pass();
    expect(rendered()).toEqual(['table', 'b']);
  });

  it('applies new options without waiting for a frame', () => {
    const pods = four();
    const page = open(<Table pods={pods} options={{ limit: 2 }} />);
    const shown = [
      { limit: 2, offset: 1 },
      { sortBy: byName },
      { index: ['node', 'n2'] as const },
      { selector: 'a=b' },
    ].map((options) => {
      page.show(<Table pods={pods} options={options} />);
      return page.text();
    });
    expect(shown).toEqual(['bc / 4', 'dcba / 4', 'cd / 2', ' / 0']);
  });

  it('does not subscribe again for equal options, and renders once for them', () => {
    const pods = four();
    let requested = 0;
    const where = ({ metadata }: Pod): boolean => ++requested > 0 && metadata.name !== 'a';
    const page = open(<Table pods={pods} options={{ index: ['node', 'n1'], where, sortBy: [...byName] }} />);
    expect([page.text(), requested]).toEqual(['b / 1', 2]);
    rendered();
    page.show(<Table pods={pods} options={{ index: ['node', 'n1'], where, sortBy: [...byName] }} />);
    expect([page.text(), requested, rendered()]).toEqual(['b / 1', 2, ['table']]);
  });

  it('does not render in an endless loop if the filter is a new function in each render', () => {
    const pods = four();
    const Inline = (): ReactNode => {
      renders.push('inline');
      return useWindow(pods, { where: ({ metadata }) => metadata.name > 'a' }).total;
    };
    const page = open(<Inline />);
    page.show(<Inline />);
    expect([page.text(), rendered()]).toEqual(['3', ['inline', 'inline']]);
  });

  it('never renders rows of other options than its own', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n1', 'b'), podOn('n2', 'c'));
    const seen: string[] = [];
    let go: (node: string, offset: number) => void = () => undefined;
    function Chosen(): ReactNode {
      const [[node, offset], set] = useState<readonly [string, number]>(['n1', 0]);
      go = (...next) => {
        set(next);
      };
      const { rows, total } = useWindow(pods, { index: ['node', node], offset, limit: 1 });
      seen.push(`${node} from ${offset}: ${namesOf(rows)} of ${total}`);
      return namesOf(rows);
    }
    const page = open(<Chosen />);
    page.run(() => {
      go('n2', 0);
    });
    page.run(() => {
      go('n1', 1);
    });
    pods.add(podOn('n1', 'a0'));
    await page.pass();
    expect(seen).toEqual(['n1 from 0: a of 2', 'n2 from 0: c of 1', 'n1 from 1: b of 2', 'n1 from 1: a0 of 3']);
  });

  it('keeps the visible rows live while other options are rendered in a transition', async () => {
    const pods = four();
    let resolve: (loaded: { default: () => ReactNode }) => void = () => undefined;
    const Wait = lazy(() => new Promise<{ default: () => ReactNode }>((done) => (resolve = done)));
    let go: () => void = () => undefined;
    let rows = 0;
    function Chosen(): ReactNode {
      const [isLast, setLast] = useState(false);
      go = () => {
        startTransition(() => {
          setLast(true);
        });
      };
      const view = useWindow(pods, isLast ? { sortBy: byName, limit: 2 } : { limit: 2 });
      rows = view.rows.length;
      return [namesOf(view.rows), isLast && <Wait key="wait" />];
    }
    const page = open(<Suspense fallback="loading" children={<Chosen />} />);
    await act(async () => go());
    expect(page.text()).toBe('a b');
    for (const name of ['a', 'b']) {
      pods.delete(name);
      await page.pass(1000);
    }
    expect([page.text(), rows]).toEqual(['c d', 2]);
    await act(async () => resolve({ default: () => null }));
    await page.pass();
    expect(page.text()).toBe('d c');
  });

  it('shows nothing for an undefined collection', () => {
    const Total = ({ of }: { readonly of: Pods | undefined }): ReactNode => useWindow(of).total;
    const page = open(<Total of={undefined} />);
    expect(page.text()).toBe('0');
    page.show(<Total of={four()} />);
    expect(page.text()).toBe('4');
  });

  it('merges changes while the tab is hidden', async () => {
    const pods = four();
    const page = open(<Table pods={pods} options={{}} />);
    rendered();
    page.hide();
    for (const name of ['a', 'b', 'c']) {
      pods.delete(name);
      await page.pass();
    }
    expect(rendered()).toEqual([]);
    page.reveal();
    await page.pass();
    expect([page.text(), rendered()]).toEqual(['d / 1', ['table']]);
  });

  it('switches to another collection within the render that requests it', () => {
    const page = open(<Table pods={four()} options={{ limit: 1 }} />);
    page.show(<Table pods={podsOf(podOn('n1', 'z'))} options={{ limit: 1 }} />);
    expect(page.text()).toBe('z / 1');
  });

  it('uses the frames and pauses of the provider, also when they change', async () => {
    const pods = four();
    const around = (isPaused: boolean): ReactNode => (
      <InformersProvider paused$={isPaused ? paused$ : running$}>
        <Table pods={pods} options={{ limit: 1 }} />
      </InformersProvider>
    );
    const [paused$, running$] = [new BehaviorSubject(true), new BehaviorSubject(false)];
    const page = open(around(false));
    page.show(around(true));
    pods.delete('a');
    await page.pass();
    expect(page.text()).toBe(' / 0');
    page.run(() => paused$.next(false));
    expect(page.text()).toBe('b / 3');
  });

  it('shows nothing before the first list', () => {
    const pods = noPods();
    const page = open(<Table pods={pods} options={{}} />);
    expect(page.text()).toBe(' / 0');
    page.run(() => pods.add(podOn('n1', 'a')));
    expect(page.text()).toBe('a / 1');
  });

  it('lists once in StrictMode, and unsubscribes when it is unmounted (G8)', async () => {
    const { scheduler, lists, requests, ...rest } = cluster();
    const all = rest.informer();
    const Total = (): ReactNode => useWindow(all).total;
    const page = open(<Total />, { scheduler, isStrict: true });
    await page.pass();
    expect([page.text(), lists.count]).toEqual(['3', 1]);
    page.show(null);
    await page.pass(1000);
    expect([lists.count, requests.open]).toEqual([1, 0]);
  });

  it.each([
    ['an error for invalid options', { limit: -1 }, errorWith('RXI_INVALID_OPTION')],
    [
      'an error of a filter',
      {
        where: () => {
          throw new EvalError('where');
        },
      },
      expect.any(EvalError),
    ],
  ])('throws %s at the error boundary, at first and later', (_, options, error) => {
    expectComplaints();
    const pods = four();
    const errors: unknown[] = [];
    const around = (key: number, inner: Options): ReactNode => (
      <Boundary key={key} errors={errors}>
        <Table pods={pods} options={inner} />
      </Boundary>
    );
    const page = open(around(1, options));
    page.show(around(2, {}));
    expect(page.text()).toBe('abcd / 4');
    page.show(around(2, options));
    expect(page.text()).toBe('failed');
    expect(errors).toEqual([error, error]);
  });
});

describe('frames', () => {
  let renders: string[] = [];

  beforeEach(() => {
    renders = [];
  });

  describe('the updates of one frame', () => {
    it('are one commit of React, for 1000 changed objects in 200 components and by the frames of the browser', async () => {
      const all = Array.from({ length: 1000 }, (_, n) => podOn(`n${n % 200}`, `p${n}`));
      const pods = podsOf(...all);
      function Tile({ node }: { readonly node: string }): ReactNode {
        renders.push(node);
        return [
          useByIndex(pods, 'node', node).filter(({ status }) => status?.phase === 'Failed').length,
          useObject(pods, `p${node.slice(1)}`)?.status?.phase,
          useWindow(pods, { index: ['node', node], limit: 1 }).rows[0]?.status?.phase,
          useHasSynced(pods),
        ].join(' ');
      }
      const tiles = Array.from({ length: 200 }, (_, n) => <Tile key={n} node={`n${n}`} />);
      let commits = 0;
      const profiled = (
        <InformersProvider paused$={of(false)}>
          <Profiler id="page" onRender={() => commits++}>
            {tiles}
          </Profiler>
        </InformersProvider>
      );
      // Not in `act`, which would merge everything into one commit.
      const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
      const page = render(profiled);
      environment.IS_REACT_ACT_ENVIRONMENT = false;
      try {
        commits = 0;
        renders = [];
        for (const { metadata, spec } of all) {
          pods.update(podOn(String(spec?.nodeName), metadata.name, 'Pending'));
          pods.update(podOn(String(spec?.nodeName), metadata.name, 'Failed'));
        }
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        for (let n = 0; n < 5; n++) await frame();
      } finally {
        environment.IS_REACT_ACT_ENVIRONMENT = true;
      }
      expect([commits, renders.length, new Set(renders).size]).toEqual([1, 200, 200]);
      expect(page.container.textContent).toBe('5 Failed Failed true'.repeat(200));
    });

    it('cause no commit for components whose bucket, object, values and rows are the same', async () => {
      const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
      function Unrelated(): ReactNode {
        renders.push('unrelated');
        useByIndex(pods, 'node', 'n1');
        useObject(pods, 'a');
        useIndexValues(pods, 'node');
        useWindow(pods, { limit: 1 });
        return useHasSynced(pods);
      }
      const page = open(<Unrelated />);
      renders = [];
      for (let n = 0; n < 3; n++) {
        pods.update(podOn('n2', 'b', n % 2 === 0 ? 'Failed' : 'Running'));
        await page.pass();
      }
      expect(renders).toEqual([]);
    });

    it('render no child of a deleted object: parents are rendered first, and unmount it', async () => {
      const pods = podsOf(podOn('n1', 'a'), podOn('n1', 'b'));
      function Child({ name }: { readonly name: string }): ReactNode {
        const pod = useObject(pods, name);
        renders.push(`${name} ${pod?.status?.phase}`);
        return `${name} ${pod?.status?.phase}; `;
      }
      function Parent(): ReactNode {
        const bucket = useByIndex(pods, 'node', 'n1');
        renders.push(`parent of ${namesOf(bucket)}`);
        return bucket.map(({ metadata }) => <Child key={metadata.name} name={metadata.name} />);
      }
      const page = open(<Parent />);
      renders = [];
      pods.delete('a');
      pods.update(podOn('n1', 'b', 'Failed'));
      pods.add(podOn('n1', 'c'));
      await page.pass();
      expect(renders).toEqual(['parent of b c', 'b Failed', 'c Running']);
      expect(page.text()).toBe('b Failed; c Running; ');
    });
  });

  describe('a query that is different in each render', () => {
    function Name({ pods, name }: { readonly pods: Pods; readonly name: string }): ReactNode {
      const shown = useObject(pods, name)?.metadata.name;
      renders.push(`${name} ${shown}`);
      return shown;
    }

    it('shows no result of an earlier query, subscribes once to each, and unsubscribes after the linger time (G8)', async () => {
      const names = Array.from({ length: 50 }, (_, n) => `p${n}`);
      const pods = podsOf(...names.map((name) => podOn('n1', name)));
      const subscriptions = { open: 0, ever: 0 };
      const query$ = <R,>(query: Query<Pod, R, 'node'>): Observable<unknown> =>
        defer(() => {
          subscriptions.open++;
          subscriptions.ever++;
          return pods.query$(query);
        }).pipe(finalize(() => subscriptions.open--));
      const counted = Object.create(pods, { query$: { value: query$ } }) as Pods;
      const page = open(<Name pods={counted} name="p0" />);
      for (const name of names) page.show(<Name pods={counted} name={name} />);
      expect(renders).toEqual(['p0 p0', ...names.map((name) => `${name} ${name}`)]);
      expect(subscriptions.ever).toBe(50);
      await page.pass(100);
      expect(subscriptions).toEqual({ open: 1, ever: 50 });
      page.show(null);
      await page.pass(100);
      expect([subscriptions, page.scheduler.timers]).toEqual([{ open: 0, ever: 50 }, 0]);
    });
  });
});
