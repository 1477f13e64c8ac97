import type { ClientNodeKind } from './kinds.js';

/** A kind with the two names under which the library exports it. */
export interface NamedKind extends ClientNodeKind {
  /** The descriptor, for example `pods`. */
  readonly descriptor: string;
  /** The type of one object, for example `Pod`. */
  readonly alias: string;
  /** True if the root of the package exports the kind, too. */
  readonly isEveryday: boolean;
}

/**
 * The kinds that most programs use. The root exports these kinds, and `rx-informers/resources`
 * exports all kinds.
 */
const everyday: ReadonlySet<string> = new Set([
  'configMaps',
  'cronJobs',
  'customResourceDefinitions',
  'daemonSets',
  'deployments',
  'endpointSlices',
  'events',
  'horizontalPodAutoscalers',
  'ingresses',
  'jobs',
  'leases',
  'namespaces',
  'networkPolicies',
  'nodes',
  'persistentVolumeClaims',
  'persistentVolumes',
  'pods',
  'replicaSets',
  'roleBindings',
  'roles',
  'secrets',
  'serviceAccounts',
  'services',
  'statefulSets',
  'storageClasses',
]);

/** The kinds whose names are globals of the DOM. `npm run shape` finds others. */
const globalsOfDom: ReadonlySet<string> = new Set(['Event', 'Node']);

/**
 * Names every kind.
 *
 * 1. The descriptor is the plural of the URL in the kind's camel case: `configMaps`,
 *    `endpointSlices`, `csiDrivers`, `serviceCIDRs`. The type is the kind: `ConfigMap`. A
 *    kind that is a global of the DOM gets a prefix: `KubernetesNode`, `KubernetesEvent`.
 * 2. The highest version of a kind has the plain name. Every other version has its version in the
 *    name: `horizontalPodAutoscalersV1`.
 * 3. If two groups have a kind with the same name (`Event`), the kind of the core group has the
 *    plain name. The other kind has its name in client-node, with group and version:
 *    `eventsV1Events`, `EventsV1Event`.
 */
export function nameKinds(kinds: readonly ClientNodeKind[]): readonly NamedKind[] {
  const named = kinds.map((kind): Omit<NamedKind, 'isEveryday'> => {
    const plural = camelCasePlural(kind);
    if (kind.group !== '' && kinds.some((other) => other.kind === kind.kind && other.group === '')) {
      const prefix = pascalCase(kind.group.split('.')[0] ?? '') + pascalCase(kind.version);
      return { ...kind, descriptor: camelCase(prefix) + pascalCase(plural), alias: prefix + kind.kind };
    }
    const versions = kinds.filter((other) => other.kind === kind.kind && other.group === kind.group);
    const suffix = kind.version === highest(versions) ? '' : pascalCase(kind.version);
    return {
      ...kind,
      descriptor: plural + suffix,
      alias: (globalsOfDom.has(kind.kind) ? 'Kubernetes' : '') + kind.kind + suffix,
    };
  });
  refuseDuplicates(named.map(({ descriptor }) => descriptor));
  refuseDuplicates(named.map(({ alias }) => alias));
  const missing = [...everyday].filter((name) => !named.some(({ descriptor }) => descriptor === name));
  if (missing.length > 0) throw new Error(`client-node has no ${missing.join(', ')}, which the root exports`);
  return named.map((kind) => ({ ...kind, isEveryday: everyday.has(kind.descriptor) }));
}

function refuseDuplicates(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two kinds would be called ${twice}; the naming rules need another one`);
}

/**
 * Returns the plural in camel case: `csiStorageCapacities` for `CSIStorageCapacity` and
 * `csistoragecapacities`.
 */
function camelCasePlural({ kind, plural }: ClientNodeKind): string {
  const singular = camelCase(kind);
  const candidates = [singular, `${singular}s`, `${singular}es`, `${singular.replace(/y$/, '')}ies`];
  const found = candidates.find((candidate) => candidate.toLowerCase() === plural);
  if (found === undefined) throw new Error(`${plural} is no plural of ${kind} that this script knows`);
  return found;
}

function highest(versions: readonly ClientNodeKind[]): string | undefined {
  return versions.map(({ version }) => version).sort((a, b) => Number(b.slice(1)) - Number(a.slice(1)))[0];
}

/**
 * Returns the name with its first letters in lower case. An acronym at the beginning becomes lower
 * case as a whole: `APIService` is `apiService`, `IPAddress` is `ipAddress`.
 */
function camelCase(name: string): string {
  return name.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]+/, (capitals) => capitals.toLowerCase());
}

function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
