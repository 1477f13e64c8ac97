import { readFileSync } from 'node:fs';
import { websites } from '../../examples/website-operator/website.js';
import { createInMemoryApiServer, randomFromSeed } from '../../src/testing/in-memory.js';

// Measures what the schema of a custom resource costs in the embedded API server: updates of a
// website with the schema of its definition, beside the same updates with a schema that allows
// everything. The rounds of both alternate; the result is the median of the ratios.
//
//   npx tsx bench/studies/schema-writes.ts

const rounds = 41;
const updates = 400;
const definition = readFileSync('examples/website-operator/website-crd.yaml', 'utf8');
const open = definition.replace(
  /openAPIV3Schema:[^]*/,
  'openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true }\n',
);
const conditions = ['Ready', 'Progressing', 'Degraded'].map((type) => ({
  type,
  status: 'False',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
  reason: 'Starting',
  message: 'the Deployment has not started yet',
}));

/** Returns a function that updates spec and status of a website, and returns the milliseconds. */
function writer(yaml: string): () => number {
  const server = createInMemoryApiServer({ random: randomFromSeed(1) });
  server.apply(yaml);
  const metadata = { name: 'web', namespace: 'default' };
  server.apply({ apiVersion: 'example.com/v1', kind: 'Website', metadata, spec: { image: 'nginx', replicas: 1 } });
  const path = '/apis/example.com/v1/namespaces/default/websites/web';
  const put = (to: string, body: object): void => {
    server.client
      .exchange({
        method: 'PUT',
        path: to,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      .subscribe();
  };
  let count = 0;
  return () => {
    const start = performance.now();
    for (let update = 0; update < updates; update++) {
      count += 1;
      const object = server.objects.get(websites, 'web', 'default');
      put(path, { ...object, spec: { image: `nginx:${count}`, replicas: count % 9, port: 8080 } });
      const { metadata } = server.objects.get(websites, 'web', 'default') ?? {};
      put(`${path}/status`, { ...object, metadata, status: { observedGeneration: count, conditions } });
    }
    return performance.now() - start;
  };
}

const [withSchema, without] = [writer(definition), writer(open)];
const ratios: number[] = [];
const times: number[] = [];
for (let round = 0; round < rounds; round++) {
  const [first, second] = round % 2 === 0 ? [withSchema, without] : [without, withSchema];
  const [a, b] = [first(), second()];
  ratios.push(round % 2 === 0 ? a / b : b / a);
  times.push(round % 2 === 0 ? a : b);
}
const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
console.log(
  `with the schema ${middle(ratios).toFixed(2)} × without; ${((middle(times) / updates / 2) * 1000).toFixed(0)} µs a write`,
);
