/** @jest-environment ./test/page/support/browser-environment.js */
import { act, fireEvent, screen, within } from '@testing-library/react';
import { setTimeout as sleep } from 'node:timers/promises';
import { useContext, type ReactNode } from 'react';
import { informer, pods, type KubeClient } from 'rx-informers';
import { useList } from 'rx-informers/react';
import { resourceClient } from 'rx-informers/requests';
import {
  aNode,
  aPod,
  createInMemoryApiServer,
  serverFaults,
  virtualClock,
  type InMemoryApiServer,
} from 'rx-informers/testing';
import { of } from 'rxjs';
import { ClusterContext } from '../../page/cluster/cluster.js';
import { useLivePods, usePods } from '../../page/cluster/informers.js';
import { earlierEntries } from '../../page/history/before-recording.js';
import { ChangeLog } from '../../page/history/change-log.js';
import { recordPast } from '../../page/history/past-text.js';
import { PastContext, type PastReader } from '../../page/history/recordings.js';
import { shownTime, useTimeOfAddress } from '../../page/history/shown-time.js';
import { TimeBar } from '../../page/history/time-bar.js';
import './support/console-errors.js';
import { open, type Page } from './support/page.js';

function Names(): ReactNode {
  useTimeOfAddress();
  const names = useList(usePods()).map(({ metadata }) => metadata.name);
  return <p data-testid="names">{names.join(' ')}</p>;
}

function Log(): ReactNode {
  useLivePods();
  return <ChangeLog opened={{ resource: 'v1/pods', key: 'default/a' }} collection={usePods()} />;
}

function InCluster({ client, children }: { readonly client: KubeClient; readonly children: ReactNode }): ReactNode {
  const cluster = useContext(ClusterContext);
  return (
    <ClusterContext.Provider value={{ ...cluster, client, tables: new Map() }}>{children}</ClusterContext.Provider>
  );
}

interface Shown {
  readonly server: InMemoryApiServer;
  readonly page: Page;
  /** Lets a second of real time pass: histories are on the clock of the page. */
  readonly change: (act: () => void) => Promise<void>;
}

const pause = (milliseconds: number): Promise<void> =>
  act(async () => {
    await sleep(milliseconds);
  });

async function show(
  content: ReactNode,
  prepare?: (server: InMemoryApiServer, pass: () => Promise<void>) => Promise<void>,
): Promise<Shown> {
  const scheduler = virtualClock({ now: Date.now() });
  const server = createInMemoryApiServer({ scheduler });
  server.apply([aNode({ name: 'n1' }), aPod({ name: 'a', node: 'n1' })]);
  await prepare?.(server, async () => {
    await pause(500);
    scheduler.advance(500);
  });
  const page = open(<InCluster client={server.client}>{content}</InCluster>, { client: server.client, scheduler });
  await page.pass(200);
  return {
    server,
    page,
    change: async (work) => {
      await pause(150);
      page.run(work);
      await page.pass(100);
    },
  };
}

beforeEach(() => {
  history.replaceState(null, '', '/');
  shownTime.moveTo(undefined);
});

/** Does something on the page, and draws the next frame. */
async function after(page: Page, work: () => unknown): Promise<string> {
  page.run(() => void work());
  await page.pass(50);
  return names();
}

const key = (name: string) => (): unknown => fireEvent.keyDown(slider(), { key: name });
const click = (name: string) => (): unknown => fireEvent.click(screen.getByRole('button', { name }));

const slider = (): HTMLInputElement => screen.getByRole<HTMLInputElement>('slider', { name: 'Time shown' });
const names = (): string => screen.getByTestId('names').textContent;

describe('the time bar', () => {
  const content = (
    <>
      <Names />
      <TimeBar />
    </>
  );

  it('is live at first, and stops at the current time when Space is pressed', async () => {
    const { server, page, change } = await show(content);
    expect(slider().getAttribute('aria-valuetext')).toBe('live');
    await after(page, key(' '));
    await change(() => server.apply(aPod({ name: 'b' })));
    expect(names()).toBe('a');
    expect(screen.getByText(/^Past/)).toBeTruthy();
    expect(await after(page, click('Back to live'))).toBe('a b');
    expect(screen.queryByText(/^Past/)).toBeNull();
  });

  it('hatches an outage, and says of which time the state is', async () => {
    const { server, page, change } = await show(content);
    await change(() => server.apply(aPod({ name: 'b' })));
    expect(document.querySelectorAll('.outage')).toHaveLength(0);
    server.faults.always('any', serverFaults.refuse());
    await change(() => server.restart());
    await pause(1_100);
    await change(() => undefined);
    await after(page, key(' '));
    expect(document.querySelectorAll('.outage').length).toBeGreaterThan(0);
    expect(screen.getByText(/^Past/).textContent).toMatch(/ · state as of \d\d:\d\d:\d\d$/);
    expect(slider().getAttribute('aria-valuetext')).toMatch(/, state as of \d\d:\d\d:\d\d$/);
  });

  it('moves back and forward by one change, and to both ends', async () => {
    const { server, page, change } = await show(content);
    await change(() => server.apply(aPod({ name: 'b' })));
    await change(() => server.apply(aPod({ name: 'c' })));
    const seen: string[] = [];
    for (let step = 0; step < 3; step++) seen.push(await after(page, click('Previous change')));
    expect(seen).toEqual(['a b c', 'a b', 'a']);
    expect(await after(page, click('Next change'))).toBe('a b');
    expect(await after(page, key('Home'))).toBe('a');
    expect([await after(page, key('End')), location.search]).toEqual(['a b c', '']);
  });

  it('writes the time to the address, and shows the time in the address', async () => {
    const { server, change, page } = await show(content);
    await change(() => server.apply(aPod({ name: 'b' })));
    expect(await after(page, key('Home'))).toBe('a');
    expect(location.search).toMatch(/^\?at=20\d\d-/);
    history.replaceState(null, '', '/');
    expect(await after(page, () => dispatchEvent(new PopStateEvent('popstate')))).toBe('a b');
    expect(shownTime.time).toBeUndefined();
  });

  it('reports that the address contains a time before the recording', async () => {
    history.replaceState(null, '', '/?at=2020-01-01T00:00:00.000Z');
    await show(content);
    expect(names()).toBe('a');
    expect(screen.getByText(/^Past.*2020.*recording began at \d\d:\d\d:\d\d/)).toBeTruthy();
  });

  it('goes on from a link to a time before the recording: it plays from the beginning, or is live at once', async () => {
    history.replaceState(null, '', '/?at=2021-01-01T00:00:00.000Z');
    const { server, change, page } = await show(content);
    await change(() => server.apply(aPod({ name: 'b' })));
    expect(names()).toBe('a');
    await after(page, click('Play'));
    // From the year of the link, this would take months.
    for (let tries = 0; shownTime.time !== undefined && tries < 100; tries++) await pause(50);
    await page.pass(100);
    expect([names(), shownTime.time]).toEqual(['a b', undefined]);
    expect(await after(page, key('Home'))).toBe('a');
    history.replaceState(null, '', '/?at=2021-01-01T00:00:00.000Z');
    page.run(() => dispatchEvent(new PopStateEvent('popstate')));
    expect([await after(page, click('Go on live')), location.search]).toEqual(['a b', '']);
  });

  it('shows the present for a link to the future', async () => {
    history.replaceState(null, '', '/?at=2999-01-01T00:00:00.000Z');
    await show(content);
    expect([names(), slider().getAttribute('aria-valuetext')]).toEqual(['a', 'live']);
  });

  it('is not green while the server does not answer', async () => {
    const { server, page } = await show(content);
    expect(screen.getByRole('region', { name: 'Time' }).className).toBe('time-bar');
    server.faults.always(() => true, serverFaults.respond(502));
    page.run(() => server.restart());
    for (let tries = 0; tries < 20; tries++) await page.pass(1_000);
    expect(screen.getByRole('region', { name: 'Time' }).className).toBe('time-bar lost');
    expect([slider().getAttribute('aria-valuetext'), screen.queryByText('Live')]).toEqual(['not live', null]);
  });

  it('plays from the shown time until it is live', async () => {
    const { server, change, page } = await show(content);
    await change(() => server.apply(aPod({ name: 'b' })));
    await pause(400);
    expect(await after(page, key('Home'))).toBe('a');
    await after(page, click('Play'));
    for (let tries = 0; shownTime.time !== undefined && tries < 400; tries++) await pause(50);
    await page.pass(100);
    expect([names(), shownTime.time]).toEqual(['a b', undefined]);
  });
});

describe('what the shared worker has recorded before the page was opened', () => {
  it('is shown at an earlier time, in the change log and on the time line', async () => {
    let past: ReturnType<ReturnType<typeof recordPast>> | undefined;
    const read: PastReader = (_resource, { before, size }) => of(past?.read({ before, size }) ?? '');
    const { page } = await show(
      <PastContext.Provider value={(resource, part) => (resource === pods ? read(resource, part) : of(''))}>
        <Names />
        <TimeBar />
        <Log />
      </PastContext.Provider>,
      async (server, pass) => {
        // An informer of its own takes the place of the worker.
        const worker = informer(server.client, pods);
        past = recordPast({ for: 3_600_000 })(worker);
        worker.connect();
        server.apply(aPod({ name: 'gone', node: 'n1' }));
        await pass();
        server.apply(aPod({ name: 'a', node: 'n1', labels: { app: 'web' } }));
        await pass();
        server.remove(pods, 'default/gone');
        await pass();
      },
    );
    await pause(50);
    await page.pass(50);
    expect(names()).toBe('a');
    expect(screen.getByRole('region', { name: 'Changes' }).textContent).toContain('{"app":"web"}');
    expect(await after(page, key('Home'))).toBe('a gone');
    expect(await after(page, key('End'))).toBe('a');
    // Step by step, also beyond what this tab has recorded.
    expect(await after(page, click('Previous change'))).toBe('a');
    expect(await after(page, click('Previous change'))).toBe('a gone');
  });
});

describe('the change log of an object', () => {
  const entries = (): string[] =>
    within(screen.getByRole('region', { name: 'Changes' }))
      .getAllByRole('listitem')
      .filter(({ parentElement }) => parentElement?.tagName === 'OL')
      .map(({ textContent }) => textContent.replace(/\d\d:\d\d:\d\d/, '').replace(/\d+s/, '0s'));

  it('shows each change with its writer, the last one first', async () => {
    const { server, change } = await show(<Log />);
    expect(screen.getByText('Nothing has changed since then.')).toBeTruthy();
    const label = (app: string, fieldManager: string) => (): void => {
      const client = resourceClient(server.client, pods, { fieldManager });
      client.patch('default/a', { metadata: { labels: { app } } }).subscribe();
    };
    await change(label('web', 'kubectl-label'));
    await change(label('api', 'argocd'));
    const [last, first] = entries();
    expect(first).toMatch(/kubectl-label \(update\)metadata\.labels/);
    expect(last).toContain('argocd (update)metadata.labels.app"web""api"');
  });

  it('shows an object that took the name as an entry of its own, without a diff', async () => {
    const { server, change } = await show(<Log />);
    await change(() => {
      server.remove(pods, 'default/a');
      server.apply(aPod({ name: 'a', node: 'n1', labels: { app: 'web' } }));
    });
    expect(entries()[0]).toContain('Replaced 0s ago by a new pod of this name.');
    expect(screen.queryByText('metadata.uid')).toBeNull();
  });

  it('shows what the API server knows from before the recording, apart from it and with its source', async () => {
    const { server, page } = await show(<Log />, async (server, pass) => {
      const client = resourceClient(server.client, pods, { fieldManager: 'kubectl-label' });
      client.patch('default/a', { metadata: { labels: { app: 'web' } } }).subscribe();
      await pass();
      await pass();
      const { metadata } = server.objects.get(pods, 'default/a')!;
      server.apply({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'a.1', namespace: 'default' },
        involvedObject: { kind: 'Pod', name: 'a', namespace: 'default', uid: metadata.uid },
        reason: 'Pulled',
        message: 'Successfully pulled image',
        lastTimestamp: new Date(Date.now() - 60_000).toISOString(),
      });
    });
    await page.pass(200);
    expect(server.objects.list(pods)).toHaveLength(1);
    const before = screen.getByRole('region', { name: 'Before the recording' });
    expect(before.textContent).toMatch(/from eventsPulled Successfully pulled image/);
    expect(before.textContent).toMatch(
      /from managed fieldskubectl-label \(update\) last wrote some of: metadata\.labels/,
    );
  });
});

describe('entries from before the recording', () => {
  it('are the latest first, and only those before the recording', () => {
    const at = (seconds: number): string => new Date(1_000_000 + seconds * 1_000).toISOString();
    const event = (reason: string, seconds: number, count = 1) => ({
      apiVersion: 'v1' as const,
      kind: 'Event' as const,
      metadata: { name: reason, uid: reason, resourceVersion: '1' },
      involvedObject: {},
      reason,
      count,
      message: 'text',
      lastTimestamp: at(seconds),
    });
    const fieldsV1 = { 'f:status': { 'f:phase': {}, 'f:conditions': {} } };
    const managed = [
      { manager: 'kubelet', operation: 'Update', subresource: 'status', time: at(5), fieldsV1 },
      { manager: 'later', operation: 'Update', time: at(50), fieldsV1 },
    ];
    const entries = earlierEntries(
      [event('Pulled', 3), event('BackOff', 9, 4), event('Killing', 60)],
      managed,
      1_030_000,
    );
    expect(entries.map(({ source, what, detail }) => `${source}: ${what}: ${detail}`)).toEqual([
      'from events: BackOff ×4: text',
      'from managed fields: kubelet (update, status): last wrote some of: status.phase, status.conditions',
      'from events: Pulled: text',
    ]);
  });
});
