import fc from 'fast-check';
import { configMaps, createIndexer, metaNamespaceKey, type ConfigMap } from 'rx-informers';
import { stage } from '../write/support/stage.js';

const metadata = { namespace: 'web', name: 'settings' };
const values = ['1', '2', undefined] as const;

/** What may be applied: each field has one of two values, or is not named. */
const someConfiguration = fc.record({
  a: fc.constantFrom(...values),
  b: fc.constantFrom(...values),
  label: fc.constantFrom(...values),
});
type Configuration = typeof someConfiguration extends fc.Arbitrary<infer C> ? C : never;

const someActions = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('apply' as const), configuration: fc.nat(2) }),
    fc.record({ type: fc.constant('observe' as const) }),
    fc.record({
      type: fc.constant('other-writes' as const),
      field: fc.constantFrom('a', 'b', 'c'),
      value: fc.constantFrom('1', '2', null),
    }),
    fc.record({ type: fc.constant('delete' as const) }),
  ),
  { maxLength: 20 },
);

function objectOf({ a, b, label }: Configuration) {
  const named = (fields: Readonly<Record<string, string | undefined>>): Record<string, string> =>
    Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return { metadata: { ...metadata, labels: named({ label }) }, data: named({ a, b }) };
}

it('apply with a cache leaves nothing that an apply without one would change, once the cache has caught up', () => {
  fc.assert(
    fc.property(
      fc.tuple(someConfiguration, someConfiguration, someConfiguration),
      someActions,
      (configurations, actions) => {
        const { run, client, server, put, requests } = stage();
        put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'web' } });
        const from = createIndexer<ConfigMap>(metaNamespaceKey);
        const stored = () => server.objects.get<ConfigMap>(configMaps, 'settings', 'web');
        const content = () => structuredClone({ data: stored()?.data ?? {}, labels: stored()?.metadata.labels ?? {} });
        // A write elsewhere says how far the history is, as a bookmark would.
        const observe = (): void => {
          const { metadata: marker } = put({
            apiVersion: 'v1',
            kind: 'Namespace',
            metadata: { name: 'web', labels: { at: String(++time) } },
          });
          from.replace(
            server.objects.list<ConfigMap>(configMaps, 'web').map((object) => structuredClone(object)),
            marker.resourceVersion,
          );
        };
        let time = 0;
        let last = objectOf(configurations[0]);
        observe();
        for (const action of actions) {
          switch (action.type) {
            case 'apply':
              last = objectOf(configurations[action.configuration] as Configuration);
              run(client.apply(last, { from }));
              break;
            case 'observe':
              observe();
              break;
            case 'other-writes':
              run(client.patch('web/settings', { data: { [action.field]: action.value } }, { fieldManager: 'other' }));
              break;
            case 'delete':
              server.remove(configMaps, 'settings', 'web');
          }
        }
        observe();
        run(client.apply(last, { from }));
        const reached = content();
        requests.splice(0);
        run(client.apply(last, { from }));
        expect(requests).toEqual([]);
        run(client.apply(last));
        expect(reached).toEqual(content());
      },
    ),
    { numRuns: 100 },
  );
});
