/** @jest-environment ./test/react/support/browser-environment.js */
import { act } from '@testing-library/react';
import { lazy, startTransition, Suspense, useDeferredValue, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { hydrateRoot } from 'react-dom/client';
import type { Collection, Pod } from 'rx-informers';
import { useByIndex, useList, useObject, useWindow } from 'rx-informers/react';
import { cluster } from './support/cluster.js';
import { expectComplaints } from './support/console-errors.js';
import { everything, htmlOfEverything } from './support/everything.js';
import { namesOf, open, podOn, podsOf, type Pods } from './support/page.js';

/** A component that suspends until it is loaded. */
function loaded() {
  let load = (): void => undefined;
  const code = new Promise<{ default: () => ReactNode }>((resolve) => {
    load = () => resolve({ default: () => null });
  });
  return {
    Wait: lazy(() => code),
    load: () => act(async () => load()),
  };
}

function List({ of }: { readonly of: Collection<Pod> }): ReactNode {
  return `list ${namesOf(useList(of))}; `;
}

function Table({ of }: { readonly of: Collection<Pod> }): ReactNode {
  return `table ${namesOf(useWindow(of).rows)}; `;
}

function Bucket({ pods, node }: { readonly pods: Pods; readonly node: string }): ReactNode {
  return `${node} ${namesOf(useByIndex(pods, 'node', node))}; `;
}

/** A component that goes from one content to another in a transition, and how to make it go. */
function switching(...contents: readonly ReactNode[]) {
  let go: (to: number) => void = () => undefined;
  function Switching(): ReactNode {
    const [shown, setShown] = useState(0);
    go = setShown;
    return contents[shown];
  }
  return {
    Switching,
    async go(to: number): Promise<void> {
      await act(async () => {
        startTransition(() => {
          go(to);
        });
      });
    },
  };
}

describe('a React transition', () => {
  it('keeps the old content on the page, and live, until the new content is ready', async () => {
    const pods = podsOf(podOn('n1', 'a'), podOn('n2', 'b'));
    const { Wait, load } = loaded();
    const { Switching, go } = switching(<Bucket key="1" pods={pods} node="n1" />, [
      <Bucket key="2" pods={pods} node="n2" />,
      <Wait key="3" />,
    ]);
    const page = open(<Suspense fallback="loading" children={<Switching />} />);
    await go(1);
    pods.add(podOn('n1', 'c'));
    pods.add(podOn('n2', 'd'));
    await page.pass();
    expect(page.text()).toBe('n1 a c; ');
    await page.pass(1000);
    pods.add(podOn('n2', 'e'));
    await load();
    await page.pass();
    expect(page.text()).toBe('n2 b d e; ');
  });

  it('leaves nothing behind when it is discarded: its renders retain no informer (G8)', async () => {
    const { scheduler, requests, ...rest } = cluster();
    const all = rest.informer();
    const { Wait } = loaded();
    const input = [<List key="1" of={all} />, <Table key="2" of={all} />, <Wait key="3" />];
    const { Switching, go } = switching('old', input, 'other');
    const page = open(<Suspense fallback="loading" children={<Switching />} />, { scheduler });
    await go(1);
    expect([page.text(), requests.open]).toEqual(['old', 1]);
    await go(2);
    await page.pass(100);
    expect([page.text(), requests.open, scheduler.timers]).toEqual(['other', 0, 0]);
  });

  it('shows one version in all components if a change arrives while they are being rendered', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    let isSlow = false;
    let rendered = 0;
    function Slow({ of }: { readonly of: number }): ReactNode {
      const names = namesOf(useList(pods));
      rendered++;
      // Longer than React renders at a stretch.
      for (const end = performance.now() + 10; isSlow && performance.now() < end;);
      return `${of} ${names}; `;
    }
    const six = (of: number): ReactNode => [1, 2, 3, 4, 5, 6].map((key) => <Slow key={key} of={of} />);
    let go: (to: number) => void = () => undefined;
    function Switching(): ReactNode {
      const [of, setOf] = useState(0);
      go = setOf;
      return six(of);
    }
    const page = open(<Switching />);
    const commits: string[] = [];
    const observer = new MutationObserver(() => commits.push(page.text()));
    observer.observe(page.container, { characterData: true, childList: true, subtree: true });
    const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };
    environment.IS_REACT_ACT_ENVIRONMENT = false;
    try {
      isSlow = true;
      rendered = 0;
      startTransition(() => {
        go(1);
      });
      const turn = () => new Promise((resolve) => setTimeout(resolve));
      while (rendered === 0) await turn();
      pods.add(podOn('n1', 'b'));
      page.scheduler.advance(16);
      while (!page.text().startsWith('1')) await turn();
    } finally {
      environment.IS_REACT_ACT_ENVIRONMENT = true;
      observer.disconnect();
    }
    expect(page.text()).toBe('1 a b; '.repeat(6));
    for (const text of commits) expect(new Set(text.split('; ')).size).toBe(2);
  });
});

describe('a component that suspends', () => {
  it('on an update shows the current content when it is shown again', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const { Wait, load } = loaded();
    const content = (more: ReactNode): ReactNode => (
      <Suspense fallback="loading">
        <List of={pods} />
        <Table of={pods} />
        {more}
      </Suspense>
    );
    const page = open(content(null));
    await act(async () => {
      page.show(content(<Wait />));
    });
    expect(page.container.innerHTML).toContain('loading');
    pods.add(podOn('n1', 'b'));
    await page.pass(1000);
    await load();
    expect(page.text()).toBe('list a b; table a b; ');
  });

  it('at first does not retain its informer when it is discarded (G8)', async () => {
    const { scheduler, requests, ...rest } = cluster();
    const all = rest.informer();
    const { Wait } = loaded();
    const page = open(<Suspense fallback="loading" children={[<Table key="1" of={all} />, <Wait key="2" />]} />, {
      scheduler,
    });
    expect([page.text(), requests.open]).toEqual(['loading', 1]);
    page.show('other');
    await page.pass(100);
    expect([requests.open, scheduler.timers]).toEqual([0, 0]);
  });
});

describe('a deferred value in React', () => {
  it('is rendered later than others, and is the same in the end', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const seen: string[] = [];
    function Both(): ReactNode {
      const list = useList(pods);
      const text = `${namesOf(list)}, deferred ${namesOf(useDeferredValue(list))}`;
      seen.push(text);
      return text;
    }
    const page = open(<Both />);
    pods.add(podOn('n1', 'b'));
    await page.pass();
    expect(seen).toEqual(['a, deferred a', 'a b, deferred a', 'a b, deferred a b']);
  });
});

describe('a React portal', () => {
  it('shows the same as the page, in the same commit, and is removed with it', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const drawer = document.createElement('aside');
    function Drawer(): ReactNode {
      return createPortal(useObject(pods, 'a')?.status?.phase, drawer);
    }
    const page = open([<List key="1" of={pods} />, <Drawer key="2" />]);
    pods.update(podOn('n1', 'a', 'Failed'));
    await page.pass();
    expect([page.text(), drawer.textContent]).toEqual(['list a; ', 'Failed']);
    page.show(null);
    expect(drawer.textContent).toBe('');
  });
});

describe('a page rendered on a server', () => {
  it('hydrates unchanged, and then shows the current content', async () => {
    const { content, scheduler, lists, received } = everything();
    const container = document.createElement('div');
    container.innerHTML = htmlOfEverything;
    const root = await act(async () => hydrateRoot(container, content));
    await act(async () => scheduler.advance(100));
    expect(container.textContent).toBe('2 2 3 a 3 true watching');
    expect([lists.count, received]).toEqual([1, ['initial']]);
    await act(async () => root.unmount());
  });

  it('shows the current content also if the server rendered something else', async () => {
    expectComplaints();
    const { content, scheduler, lists } = everything();
    const container = document.createElement('div');
    container.innerHTML = '<!--$-->something else<!--/$-->';
    const root = await act(async () => hydrateRoot(container, content, { onRecoverableError: () => undefined }));
    await act(async () => scheduler.advance(100));
    expect([container.textContent, lists.count]).toEqual(['2 2 3 a 3 true watching', 1]);
    await act(async () => root.unmount());
  });
});
