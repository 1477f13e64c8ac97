import { configMaps } from 'rx-informers';
import { silentLogger, type LogFields } from 'rx-informers/controller';
import { resourceClient } from 'rx-informers/requests';
import { connect } from './support/cluster.js';

const cluster = connect();
let namespace: string;
beforeAll(async () => {
  namespace = await cluster.createNamespace();
});
afterAll(() => cluster.cleanUp());

it('a ResourceClient logs the warnings of the API server, each once for all writes that cause it', async () => {
  const lines: LogFields[] = [];
  const logger = { ...silentLogger, warn: (fields: LogFields) => void lines.push(fields) };
  const settings = resourceClient(cluster.client, configMaps, { logger });
  const misspelled = { dta: { mode: 'dark' }, immutible: true } as object;
  await settings.create({ metadata: { namespace, name: 'a' }, ...misspelled }, { fieldValidation: 'Warn' });
  await settings.create({ metadata: { namespace, name: 'b' }, ...misspelled }, { fieldValidation: 'Warn' });
  const request = `POST /api/v1/namespaces/${namespace}/configmaps?fieldValidation=Warn`;
  expect(lines).toEqual([
    { warning: 'unknown field "dta"', resource: 'configmaps', request },
    { warning: 'unknown field "immutible"', resource: 'configmaps', request },
  ]);
});
