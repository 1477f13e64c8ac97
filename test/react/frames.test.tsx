/** @jest-environment ./test/react/support/browser-environment.js */
import { render } from '@testing-library/react';
import { Profiler, type ReactNode } from 'react';
import { defer, finalize, of, type Observable } from 'rxjs';
import type { Pod, Query } from 'rx-informers';
import { InformersProvider, useByIndex, useHasSynced, useIndexValues, useObject, useWindow } from 'rx-informers/react';
import './support/console-errors.js';
import { namesOf, open, podOn, podsOf, type Pods } from './support/page.js';

let renders: string[] = [];

beforeEach(() => {
  renders = [];
});

describe('what one frame shows', () => {
  it('is one commit of React, for 1000 changed objects in 200 components and by the frames of the browser', async () => {
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
      <Profiler id="page" onRender={() => commits++}>
        <InformersProvider paused$={of(false)}>{tiles}</InformersProvider>
      </Profiler>
    );
    // Not in `act`, which would make one commit of anything.
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

  it('is no commit at all for those whose bucket, object, values and rows are the same', async () => {
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

  it('has no child of an object that is gone: parents are rendered first, and unmount it', async () => {
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

describe('a question that is another one with each render', () => {
  function Name({ pods, name }: { readonly pods: Pods; readonly name: string }): ReactNode {
    const shown = useObject(pods, name)?.metadata.name;
    renders.push(`${name} ${shown}`);
    return shown;
  }

  it('shows no answer to an earlier one, subscribes once to each, and leaves it when it has lingered (G8)', async () => {
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
