/** @jest-environment ./test/page/support/browser-environment.js */
import { fireEvent, screen } from '@testing-library/react';
import { events, nodes, pods, services } from 'rx-informers';
import { aDeployment, aNode, anyObject, aPod } from 'rx-informers/testing';
import './support/console-errors.js';
import { addWhatJsdomLacks, showPage } from './support/shown-page.js';

beforeAll(() => {
  addWhatJsdomLacks(600);
});

const cluster = [
  aNode({ name: 'n1' }),
  aPod({ name: 'web-1', namespace: 'shop', node: 'n1' }),
  aDeployment({ name: 'web', namespace: 'shop', image: 'registry/cart:1' }),
  anyObject(services, {
    name: 'web',
    namespace: 'shop',
    content: { spec: { type: 'NodePort', ports: [{ port: 80 }] } },
  }),
  anyObject(events, {
    name: 'web-1.1',
    namespace: 'shop',
    content: {
      involvedObject: { kind: 'Pod', namespace: 'shop', name: 'web-1' },
      reason: 'Unhealthy',
      type: 'Normal',
      lastTimestamp: new Date().toISOString(),
    },
  }),
];

describe('the view of one kind', () => {
  it.each([
    [pods.plural, 'web-1'],
    [nodes.plural, 'n1'],
    [events.plural, 'web-1.1'],
  ])('shows %s, and shares its informer with other views and the drawer', async (plural, name) => {
    const { eventually } = await showPage(`/?view=kinds&kind=v1/${plural}&open=v1/pods:shop/web-1&tab=events`, cluster);
    await screen.findByRole('grid');
    await eventually(() => expect(screen.getByRole('link', { name })).toBeTruthy());
    expect(screen.queryByText(/cannot be drawn/)).toBeNull();
  });
});

describe('the timeline', () => {
  it.each([
    ['gateway.networking.k8s.io/v1', 'Gateway', 'gateways'],
    ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies'],
    ['networking.k8s.io/v1', 'Ingress', 'ingresses'],
    ['appmesh.k8s.aws/v1beta2', 'Mesh', 'meshes'],
    ['v1', 'Endpoints', 'endpoints'],
  ])('links the object of an Event: %s %s', async (apiVersion, kind, plural) => {
    const event = anyObject(events, {
      name: 'public.1',
      namespace: 'shop',
      content: { involvedObject: { apiVersion, kind, namespace: 'shop', name: 'public' }, reason: 'Synced' },
    });
    await showPage('/?view=timeline', [event]);
    const link = await screen.findByRole('link', { name: /public/ });
    expect(new URL((link as HTMLAnchorElement).href).searchParams.get('open')).toBe(
      `${apiVersion}/${plural}:shop/public`,
    );
  });
});

describe('the filter field', () => {
  it.each([
    ['view=pods', 'name, node, status, address', 'n1', 'Pods 1'],
    ['view=workloads', 'name, kind, status, image', 'cart:1', 'Workloads 1'],
    ['view=workloads&workloads.show=services', 'name, type, selector, port', 'nodeport 80', 'Services 1'],
    ['view=timeline', 'name, kind, what happened', 'unhealthy', 'Timeline 1'],
    ['view=logs', 'name, node, status, address', 'running', 'Logs 1'],
  ])('of %s states that it searches in %s, and does', async (view, fields, words, title) => {
    const { eventually } = await showPage(`/?${view}`, cluster);
    const field = await screen.findByRole('searchbox', { name: `Filter by ${fields}` });
    const heading = (): string =>
      screen.getByRole('heading', { level: 2, name: new RegExp(`^${title.slice(0, -1)}`) }).textContent;
    fireEvent.change(field, { target: { value: words } });
    await eventually(() => expect(heading()).toBe(title));
    fireEvent.change(field, { target: { value: 'nothing has this' } });
    await eventually(() => expect(heading()).toBe(title.replace('1', '0')));
  });
});
