/** @jest-environment ./test/react/support/browser-environment.js */
import { act, render } from '@testing-library/react';
import { lazy, memo, startTransition, Suspense, useDeferredValue, useEffect, useState, type ReactNode } from 'react';
import { InformersProvider, useList } from 'rx-informers/react';
import { virtualClock } from 'rx-informers/testing';
import { of } from 'rxjs';
import { errorWith } from '../support/error-with.js';
import { expectComplaints } from './support/console-errors.js';
import { namesOf, open, podOn, podsOf } from './support/page.js';

const environment = globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean };

/**
 * Renders as a browser does, in slices between which other tasks run, and not in `act`, which would
 * finish everything at once.
 */
async function unattended(work: () => Promise<void>): Promise<void> {
  environment.IS_REACT_ACT_ENVIRONMENT = false;
  try {
    await work();
  } finally {
    environment.IS_REACT_ACT_ENVIRONMENT = true;
  }
}

/**
 * A clock that stands still. A provider waits at most a second for React, and a busy machine may be
 * slower.
 */
const stopped = virtualClock();

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** Renders 20 items that take 4 ms each, and counts how often it was begun. */
function slowItems() {
  const startedAt = { count: 0 };
  function Item({ first }: { readonly first: boolean; readonly shown: unknown }): ReactNode {
    if (first) startedAt.count += 1;
    for (const end = performance.now() + 4; performance.now() < end;);
    return null;
  }
  const items = (shown: unknown): ReactNode =>
    Array.from({ length: 20 }, (_, n) => <Item key={n} first={n === 0} shown={shown} />);
  return { startedAt, items };
}

describe('low-priority rendering in a provider while a collection changes with every frame', () => {
  it('starts a transition at most twice', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const { startedAt, items } = slowItems();
    let go: () => void = () => undefined;
    const Live = (): ReactNode => useList(pods)[0]!.status!.phase;
    function Switching(): ReactNode {
      const [of, setOf] = useState('old');
      go = () => {
        startTransition(() => {
          setOf('new');
        });
      };
      return [<Live key="live" />, <output key="of">{of}</output>, of === 'new' && items(of)];
    }
    const page = render(<InformersProvider paused$={of(false)} scheduler={stopped} children={<Switching />} />);
    await unattended(async () => {
      go();
      for (let n = 0; page.container.querySelector('output')!.textContent !== 'new'; n++) {
        pods.update(podOn('n1', 'a', n % 2 === 0 ? 'Pending' : 'Running'));
        await nextFrame();
      }
    });
    expect(startedAt.count).toBeGreaterThan(0);
    expect(startedAt.count).toBeLessThanOrEqual(2);
  });

  it('shows a deferred list each time it starts to render it, except for the last time', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const { startedAt, items } = slowItems();
    let shown = 0;
    const Items = memo(function Items({ of }: { readonly of: unknown }): ReactNode {
      useEffect(() => {
        shown += 1;
      }, [of]);
      return items(of);
    });
    const Deferred = (): ReactNode => <Items of={useDeferredValue(useList(pods))} />;
    render(<InformersProvider paused$={of(false)} scheduler={stopped} children={<Deferred />} />);
    await unattended(async () => {
      for (let n = 0; startedAt.count < 8; n++) {
        pods.update(podOn('n1', 'a', n % 2 === 0 ? 'Pending' : 'Running'));
        await nextFrame();
      }
    });
    expect(shown).toBeGreaterThanOrEqual(7);
  });

  it('delays changes by at most a second for a transition that suspends', async () => {
    const pods = podsOf(podOn('n1', 'a'));
    const List = (): ReactNode => namesOf(useList(pods));
    const Never = lazy(() => new Promise<never>(() => undefined));
    let go: () => void = () => undefined;
    function Switching(): ReactNode {
      const [isGone, setGone] = useState(false);
      go = () => {
        setGone(true);
      };
      return isGone ? <Never /> : <List />;
    }
    const page = open(<Suspense fallback="loading" children={<Switching />} />);
    await act(async () => {
      startTransition(go);
    });
    const shown: string[] = [];
    for (const name of ['b', 'c', 'd', 'e']) {
      pods.add(podOn('n1', name));
      await page.pass(1000);
      shown.push(page.text());
    }
    expect(shown).toEqual(['a b', 'a b c', 'a b c d', 'a b c d e']);
    // The notifier has emitted, so frames follow the display again.
    pods.add(podOn('n1', 'f'));
    await page.pass(16);
    expect(page.text()).toBe('a b c d e f');
  });
});

describe('atMost', () => {
  it('limits renders per second, shows the first change after a pause with the next frame, and applies to all hooks together', async () => {
    const scheduler = virtualClock();
    const pods = podsOf(podOn('n1', 'a'));
    const renders: number[] = [];
    const List = (): ReactNode => {
      renders.push(scheduler.now());
      return namesOf(useList(pods));
    };
    const page = render(
      <InformersProvider atMost={4} paused$={of(false)} frameScheduler={scheduler} scheduler={scheduler}>
        <List />
        <InformersProvider linger={1}>
          <List />
        </InformersProvider>
      </InformersProvider>,
    );
    await act(async () => scheduler.advance(1000));
    renders.length = 0;
    const startedAt = scheduler.now();
    for (let n = 0; n < 60; n++) {
      pods.update(podOn('n1', 'a', n % 2 === 0 ? 'Pending' : 'Running'));
      await act(async () => scheduler.advance(16));
    }
    const at = [...new Set(renders)].map((time) => time - startedAt);
    expect(at).toEqual([16, 288, 560, 816]);
    expect(renders).toHaveLength(8);
    page.unmount();
  });

  it.each([0, -1, NaN])('throws for %p', (atMost) => {
    expectComplaints();
    expect(() => render(<InformersProvider atMost={atMost} />)).toThrow(errorWith('RXI_INVALID_OPTION'));
  });
});
