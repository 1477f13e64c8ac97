/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useContext, type ReactNode } from 'react';
import { secrets, type KubeClient } from 'rx-informers';
import { createInMemoryApiServer, virtualClock } from 'rx-informers/testing';
import { unknownCluster, type ClusterInfo } from '../../page/cluster/cluster-info.js';
import { ClusterContext } from '../../page/cluster/cluster.js';
import { ObjectDetails } from '../../page/drawer/object-details.js';
import '../../page/drawer/printer-columns.js';
import '../../page/drawer/secret-data.js';
import '../../page/drawer/yaml-view.js';
import { shownTime } from '../../page/history/shown-time.js';
import './support/console-errors.js';
import { open } from './support/page.js';
import { addWhatJsdomLacks } from './support/shown-page.js';

const password = 'grüße\nzweite Zeile';
const encoded = Buffer.from(password).toString('base64');
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'db', namespace: 'shop' },
  data: { password: encoded, key: Buffer.from([0xff, 0xfe, 0x00]).toString('base64') },
};

function In({ client, isSent, children }: { client: KubeClient; isSent: boolean; children: ReactNode }): ReactNode {
  const cluster = useContext(ClusterContext);
  const known = (): ClusterInfo => (isSent ? sent : unknownCluster);
  const info = { subscribe: () => () => undefined, getSnapshot: known, getServerSnapshot: known };
  return (
    <ClusterContext.Provider value={{ ...cluster, client, info, tables: new Map() }}>
      {children}
    </ClusterContext.Provider>
  );
}

const sent = { ...unknownCluster, secrets: true };

/** Shows the drawer of the Secret, which has only its metadata. */
async function show(isSent: boolean, tab?: string) {
  const scheduler = virtualClock();
  const server = createInMemoryApiServer({ scheduler });
  server.apply(secret);
  const requested: string[] = [];
  const client: KubeClient = {
    ...server.client,
    exchange: (request) => {
      if (request.path.includes('/secrets')) requested.push(request.path);
      return server.client.exchange(request);
    },
  };
  const [{ metadata } = { metadata: {} }] = server.objects.list(secrets);
  const object = { apiVersion: 'v1', kind: 'Secret', metadata };
  const page = open(
    <In client={client} isSent={isSent}>
      <ObjectDetails
        opened={{ resource: 'v1/secrets', key: 'shop/db', tab }}
        object={object}
        isGone={false}
        informer={undefined as never}
      />
    </In>,
    { client, scheduler },
  );
  const eventually = (check: () => void): Promise<void> =>
    waitFor(async () => {
      await page.pass(50);
      check();
    });
  return { page, requested, eventually };
}

beforeAll(() => {
  addWhatJsdomLacks(600);
});

beforeEach(() => {
  shownTime.moveTo(undefined);
});

describe('the content of a Secret, with --secrets', () => {
  it('is shown as keys, and a value only after a click', async () => {
    const { page, eventually } = await show(true);
    await eventually(() => expect(screen.getByRole('button', { name: 'Show the value of password' })).toBeTruthy());
    expect(page.text()).not.toMatch(/grüße|zweite/);
    expect(page.text()).not.toContain(encoded);
    page.run(() => fireEvent.click(screen.getByRole('button', { name: 'Show the value of password' })));
    expect(page.container.querySelector('.secret-value')?.textContent).toBe(password);
    page.run(() => fireEvent.click(screen.getByRole('button', { name: 'Hide the value of password' })));
    expect(page.text()).not.toMatch(/grüße/);
  });

  it('that is not text is shown as its size', async () => {
    const { page, eventually } = await show(true);
    await eventually(() => expect(screen.getByRole('button', { name: 'Show the value of key' })).toBeTruthy());
    page.run(() => fireEvent.click(screen.getByRole('button', { name: 'Show the value of key' })));
    expect(page.container.querySelector('.secret-value')?.textContent).toBe('not text: 4 characters in base64');
  });

  it('is not in the YAML', async () => {
    const { page, requested, eventually } = await show(true, 'yaml');
    await eventually(() => expect(page.text()).toContain('resourceVersion'));
    expect([page.text().includes(encoded), requested]).toEqual([false, []]);
  });

  it('is not requested while the page shows the past, nor without the option', async () => {
    shownTime.moveTo(Date.now() - 1000);
    const past = await show(true);
    await past.page.pass(500);
    past.page.unmount();
    shownTime.moveTo(undefined);
    const without = await show(false);
    await without.page.pass(500);
    expect([past.requested, without.requested]).toEqual([[], []]);
    expect(without.page.text()).not.toContain('password');
  });
});
