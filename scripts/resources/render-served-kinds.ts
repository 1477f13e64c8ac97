import { clientNodeTypes } from './client-node-types.js';
import type { ClientNodeKind } from './kinds.js';
import { newerKinds, traits } from './traits.js';

type ServedKind = Omit<ClientNodeKind, 'type'>;

/**
 * Returns the table of the kinds that the embedded API server serves, as JSON. `kinds` has all
 * stable versions, the preferred version first. `types` has a line for each type of their objects,
 * which `schema.ts` of the server reads.
 */
export async function renderServedKinds(kinds: readonly ClientNodeKind[]): Promise<string> {
  const known = newerKinds.find((kind) => kinds.some((other) => isSameVersion(kind, other)));
  if (known !== undefined) throw new Error(`client-node has ${known.plural} now; remove them from newerKinds`);
  const served = [...kinds, ...newerKinds].sort(inOrderOfDiscovery);
  const unknown = Object.keys(traits).filter((name) => !served.some((kind) => resourceName(kind) === name));
  if (unknown.length > 0) throw new Error(`scripts/resources/traits.ts has unknown resources: ${unknown.join(', ')}`);
  const types = await clientNodeTypes(kinds.map(({ type }) => type));
  const regular = new Set(served.map(({ version, kind }) => regularType(`${version}.${kind}`, types)));
  const lines = types.filter((line) => !regular.has(line));
  return `{
"kinds": ${rows(served.map(servedKind))},
"types": ${rows(lines)}
}
`;
}

function rows(values: readonly unknown[]): string {
  return `[\n${values.map((value) => JSON.stringify(value)).join(',\n')}\n]`;
}

/** Returns the line of a kind that has only metadata, an optional spec, and perhaps a status. */
function regularType(type: string, types: readonly string[]): string {
  const status = types.some((line) => line.startsWith(`${type}Status `)) ? ` status:${type}Status` : '';
  return `${type} apiVersion kind metadata:v1.ObjectMeta spec:${type}Spec${status}`;
}

function servedKind(kind: ServedKind): object {
  const { group, version, plural, kind: name, namespaced, subresources } = kind;
  return {
    group,
    version,
    plural,
    kind: name,
    namespaced,
    ...(subresources.has('status') && { hasStatus: true }),
    ...(subresources.has('scale') && { hasScale: true }),
    ...traits[resourceName(kind)],
  };
}

/**
 * Compares kinds by their order in discovery: the core group first, then groups by name. Within a
 * group, the highest version comes first.
 */
function inOrderOfDiscovery(a: ServedKind, b: ServedKind): number {
  return (
    compare(a.group, b.group) || Number(b.version.slice(1)) - Number(a.version.slice(1)) || compare(a.plural, b.plural)
  );
}

function isSameVersion(a: ServedKind, b: ServedKind): boolean {
  return resourceName(a) === resourceName(b) && a.version === b.version;
}

function resourceName({ group, plural }: ServedKind): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
