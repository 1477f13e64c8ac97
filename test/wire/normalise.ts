import { isJsonObject, parseJson, type Json } from './json.js';
import type { Step } from './session.js';

/**
 * Replaces the values of a transcript that differ from run to run. Random names become
 * `<namespace>` and `<unique>`, times become `<time>`, and uids and generated names are numbered in
 * the order in which they appear. A version becomes `v` and its rank among the versions of the
 * objects in the transcript. A version between two of these, which exists if other objects were
 * written, gets the rank of the lower one.
 */
export function normalise(
  steps: readonly Step[],
  names: { readonly namespace: string; readonly unique: string },
): readonly Step[] {
  const versions = [...new Set(objectVersions(steps as unknown as Json))].sort((a, b) => a - b);
  const rank = (version: number): string => `v${versions.findLastIndex((known) => known <= version) + 1}`;
  const uids = numbered('uid');
  const generated = numbered('generated');

  const ofString = (text: string): string => {
    if (uid.test(text)) return uids(text);
    if (time.test(text)) return '<time>';
    if (age.test(text)) return '<age>';
    return text
      .replace(wholeObject, '<object>')
      .replace(anyUid, uids)
      .replace(generatedName, (_, prefix: string, suffix: string) => `${prefix}${generated(suffix)}`)
      .replace(largeVersion, (_, words: string, version: string) => words + rank(Number(version)))
      .replaceAll(names.namespace, '<namespace>')
      .replaceAll(names.unique, '<unique>');
  };
  const ofField = (field: string, value: Json): Json => {
    if (field === 'managedFields' && Array.isArray(value)) return ofValue(byManager(value));
    if (typeof value !== 'string') return ofValue(value);
    // The hash is computed from the name of the group, which differs in each run.
    if (field === 'storageVersionHash') return '<hash>';
    if (field === 'resourceVersion') return value === '' || value === '0' ? value : `<${rank(Number(value))}>`;
    if (field === 'continue' && value !== '') return ofToken(value);
    return ofString(value);
  };
  const ofToken = (token: string): string => {
    const content = parseJson(Buffer.from(token, 'base64url').toString());
    if (!isJsonObject(content)) return token;
    const { rv } = content;
    return `<continue ${JSON.stringify({ ...content, rv: rv === -1 ? -1 : rank(Number(rv)) })}>`.replaceAll(
      names.namespace,
      '<namespace>',
    );
  };
  const ofValue = (value: Json): Json => {
    if (typeof value === 'string') return ofString(value);
    if (Array.isArray(value)) return value.map(ofValue);
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value)
      .filter(([field]) => field !== addresses)
      .map(([field, inner]) => [ofString(field), ofField(field, inDiscovery(field, inner))] as const);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  };
  const ofRequest = (request: string): string =>
    ofString(request)
      .replace(/(resourceVersion=)([1-9]\d*)\b/, (_, words: string, version: string) =>
        version === farAway ? words + version : `${words}<${rank(Number(version))}>`,
      )
      .replace(/(continue=)([\w-]{20,})/, (_, words: string, token: string) => words + ofToken(token));
  return steps.map(({ request, ...step }) => ({
    ...(ofValue(step as unknown as Json) as unknown as Step),
    step: step.step.replaceAll(names.namespace, '<namespace>'),
    request: ofRequest(request),
  }));
}

/**
 * Turns the lists of discovery into objects by name, so that one additional resource is one
 * difference.
 */
function inDiscovery(field: string, value: Json): Json {
  if (!Array.isArray(value) || value.length === 0 || !discoveryLists.has(field)) return value;
  const named = (value as readonly Json[]).map((item) => [nameOf(item), item] as const);
  return named.some(([name]) => name === undefined)
    ? value
    : Object.fromEntries(named.map(([name = '', item]) => [name, item] as const));
}

/** The field with the addresses of the server. It contains the port, which differs in each run. */
const addresses = 'serverAddressByClientCIDRs';

const discoveryLists = new Set(['groups', 'resources', 'items', 'subresources']);

function nameOf(item: Json): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const { metadata, versions, name, resource, subresource } = item;
  const own = resource ?? subresource ?? (metadata === undefined ? name : undefined);
  if (typeof own === 'string') return own;
  if (versions === undefined || !isJsonObject(metadata)) return undefined;
  return typeof metadata['name'] === 'string' ? metadata['name'] : 'core';
}

/** A version that no server reaches during a test. */
export const farAway = '999999999999';

const uidPattern = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const uid = new RegExp(`^${uidPattern}$`);
const anyUid = new RegExp(uidPattern, 'g');
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const age = /^\d+(s|m|m\d+s)$/;
/** Matches the generated names of scenarios, which all begin with this prefix. */
const generatedName = /\b(generated-)([bcdfghjklmnpqrstvwxz2456789]{5})\b/g;
/** Matches a whole object that a message quotes, including its versions and times. */
const wholeObject = /(?<=Invalid value: )"\{.*\}"/s;
const largeVersion = /(current: |ResourceVersion in record \(|in the precondition \()(\d+)\b/g;

/**
 * Sorts managed fields by operation and manager, as a server does with those of one second. Whether
 * two requests fall into one second differs from run to run.
 */
function byManager(entries: readonly Json[]): readonly Json[] {
  const sortKeyOf = (entry: Json): string =>
    isJsonObject(entry)
      ? ['operation', 'manager', 'subresource'].map((field) => String(entry[field] ?? '')).join(' ')
      : '';
  return entries.toSorted((a, b) => Number(sortKeyOf(a) > sortKeyOf(b)) - Number(sortKeyOf(a) < sortKeyOf(b)));
}

function numbered(kind: string): (value: string) => string {
  const known = new Map<string, string>();
  return (value) => {
    const name = known.get(value) ?? `<${kind} ${known.size + 1}>`;
    known.set(value, name);
    return name;
  };
}

/** Yields the versions of all objects: of every value that has both a version and a uid. */
function* objectVersions(value: Json): Generator<number, void, undefined> {
  if (Array.isArray(value)) {
    for (const item of value as readonly Json[]) yield* objectVersions(item);
  } else if (isJsonObject(value)) {
    const { uid: ownUid, resourceVersion } = value;
    if (typeof ownUid === 'string' && typeof resourceVersion === 'string' && resourceVersion !== '')
      yield Number(resourceVersion);
    for (const inner of Object.values(value)) yield* objectVersions(inner);
  }
}
