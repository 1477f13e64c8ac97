/**
 * Returns a text of the cluster as one quoted line. Control characters, invisible characters and
 * line breaks become a space, and quotes inside become apostrophes. So the text cannot look as if
 * its quotation had ended, and no part of it is hidden from a person who reads the answer.
 */
export function quote(text: string, limit = 160): string {
  const characters = Array.from(text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim());
  const shown = characters.length > limit ? `${characters.slice(0, limit).join('')}…` : characters.join('');
  return `"${shown.replaceAll('"', "'")}"`;
}

/** Fields that say nothing about the state of an object, or change while its state does not. */
const omitted = new Set([
  ...['metadata.name', 'metadata.namespace', 'generateName', 'managedFields', 'selfLink', 'generation', 'uid'],
  ...['resourceVersion', 'lastHeartbeatTime', 'lastProbeTime', 'lastUpdateTime', 'observedGeneration'],
  ...['apiVersion', 'blockOwnerDeletion', 'controller', 'images', 'tolerations', 'containerID', 'imageID'],
  'kubectl.kubernetes.io/last-applied-configuration',
]);

/** Fields whose values may be secret. By default, only the names of their entries are shown. */
const confidential = new Set(['env', 'data', 'binaryData', 'annotations', 'command', 'args', 'httpHeaders']);

/**
 * Returns the fields of an object as quoted lines, such as `"spec.replicas: 3"`.
 *
 * @param values show the values of fields that may be secret
 */
export function objectLines(object: unknown, values: boolean): readonly string[] {
  const { apiVersion: _, kind: _kind, metadata, status, ...others } = object as Readonly<Record<string, unknown>>;
  return linesOf('', { metadata, status, ...others }, values).map((line) => quote(line));
}

function linesOf(path: string, value: unknown, values: boolean): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value !== 'object') return [`${path}: ${value as string}`];
  const { type, status, reason, message } = value as Readonly<Record<string, unknown>>;
  if (typeof type === 'string' && typeof status === 'string')
    return [`${path}: ${[status, reason, message].filter(Boolean).join(' ')}`];
  return Object.entries(value).flatMap(([field, child]: [string, unknown]) => {
    // The name of an element of a list is a part of the path.
    const childPath = Array.isArray(value)
      ? `${path}[${nameOf(child) ?? field}]`
      : path === ''
        ? field
        : `${path}.${field}`;
    if (omitted.has(field) || omitted.has(childPath) || path.endsWith(`[${String(child)}]`)) return [];
    if (values || !confidential.has(field)) return linesOf(childPath, child, values);
    return [`${childPath}: ${entriesOf(child)} (values hidden)`];
  });
}

/** Returns the name of an element of a list, such as that of a container or a condition. */
function nameOf(item: unknown): string | undefined {
  const { name, type } = Object(item) as { readonly name?: unknown; readonly type?: unknown };
  return [name, type].find((text) => typeof text === 'string');
}

function entriesOf(field: unknown): string {
  if (!Array.isArray(field)) return Object.keys(Object(field) as object).join(', ');
  const names = field.map(nameOf).filter((name) => name !== undefined);
  return names.length > 0 ? names.join(', ') : `${field.length} entries`;
}
