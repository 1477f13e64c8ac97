/** @jest-environment ./test/page/support/browser-environment.js */
import { act, fireEvent, renderHook, screen, waitFor, within } from '@testing-library/react';
import { useContext, type ReactNode } from 'react';
import type { KubeClient } from 'rx-informers';
import { aPod, createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { defer, finalize, mergeMap, of, Subject, throwError, timer, type Observable } from 'rxjs';
import { aDefinition } from '../../../../test/fixtures/definition.js';
import { ClusterContext } from '../../page/cluster/cluster.js';
import { showTime } from '../../page/history/shown-time.js';
import { KindsView } from '../../page/kinds/kinds-view.js';
import { useRequest } from '../../page/kinds/use-request.js';
import './support/console-errors.js';
import { open } from './support/page.js';
import { addWhatJsdomLacks, showPage } from './support/shown-page.js';

function InCluster({ client, children }: { readonly client: KubeClient; readonly children: ReactNode }): ReactNode {
  const cluster = useContext(ClusterContext);
  return (
    <ClusterContext.Provider value={{ ...cluster, client, tables: new Map() }}>{children}</ClusterContext.Provider>
  );
}

/** A machine that is busy needs longer than the second that is the default. */
const slowly = { timeout: 20_000 };

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the view of kinds', () => {
  it('shows the namespace of the page if the user may not read all namespaces', async () => {
    history.replaceState(null, '', '/?view=kinds&kind=v1/pods&namespace=shop');
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({
      scheduler,
      users: { tenant: { name: 'tenant', allow: [{ resources: ['pods'], namespaces: ['shop'] }] } },
    });
    server.apply(aPod({ name: 'web-1', namespace: 'shop' }));
    const client = server.clientFor('tenant');
    const content = (
      <InCluster client={client}>
        <KindsView />
      </InCluster>
    );
    const page = open(content, { client, scheduler });
    await waitFor(async () => {
      await page.pass(100);
      expect(page.text()).toContain('web-1');
    });
    expect(screen.queryByText(/^You do not have permission/)).toBeNull();
  });

  it('begins with the number of objects of each kind that the user may list, requested two at a time, as metadata', async () => {
    history.replaceState(null, '', '/?view=kinds');
    const scheduler = virtualClock();
    const server = createInMemoryApiServer({
      scheduler,
      users: { reader: { name: 'reader', allow: [{ resources: ['pods', 'nodes'] }] } },
    });
    server.apply(Array.from({ length: 1234 }, (_, at) => aPod({ name: `web-${at}`, namespace: 'shop' })));
    const inner = server.clientFor('reader');
    const listed: string[] = [];
    let running = 0;
    let most = 0;
    const client: KubeClient = {
      ...inner,
      exchange: (request) => {
        if (request.query?.['limit'] !== 1) return inner.exchange(request);
        listed.push(`${request.path} ${String(request.headers?.['accept']).includes('PartialObjectMetadataList')}`);
        return defer(() => {
          most = Math.max(most, ++running);
          return inner.exchange(request).pipe(finalize(() => running--));
        });
      },
    };
    const content = (
      <InCluster client={client}>
        <KindsView />
      </InCluster>
    );
    const page = open(content, { client, scheduler });
    await waitFor(async () => {
      await page.pass(100);
      expect(page.text()).toMatch(/Node 0.*Pod 1,234/);
    }, slowly);
    expect(listed.sort()).toEqual(['/api/v1/nodes true', '/api/v1/pods true']);
    expect(most).toBeLessThanOrEqual(2);
    expect(page.text()).toMatch(/Secret no permission\D/);
    page.unmount();
  });

  const at = (ago: number): string => new Date(Date.now() - ago).toISOString();

  /** The page of a custom kind with columns of every sort, and with an object. */
  async function showWidgets(spec: object, address = '') {
    const whole = aDefinition({ plural: 'widgets', kind: 'Widget' });
    const additionalPrinterColumns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Started', type: 'date', jsonPath: '.spec.started' },
      { name: 'Expires', type: 'date', jsonPath: '.spec.expires' },
      { name: 'Holder', type: 'string', jsonPath: '.spec.holder', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    const versions = whole.spec.versions.map((version) => ({ ...version, additionalPrinterColumns }));
    const shown = await showPage(`/?view=kinds&kind=example.com/v1/widgets${address}`, [
      { ...whole, spec: { ...whole.spec, versions } },
    ]);
    const apply = (change: object): void => {
      shown.server.apply(
        {
          apiVersion: 'example.com/v1',
          kind: 'Widget',
          metadata: { name: 'w', namespace: 'shop', creationTimestamp: at(3_600_000) },
          spec: { ...spec, ...change },
        },
        { keepMetadata: true },
      );
    };
    apply({});
    const row = (): readonly string[] =>
      screen
        .queryAllByRole('row')
        .slice(1)
        .flatMap((element) => within(element).getAllByRole('gridcell'))
        .map((cell) => cell.querySelector('.visually-hidden')?.textContent ?? cell.textContent);
    return { ...shown, apply, row };
  }

  it('shows the columns and cells of the API server, those of -o wide included, with ages that move', async () => {
    const { eventually, row } = await showWidgets({ size: 3, holder: 'a', started: at(130_500), expires: at(-60_000) });
    await eventually(() =>
      expect(row()).toEqual(['w', 'shop', '3', expect.stringMatching(/^2m1\ds$/), '<invalid>', 'a', '60m']),
    );
    const [, , , before] = row();
    expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'Name',
      'Namespace',
      'Size',
      'Started',
      'Expires',
      'Holder',
      'Age',
    ]);
    await eventually(() => expect(row()[3]).not.toBe(before));
  });

  it('shows the cells of the shown time in the past, with their ages at that time', async () => {
    const { page, now, eventually, row, apply } = await showWidgets({ size: 1, started: at(3_600_000) });
    await eventually(() => expect(row()[2]).toBe('1'));
    const past = now();
    await page.pass(1_000);
    apply({ size: 2, started: at(5_000) });
    await eventually(() => expect(row().slice(2, 4)).toEqual(['2', expect.stringMatching(/^\ds$/)]));
    act(() => {
      showTime(past);
    });
    await eventually(() => expect(row().slice(2, 4)).toEqual(['1', '60m']));
    act(() => {
      showTime(undefined);
    });
    await eventually(() => expect(row()[2]).toBe('2'));
  });

  it('finds objects by the text of any cell', async () => {
    const { eventually, row } = await showWidgets({ size: 3, holder: 'somewhere' }, '&q=SOMEWHERE');
    await eventually(() => expect(row()[0]).toBe('w'));
    act(() => {
      fireEvent.change(screen.getByRole('searchbox', { name: 'Filter widgets' }), { target: { value: 'elsewhere' } });
    });
    await eventually(() => expect(row()).toEqual([]));
  });

  it('keeps what it has found while a repeated request fails, and shows the error', async () => {
    const answers: Observable<string>[] = [of('first'), throwError(() => new Error('502')), of('third')];
    const request = (): Observable<string> => timer(5).pipe(mergeMap(() => answers.shift() ?? new Subject<string>()));
    const seen: unknown[] = [];
    renderHook(() => {
      const { value, error } = useRequest(request, 5);
      const text = `${value ?? '-'} ${error?.message ?? '-'}`;
      if (seen.at(-1) !== text) seen.push(text);
    });
    await waitFor(() => expect(seen).toHaveLength(4));
    expect(seen).toEqual(['- -', 'first -', 'first 502', 'third -']);
  });
});
