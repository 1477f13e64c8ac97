/** Identify list items of built-in kinds, by the list's field. Others are replaced as a whole. */
const keysByField: Readonly<Record<string, readonly string[]>> = {
  addresses: ['type'],
  conditions: ['type'],
  containers: ['name'],
  env: ['name'],
  ephemeralContainers: ['name'],
  hostAliases: ['ip'],
  hostIPs: ['ip'],
  imagePullSecrets: ['name'],
  initContainers: ['name'],
  matchConditions: ['name'],
  ownerReferences: ['uid'],
  podIPs: ['ip'],
  resourceClaims: ['name'],
  secrets: ['name'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
  volumeDevices: ['devicePath'],
  volumeMounts: ['mountPath'],
  volumes: ['name'],
  webhooks: ['name'],
};

const containerLists = new Set(['containers', 'initContainers', 'ephemeralContainers']);

/**
 * Returns the fields that identify an item of the list at `path` (field names from the root,
 * without items); `undefined` if the list has no such items. Strategic merge patch uses the first
 * of these fields; server-side apply uses all of them.
 */
export function mergeKeysAt(path: readonly string[]): readonly string[] | undefined {
  const field = path.at(-1) ?? '';
  if (field !== 'ports') return keysByField[field];
  if (containerLists.has(path.at(-2) ?? '')) return ['containerPort', 'protocol'];
  return path.length === 2 && path[0] === 'spec' ? ['port', 'protocol'] : undefined;
}

const primitiveLists = new Set(['finalizers', 'podCIDRs']);

/** Returns true if the list at `path` is a set of strings. */
export function isPrimitiveSet(path: readonly string[]): boolean {
  return primitiveLists.has(path.at(-1) ?? '');
}
