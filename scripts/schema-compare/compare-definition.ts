import { setTimeout as sleep } from 'node:timers/promises';
import { from, lastValueFrom, mergeMap } from 'rxjs';
import type { Schema } from '../../src/testing/api-server/resources/catalog.js';
import { brokenValue, pick, randomValue, sitesOf, withValue, type Random, type Site } from './random-objects.js';
import type { Kind, Table } from './table.js';
import type { Answer, Send } from './two-servers.js';

export interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly plural: string; readonly kind: string; readonly [field: string]: unknown };
    readonly versions: readonly Version[];
    readonly [field: string]: unknown;
  };
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources?: { readonly status?: object; readonly [field: string]: unknown };
  readonly schema: { readonly openAPIV3Schema: Schema };
  readonly [field: string]: unknown;
}

interface Servers {
  readonly real: Send;
  readonly embedded: Send;
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const open: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
/** How often each keyword was broken, so that rare keywords are chosen first. */
const hits = new Map<string, number>();

/** Creates and updates random objects of a definition on both servers. */
export async function compareDefinition(
  servers: Servers,
  { spec, ...definition }: Definition,
  { objects, random, table }: { readonly objects: number; readonly random: Random; readonly table: Table },
): Promise<void> {
  const version = spec.versions.find(({ served, storage }) => served && storage);
  if (version === undefined) return;
  const conversion = { strategy: 'None' };
  const versions = [version];
  const whole = { ...definition, spec: { ...spec, versions, conversion, preserveUnknownFields: undefined } };
  const { subresources: _subresources, ...openVersion } = { ...version, schema: { openAPIV3Schema: open } };
  const namespace = spec.scope === 'Cluster' ? '' : '/namespaces/default';
  const path = `/apis/${spec.group}/${version.name}${namespace}/${spec.names.plural}`;
  const schema = version.schema.openAPIV3Schema;
  const rules = new Set(messagesOf(schema));
  const make = (name: string): object => ({
    ...(randomValue(schema, random) as object),
    apiVersion: `${spec.group}/${version.name}`,
    kind: spec.names.kind,
    metadata: { name },
  });

  // Objects from before the schema. Many of them are not valid.
  const first = { ...whole, spec: { ...whole.spec, versions: [{ ...openVersion, selectableFields: undefined }] } };
  await servers.real('DELETE', `${definitions}/${definition.metadata.name}`);
  await both(servers, (send) =>
    until(
      () => send('POST', definitions, first),
      ({ status }) => status === 201,
    ),
  );
  await both(servers, (send) =>
    until(
      () => send('GET', path),
      ({ status }) => status === 200,
    ),
  );
  const count = Math.max(10, Math.round(objects / 20));
  const stored = Array.from({ length: count }, (_, index) => {
    const object = make(`stored-${index}`);
    return random() < 0.6 ? broken(schema, object, random).object : object;
  });
  const created = await Promise.all(stored.map((object) => both(servers, (send) => send('POST', path, object))));
  await both(servers, async (send) => {
    const { body } = await send('GET', `${definitions}/${definition.metadata.name}`);
    const next = { ...whole, metadata: { ...whole.metadata, resourceVersion: body.metadata?.resourceVersion } };
    const answer = await send('PUT', `${definitions}/${definition.metadata.name}`, next);
    if (answer.status >= 300) throw new Error(answer.body.message);
    const probe = { ...make('probe'), unknownField: 1 };
    return until(
      () => send('POST', `${path}?dryRun=All`, probe),
      ({ body: shown }) => shown['unknownField'] === undefined,
    );
  });

  const compare = async (
    kind: Kind,
    keyword: string,
    request: readonly [string, string, (index: 0 | 1) => object, string?],
  ) => {
    const [method, address, body, contentType] = request;
    const query = `?dryRun=All${contentType?.includes('apply') === true ? '&fieldManager=compare' : ''}`;
    const [real, embedded] = await Promise.all([
      servers.real(method, address + query, body(0), contentType),
      servers.embedded(method, address + query, body(1), contentType),
    ]);
    table.add(kind, keyword, { real, embedded }, { method, address, body: body(0) }, rules);
  };
  const creates = Array.from({ length: objects }, (_, index) => async () => {
    const object = make(`new-${index}`);
    if (index % 2 === 0) return compare('create', 'none', ['POST', path, () => object]);
    const first = broken(schema, object, random);
    const sent = random() < 0.3 ? broken(schema, first.object, random).object : first.object;
    if (random() < 0.9) return compare('create', first.keyword, ['POST', path, () => sent]);
    const address = `${path}/new-${index}`;
    return compare('create', first.keyword, ['PATCH', address, () => sent, 'application/apply-patch+yaml']);
  });
  const updates = Array.from({ length: objects }, () => async () => {
    const index = Math.floor(random() * count);
    const before = stored[index] as object;
    const status = random() < 0.2 && version.subresources?.status !== undefined;
    const fresh = random() < 0.2 ? { ...make(''), metadata: { name: `stored-${index}` } } : before;
    const { keyword, object, site } = broken(schema, fresh, random, status ? 'status' : undefined);
    const address = `${path}/stored-${index}${status ? '/status' : ''}`;
    if (!status && site !== undefined && fresh === before && random() < 0.3) {
      const value = site.path.reduce<unknown>((each, step) => (each as Record<string, unknown>)[step], object);
      const at = site.path.findIndex((step) => typeof step === 'number');
      if (at < 0 && value !== undefined) {
        const patch = site.path.reduceRight<unknown>((each, step) => ({ [step]: each }), value) as object;
        return compare('update', keyword, ['PATCH', address, () => patch, 'application/merge-patch+json']);
      }
    }
    const versionsOf = created[index] as readonly [Answer, Answer];
    return compare('update', keyword, [
      'PUT',
      address,
      (server) => ({
        ...object,
        metadata: { name: `stored-${index}`, resourceVersion: versionsOf[server].body.metadata?.resourceVersion },
      }),
    ]);
  });
  await lastValueFrom(from([...creates, ...updates]).pipe(mergeMap((act) => act(), 8)), { defaultValue: undefined });
  await servers.real('DELETE', `${definitions}/${definition.metadata.name}`);
}

async function both(servers: Servers, act: (send: Send) => Promise<Answer>): Promise<readonly [Answer, Answer]> {
  return Promise.all([act(servers.real), act(servers.embedded)]);
}

async function until(act: () => Promise<Answer>, isReached: (answer: Answer) => boolean): Promise<Answer> {
  for (let attempt = 0; attempt < 300; attempt++) {
    const answer = await act();
    if (isReached(answer)) return answer;
    await sleep(100);
  }
  throw new Error('the server did not take the definition');
}

/** Breaks an object at the keyword that was broken least often. */
function broken(
  schema: Schema,
  object: object,
  random: Random,
  under?: string,
): { readonly keyword: string; readonly object: object; readonly site?: Site } {
  const sites = sitesOf(schema, object).filter(({ path }) => under === undefined || path[0] === under);
  if (sites.length === 0) return { keyword: 'none', object };
  const keywords = [...new Set(sites.map(({ keyword }) => keyword))];
  const rarest = keywords.sort((a, b) => (hits.get(a) ?? 0) - (hits.get(b) ?? 0))[
    random() < 0.5 ? 0 : Math.floor(random() * keywords.length)
  ];
  const site = pick(
    sites.filter(({ keyword }) => keyword === rarest),
    random,
  );
  hits.set(site.keyword, (hits.get(site.keyword) ?? 0) + 1);
  return { keyword: site.keyword, object: withValue(object, site.path, brokenValue(site, random)) as object, site };
}

function messagesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const rules = (value as Record<string, unknown>)['x-kubernetes-validations'];
  const own = Array.isArray(rules)
    ? (rules as readonly { message?: string; rule: string }[]).map(({ message, rule }) => (message ?? rule).trim())
    : [];
  return [...own, ...Object.values(value).flatMap(messagesOf)];
}
