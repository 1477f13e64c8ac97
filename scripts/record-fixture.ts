import { mkdirSync, writeFileSync } from 'node:fs';
import { firstValueFrom } from 'rxjs';
import { informer } from '../src/informer/informer.js';
import { resourcePath } from '../src/kubernetes/resource-path.js';
import { type ConfigMap, configMaps, namespaces } from '../src/kubernetes/resources/everyday.js';
import { requestJson } from '../src/sources/client/kube-client.js';
import { listWatch } from '../src/sources/list-watch.js';
import { exponentialBackoff } from '../src/sources/model/backoff.js';
import { recordSource } from '../src/testing/record/record.js';
import { randomFromSeed } from '../src/testing/virtual-clock.js';
import { configMap, connect, forEach } from '../test/cluster/support/cluster.js';
import { eventually } from '../test/cluster/support/eventually.js';
import { observe } from '../test/cluster/support/observed-client.js';
import { writeAtRandom } from '../test/cluster/support/random-writes.js';
import { startRig } from '../test/cluster/support/rig.js';

/*
 * Records test/fixtures/recordings/config-maps.ndjson from a real API server, which it starts with
 * $RIG/up.sh. The recording has 500 config maps, changes to them, and a compaction while the
 * connection is cut, which the server answers with 410. A second file has the resourceVersions that
 * the server lists at the end, by name.
 */
const folder = 'test/fixtures/recordings';
const namespace = 'recorded';
mkdirSync(folder, { recursive: true });

const rig = await startRig({ flags: ['--watch-cache=false'] });
const cluster = connect(rig.kubeConfigFile);
const random = randomFromSeed(500);
await cluster.create(namespaces, { metadata: { name: namespace } });
const names = Array.from({ length: 500 }, (_, index) => `c${String(index).padStart(3, '0')}`);
await forEach(names, (name) => cluster.create(configMaps, configMap(namespace, name)));

const client = observe(cluster.client);
const source = listWatch(client, configMaps, { namespace, backoff: exponentialBackoff({ initial: 50, cap: 200 }) });
const transform = 'dropManagedFields';
const recorded = informer(recordSource(source, `${folder}/config-maps.ndjson`, { resource: configMaps, transform }));
const running = recorded.connect();
await recorded.whenSynced();
await writeAtRandom(cluster, namespace, { writes: 300, random });

client.cut();
await forEach(names.slice(0, 20), (name) => cluster.remove(configMaps, configMap(namespace, name)));
await cluster.create(configMaps, configMap(namespace, 'after-the-cut'));
await rig.compact();
client.restore();
await eventually(recorded.get$(`${namespace}/after-the-cut`), (object) => object !== undefined);
await writeAtRandom(cluster, namespace, { writes: 100, random, prefix: 'x' });
await cluster.create(configMaps, configMap(namespace, 'last'));
await eventually(recorded.get$(`${namespace}/last`), (object) => object !== undefined);

running.unsubscribe();

const request = { method: 'GET', path: resourcePath(configMaps, { namespace }) } as const;
const { items } = await firstValueFrom(requestJson<{ readonly items: readonly ConfigMap[] }>(cluster.client, request));
const versions = Object.fromEntries(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
writeFileSync(`${folder}/config-maps.final.json`, `${JSON.stringify(versions, undefined, 2)}\n`);
await rig.stop();
