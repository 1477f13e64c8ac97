/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen, within } from '@testing-library/react';
import type { Pod } from 'rx-informers';
import { cronJobs, jobs } from 'rx-informers/resources';
import { aDeployment, anyObject, aPod, aReplicaSet, type OwnerLike } from 'rx-informers/testing';
import { labelFacets } from '../../page/facets/facet-names.js';
import { valueText } from '../../page/facets/facet-value.js';
import { ownerOf } from '../../page/pods/pod-filter.js';
import './support/console-errors.js';
import { addWhatJsdomLacks, showPage, type ShownPage } from './support/shown-page.js';

function podOf(kind: string, name: string, labels: Readonly<Record<string, string>> = {}): Pod {
  const pod = aPod({ name: 'a', namespace: 'shop', labels });
  const ownerReferences = [{ apiVersion: 'v1', kind, name, uid: '1', controller: true }];
  return { ...pod, metadata: { ...pod.metadata, ownerReferences } };
}

/** Adds a Deployment with pods, as its controllers create them. */
function deploy({ server }: ShownPage, namespace: string, name: string, pods: number): void {
  const apply = (object: object): OwnerLike => server.apply(object)[0] as OwnerLike;
  const hash = '6c5d8f9b7';
  const labels = { app: name, 'pod-template-hash': hash };
  const deployment = apply(aDeployment({ name, namespace, replicas: pods }));
  const set = apply(
    aReplicaSet({ name: `${name}-${hash}`, namespace, replicas: pods, owner: deployment, selector: labels }),
  );
  for (let pod = 0; pod < pods; pod++) {
    apply(aPod({ name: `${name}-${hash}-${pod}`, namespace, node: 'n1', owner: set, labels }));
  }
}

/** Opens the rows below a workload, and follows one of its links. */
async function follow({ page, eventually }: ShownPage, workload: string, link: string): Promise<void> {
  await eventually(() => expect(screen.getByRole('button', { name: new RegExp(`${workload}$`) })).toBeTruthy());
  page.run(() => fireEvent.click(screen.getByRole('button', { name: new RegExp(`${workload}$`) })));
  await eventually(() => expect(screen.getByRole('link', { name: link })).toBeTruthy());
  page.run(() => fireEvent.click(screen.getByRole('link', { name: link })));
}

const names = (): readonly (string | undefined)[] =>
  screen
    .queryAllByRole('row')
    .slice(1)
    .map((row) => row.querySelector('.name .visually-hidden')?.textContent)
    .sort();

beforeAll(() => {
  addWhatJsdomLacks(600);
});

describe('the pods of a workload', () => {
  it('are those that it owns, not those of a workload whose name contains its name or of another namespace', async () => {
    const shown = await showPage('/?view=workloads', []);
    deploy(shown, 'shop', 'web', 2);
    deploy(shown, 'shop', 'web-admin', 1);
    deploy(shown, 'shop-eu', 'web', 1);
    await follow(shown, 'Deployment shop/web', 'Show in the table of pods');
    await shown.eventually(() => expect(names()).toEqual(['web-6c5d8f9b7-0', 'web-6c5d8f9b7-1']));
    expect(new URLSearchParams(location.search).getAll('is.owner')).toEqual(['Deployment/shop/web']);
    // A pod of the next revision joins.
    const next = shown.server.apply(aPod({ name: 'web-77-new', namespace: 'shop', node: 'n1' }))[0] as unknown as Pod;
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-77', uid: 'next', controller: true },
    ];
    shown.server.apply({
      ...next,
      metadata: { ...next.metadata, labels: { 'pod-template-hash': '77' }, ownerReferences },
    });
    await shown.eventually(() => expect(names()).toHaveLength(3));
  });

  it('are exactly those whose logs are followed', async () => {
    const shown = await showPage('/?view=workloads', []);
    deploy(shown, 'shop', 'web', 2);
    deploy(shown, 'shop', 'web-admin', 1);
    deploy(shown, 'shop-eu', 'web', 1);
    await follow(shown, 'Deployment shop/web', 'Follow the logs');
    await shown.eventually(() =>
      expect(screen.getByRole('heading', { level: 2, name: /^Logs/ }).textContent.trim()).toBe('Logs 2'),
    );
  });

  it('of a CronJob include those of a Job that was started by hand', async () => {
    const shown = await showPage('/?view=workloads', []);
    const apply = (object: object): OwnerLike => shown.server.apply(object)[0] as OwnerLike;
    const template = { template: { spec: { containers: [{ name: 'main', image: 'app:1' }], restartPolicy: 'Never' } } };
    const cron = apply(
      anyObject(cronJobs, {
        name: 'import',
        namespace: 'shop',
        content: { spec: { schedule: '0 * * * *', jobTemplate: { spec: template } } },
      }),
    );
    for (const name of ['import-29384756', 'by-hand', 'import-of-others']) {
      const owner = name === 'import-of-others' ? undefined : cron;
      const job = anyObject(jobs, { name, namespace: 'shop', content: { spec: template } });
      const { apiVersion, kind, metadata } = (owner ?? {}) as unknown as Pod;
      const ownerReferences = owner && [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }];
      const made = apply({ ...job, metadata: { ...job.metadata, ownerReferences } });
      apply(aPod({ name: `${name}-pod`, namespace: 'shop', node: 'n1', owner: made }));
    }
    await follow(shown, 'CronJob shop/import', 'Show in the table of pods');
    await shown.eventually(() => expect(names()).toEqual(['by-hand-pod', 'import-29384756-pod']));
  });

  it('are one value of the facet for each workload, with its namespace', async () => {
    const shown = await showPage('/', []);
    deploy(shown, 'shop', 'web', 2);
    deploy(shown, 'shop-eu', 'web', 1);
    await shown.eventually(() => {
      const facet = screen.getByRole('region', { name: 'Workload' });
      expect(
        within(facet)
          .getAllByRole('button')
          .map(({ textContent }) => textContent),
      ).toEqual(['web · shop2', 'web · shop-eu1']);
    });
  });

  it.each([
    ['a name that ends with a date', 'Job', 'backup-20260301', 'Job/shop/backup-20260301'],
    ['a name that ends with a time', 'Job', 'backup-20260301120000', 'Job/shop/backup-20260301120000'],
    ['a name that ends with minutes since 1970', 'Job', 'backup-29384756', 'CronJob/shop/backup'],
    ['a ReplicaSet without the hash of a Deployment', 'ReplicaSet', 'web-abc', 'ReplicaSet/shop/web-abc'],
  ])('have the owner that the name of the Job or ReplicaSet tells: %s', (_, kind, name, owner) => {
    expect(ownerOf(podOf(kind, name, { 'pod-template-hash': 'x' }))).toBe(owner);
  });

  it('are named by the name of the workload, then by its namespace', () => {
    expect(valueText('owner', 'Deployment/shop/web')).toBe('web · shop');
  });
});

describe('the facet App', () => {
  const namespaces = [
    { group: 'namespace=shop', pods: 12 },
    { group: 'namespace=infra', pods: 3 },
    { group: 'namespace=kube-system', pods: 5 },
  ];

  it('is not shown if each application is a namespace, even if some pods name no application', () => {
    const apps = [
      { group: 'app=shop', pods: 11 },
      { group: 'app=infra', pods: 3 },
    ];
    expect(labelFacets([...namespaces, ...apps])).toEqual([]);
  });

  it('is shown if an application is not a namespace, or has pods outside of it', () => {
    expect(labelFacets([...namespaces, { group: 'app=shop', pods: 11 }, { group: 'app=dns', pods: 1 }])).toEqual([
      'app',
    ]);
    expect(labelFacets([...namespaces, { group: 'app=infra', pods: 4 }])).toEqual(['app']);
  });

  it('and the facets of labels are compared with the workloads by name, whatever their namespaces are', () => {
    const workloads = [
      { group: 'owner=Deployment/shop/web', pods: 2 },
      { group: 'owner=Deployment/shop-eu/web', pods: 1 },
    ];
    expect(labelFacets([...workloads, { group: 'label.app=web', pods: 3 }])).toEqual([]);
  });
});
