import { listWatch, type KubernetesObject, type Resource, inNamespaces } from 'rx-informers';
import { informerTest } from 'rx-informers/testing';
import { identity, NEVER, Subject, tap } from 'rxjs';
import type { ListWatchOptions } from '../../src/sources/list-watch.js';
import { pods, type Pod } from '../fixtures/pods.js';
import { added, endBookmark, line, podList } from '../fixtures/wire.js';
import { expectOutput } from '../support/unexpected-output.js';
import { refuse, respond, scriptedClient, statusError, type Answer } from './support/scripted-client.js';
import { describeEvent, timeline } from './support/timeline.js';

const open = respond([]);

/** The objects of the first list. */
function firstList<MetadataOnly extends boolean = false>(
  answers: readonly Answer[],
  resource: Resource<Pod>,
  options: ListWatchOptions<Pod, MetadataOnly> = {},
): readonly KubernetesObject[] {
  const seen: KubernetesObject[] = [];
  const source = listWatch(scriptedClient(answers), resource, { initialList: 'pages', ...options });
  timeline(
    () => source.pipe(tap((batch) => batch.forEach((event) => event.type === 'LISTED' && seen.push(...event.items)))),
    100,
  );
  return seen;
}

function listOf(kind: string, apiVersion: string, items: readonly KubernetesObject[], kindLast = false): Answer {
  const metadata = { resourceVersion: '5' };
  const list = kindLast ? { apiVersion, items, kind, metadata } : { kind, apiVersion, metadata, items };
  const text = JSON.stringify(list);
  const middle = Math.floor(text.length / 2);
  return respond(
    [
      [1, text.slice(0, middle)],
      [2, text.slice(middle)],
    ],
    { end: 3 },
  );
}

const unnamed: Resource<Pod> = { group: 'example.com', version: 'v1', plural: 'widgets', namespaced: true };
const item = (name: string, own: Partial<KubernetesObject> = {}): KubernetesObject => ({
  ...own,
  metadata: { name, uid: name, resourceVersion: '1' },
});

describe('listWatch: apiVersion and kind of list items', () => {
  it('are those of the resource', () => {
    const [first] = firstList([listOf('PodList', 'v1', [item('a')]), open], pods);
    expect([first?.apiVersion, first?.kind]).toEqual(['v1', 'Pod']);
  });

  it.each([false, true])(
    'are read from the list if the resource does not have them, at any position (last: %s)',
    (kindLast) => {
      const transformedKinds: unknown[] = [];
      const transform = (pod: Pod): Pod => {
        transformedKinds.push(pod.kind);
        return pod;
      };
      const items = firstList(
        [listOf('WidgetList', 'example.com/v1', [item('a'), item('b')], kindLast), open],
        unnamed,
        { transform },
      );
      expect(items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata?.name])).toEqual([
        ['example.com/v1', 'Widget', 'a'],
        ['example.com/v1', 'Widget', 'b'],
      ]);
      expect(transformedKinds).toEqual(['Widget', 'Widget']);
    },
  );

  it('are kept if an item has its own', () => {
    const own = { apiVersion: 'example.com/v1beta1', kind: 'Gadget' };
    const items = firstList([listOf('List', 'v1', [item('a', own), item('b', own)]), open], unnamed);
    expect(items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata?.name])).toEqual([
      ['example.com/v1beta1', 'Gadget', 'a'],
      ['example.com/v1beta1', 'Gadget', 'b'],
    ]);
  });

  it('are requested by the Accept header for metadata only', () => {
    const client = scriptedClient([
      listOf('PartialObjectMetadataList', 'meta.k8s.io/v1', [item('a')]),
      respond([[1, line('ADDED', { ...item('b'), kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' })]]),
    ]);
    const seen = timeline(() => listWatch(client, pods, { initialList: 'pages', metadataOnly: true }), 100);
    expect(seen.at(-1)).toBe('4: ADDED(b@1)');
    expect(client.requests.map(({ headers }) => headers?.['accept'])).toEqual([
      'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1;drop=metadata.managedFields,application/json',
      'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1;drop=metadata.managedFields,application/json',
    ]);
  });

  it.each([
    ['stream', { initialList: 'stream' as const }],
    ['pages', { initialList: 'pages' as const }],
  ])('are requested without managedFields, which the default transform drops (%s)', (_, options) => {
    const client = scriptedClient([open, open]);
    timeline(() => listWatch(client, pods, options), 100);
    expect(client.requests[0]?.headers?.['accept']).toBe(
      'application/json;drop=metadata.managedFields,application/json',
    );
  });

  it('are requested with managedFields for a custom transform, which may need them', () => {
    const client = scriptedClient([open]);
    timeline(() => listWatch(client, pods, { transform: identity }), 100);
    expect(client.requests[0]?.headers?.['accept']).toBe('application/json');
  });

  it('are requested by an Accept header that needs no CORS preflight: at most 128 bytes of safe characters', () => {
    for (const initialList of ['stream', 'pages'] as const) {
      const client = scriptedClient([open]);
      timeline(() => listWatch(client, pods, { initialList, metadataOnly: true }), 100);
      const accept = client.requests[0]?.headers?.['accept'] ?? '';
      expect(accept).toMatch(/drop=/);
      expect(accept.length).toBeLessThanOrEqual(128);
      expect(accept).not.toMatch(/[^a-z0-9.;=,/-]/i);
    }
  });

  it.each([
    ['metadata', { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' }, {}],
    [
      'whole objects although only metadata was requested',
      { kind: 'Pod', apiVersion: 'v1' },
      { spec: { nodeName: 'n1' } },
    ],
  ])('are those of the resource, with only metadata, if the server sends %s', (_name, type, rest) => {
    const sent = { ...item('a', type), ...rest };
    const kept = { apiVersion: 'v1', kind: 'Pod', metadata: sent.metadata };
    const list = listOf(`${type.kind}List`, type.apiVersion, [sent]);
    expect(firstList([list, open], pods, { metadataOnly: true })).toEqual([kept]);
    const stream = respond([[1, line('ADDED', sent) + endBookmark('5')]]);
    expect(firstList([stream], pods, { metadataOnly: true, initialList: 'stream' })).toEqual([kept]);
  });

  it('are read from the server for metadata if the resource has no kind', () => {
    const type = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
    const list = listOf('PartialObjectMetadataList', 'meta.k8s.io/v1', [item('a', type), item('b')]);
    const items = firstList([list, open], unnamed, { metadataOnly: true });
    expect(items.map(({ apiVersion, kind }) => [apiVersion, kind])).toEqual([
      ['meta.k8s.io/v1', 'PartialObjectMetadata'],
      ['meta.k8s.io/v1', 'PartialObjectMetadata'],
    ]);
  });
});

describe('listWatch: objects', () => {
  it('keep managedFields with transform: identity', () => {
    const managed = { metadata: { ...item('a').metadata, managedFields: [{ manager: 'x' }] } };
    const [kept] = firstList([listOf('PodList', 'v1', [managed]), open], pods, { transform: identity });
    const [dropped] = firstList([listOf('PodList', 'v1', [managed]), open], pods);
    expect(kept?.metadata).toHaveProperty('managedFields');
    expect(dropped?.metadata).not.toHaveProperty('managedFields');
  });

  it('are emitted even without a name or metadata, because the key function reports them', () => {
    const items = firstList([listOf('PodList', 'v1', [{ metadata: {} }, {}, item('a')]), open], pods);
    expect(items).toHaveLength(3);
  });
});

describe('listWatch of several namespaces', () => {
  const stream = (version: string): Answer => respond([[1, added(`a@${version}`) + endBookmark(version)]]);

  it('sends one LIST and WATCH each, with the namespace as partition and one first list', () => {
    const client = scriptedClient([stream('5'), stream('6')]);
    const seen = timeline(() => listWatch(client, pods, { namespace: inNamespaces(['one', 'two']) }), 100);
    expect(seen).toEqual([
      '0: one:<listing by stream 0>',
      '0: one:<listing by stream 0>',
      '1: two:<listing by stream 0>',
      '1: one:LISTED 5(a@5) two:LISTED 6(a@6) one:<watching 5>',
    ]);
    expect(client.requests.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/one/pods',
      '/api/v1/namespaces/two/pods',
    ]);
  });

  it('follows a changing set, without restarting the remaining sources', () => {
    const namespaces = new Subject<readonly string[]>();
    const client = scriptedClient([stream('5'), stream('6'), stream('7')]);
    const seen: string[] = [];
    informerTest(({ cold }) => {
      const subscription = listWatch(client, pods, { namespace: inNamespaces(namespaces) }).subscribe((batch) =>
        seen.push(...batch.filter(({ type }) => type !== 'STATUS').map(describeEvent)),
      );
      cold('a 4ms b 4ms c 90ms s', { a: ['one'], b: ['one', 'constructor'], c: ['constructor'], s: 'stop' }).subscribe(
        (names) => (typeof names === 'string' ? subscription.unsubscribe() : namespaces.next(names)),
      );
    });
    expect(seen).toEqual(['one:LISTED 5(a@5)', 'constructor:LISTED 6(a@6)', 'one:LISTED ()']);
    expect(client.log).toEqual(['STREAM', 'STREAM']);
    expect(client.inFlight).toBe(0);
  });

  it('reports which namespace is forbidden', () => {
    const client = scriptedClient([stream('5'), refuse(statusError(403))]);
    const seen = timeline(() => listWatch(client, pods, { namespace: inNamespaces(['one', 'two']) }), 100);
    expect(seen.join('\n')).toContain('two:<forbidden until');
    expect(seen.join('\n')).not.toContain('LISTED');
  });

  it('emits an empty list for an empty set, and warns of it', () => {
    expectOutput(/^inNamespaces\(\[\]\) selects no namespace, so nothing is read\./);
    expect(timeline(() => listWatch(scriptedClient([NEVER]), pods, { namespace: inNamespaces([]) }), 10)).toEqual([
      '0: LISTED ()',
    ]);
  });

  it('passes an error of the set on', () => {
    const namespaces = new Subject<readonly string[]>();
    const errors: unknown[] = [];
    listWatch(scriptedClient([NEVER]), pods, { namespace: inNamespaces(namespaces) }).subscribe({
      error: (error: unknown) => errors.push(error),
    });
    namespaces.error(new Error('no more'));
    expect(errors).toEqual([new Error('no more')]);
  });
});

describe('listWatch: a list that arrives in many reads', () => {
  it('is the same, regardless of where it is split', () => {
    const text = podList('10', ['a', 'b', 'c']);
    for (let cut = 1; cut < text.length; cut += 7) {
      const answer = respond(
        [
          [1, text.slice(0, cut)],
          [2, text.slice(cut)],
        ],
        { end: 3 },
      );
      const seen = timeline(() => listWatch(scriptedClient([answer, open]), pods, { initialList: 'pages' }), 5);
      expect(seen[1]).toBe('3: LISTED 10(a@1 b@1 c@1)');
    }
  });
});
