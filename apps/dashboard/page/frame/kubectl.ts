import { formatLabelSelector, parseLabelSelector } from 'rx-informers/resources';
import type { Opened, PageAddress } from '../address/page-address.js';
import type { ClusterInfo } from '../cluster/cluster-info.js';
import { labelPrefix, splitWorkload } from '../pods/pod-filter.js';
import { plainText, singularOf } from '../text/text.js';
import { typedOf } from '../text/typed.js';

/** A command for a shell. */
export interface KubectlCommand {
  readonly text: string;
  /** The parts of the screen that the command cannot express: `status`, `words`. */
  readonly omitted: readonly string[];
}

/** The facts about the cluster that a command needs. */
type Cluster = Pick<ClusterInfo, 'context' | 'demo' | 'forcedNamespace'>;

/**
 * Returns the kubectl command that prints what the page shows: the opened object, its log or its
 * Events, or otherwise the objects of the view. Each word is quoted for a POSIX shell.
 *
 * **Does not guarantee**: the time. The command prints the present, also if the page shows the past.
 */
export function kubectlCommand(address: PageAddress, cluster: Cluster): KubectlCommand {
  const { words, omitted } = address.opened ? ofObject(address.opened, address) : ofView(address, cluster);
  const context = address.context ?? (cluster.demo ? undefined : cluster.context);
  const all = ['kubectl', ...(context === undefined ? [] : ['--context', context]), ...words];
  return { text: all.map(quoted).join(' '), omitted };
}

interface Words {
  readonly words: readonly string[];
  readonly omitted: readonly string[];
}

/** Quotes a word for a POSIX shell. Escapes control characters, which a terminal would act on. */
export function quoted(word: string): string {
  const plain = plainText(word, Infinity);
  return /^[\w./:=,@%+-]+$/.test(plain) ? plain : `'${plain.replaceAll("'", "'\\''")}'`;
}

/** kubectl follows five logs at once, unless this option is set. */
const severalLogs = '--max-log-requests=50';
const allPods: readonly string[] = ['--all-pods=true', severalLogs];

/** Kinds whose logs `kubectl logs` reads from all of their pods. */
const withLogs: ReadonlySet<string> = new Set(['deployment', 'replicaset', 'statefulset', 'daemonset', 'job']);

function ofObject({ resource, key, tab }: Opened, { settings }: PageAddress): Words {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const type = typeOf(resource);
  const scope = slash === -1 ? [] : ['-n', key.slice(0, slash)];
  if (tab === 'logs' && (type === 'pod' || withLogs.has(type))) {
    const target = type === 'pod' ? [`pod/${name}`] : [`${type}/${name}`, ...allPods];
    return { words: [...scope, 'logs', ...target, ...logFlags(settings)], omitted: [] };
  }
  if (tab === 'events') return { words: [...scope, 'events', `--for=${type}/${name}`], omitted: [] };
  return { words: [...scope, 'get', ...named(type, name), '-o', 'yaml'], omitted: [] };
}

/** Returns the name of an object as arguments. kubectl would read a name with a dash as an option. */
function named(type: string, name: string): readonly string[] {
  return name.startsWith('-') ? [`${type}/${name}`] : [type, name];
}

/** Returns a resource as kubectl names it: `pod`, `databases.v1.data.example.com`. */
function typeOf(resource: string): string {
  const [plural = '', version = '', group = ''] = resource.split('/').reverse();
  if (group.includes('.')) return `${plural}.${version}.${group}`;
  return /^(endpoints|componentstatuses)$/.test(plural) ? plural : singularOf(resource);
}

function logFlags(settings: PageAddress['settings']): readonly string[] {
  const of = (name: string): string => settings[`logs.${name}`] ?? '';
  return [
    ...(of('container') === '' ? [] : ['-c', of('container')]),
    `--tail=${/^\d+$/.test(of('tail')) ? of('tail') : '500'}`,
    ...(of('times') === 'on' ? ['--timestamps'] : []),
    of('previous') === 'on' ? '--previous' : '-f',
  ];
}

function ofView(address: PageAddress, { forcedNamespace }: Cluster): Words {
  const { view, filter, kind, settings } = address;
  const { selector, nodes, omitted: ofFilter } = partsOf(filter);
  const [only, ...others] = filter.chosen['namespace'] ?? [];
  const namespace = others.length > 0 ? undefined : (only ?? address.namespace ?? forcedNamespace);
  const omitted = [...(others.length > 0 ? ['several namespaces'] : []), ...ofFilter];
  // `-A` is an option of the subcommand, `-n` is one of kubectl itself.
  const scope = namespace === undefined ? [] : ['-n', namespace];
  const every = namespace === undefined ? ['-A'] : [];
  const labels = selector === '' ? [] : ['-l', selector];
  const fields = nodes.length === 1 ? ['--field-selector', `spec.nodeName=${nodes[0] ?? ''}`] : [];
  const onlyPods = [...(fields.length > 0 ? ['node'] : []), ...omitted];
  switch (view) {
    case 'pods':
      return { words: [...scope, 'get', 'pods', ...every, ...labels, ...fields], omitted };
    case 'workloads': {
      const types = settings['workloads.show'] === 'services' ? 'services' : workloads;
      return { words: [...scope, 'get', types, ...every, ...labels], omitted: onlyPods };
    }
    case 'kinds':
      return { words: [...scope, 'get', typeOf(kind ?? 'v1/pods'), ...every, ...labels], omitted: onlyPods };
    case 'timeline':
      return { words: [...scope, 'events', ...every], omitted: [...(selector === '' ? [] : ['labels']), ...onlyPods] };
    case 'logs': {
      const target = logTarget(filter.chosen['owner'], selector);
      // kubectl reads the logs of one selector or workload, in one namespace.
      if (target === undefined)
        return { words: [...scope, 'get', 'pods', ...every, ...fields], omitted: ['logs', ...omitted] };
      const isOwner = target.namespace !== undefined;
      const within = target.namespace ?? namespace;
      return {
        words: [...(within === undefined ? [] : ['-n', within]), 'logs', ...target.words, ...logFlags(settings)],
        omitted: [
          ...(within === undefined ? ['other namespaces'] : []),
          ...onlyPods.filter((part) => !(isOwner && part === 'workload')),
        ],
      };
    }
  }
  return view satisfies never;
}

const workloads = 'deployments,replicasets,statefulsets,daemonsets,cronjobs,jobs';

function logTarget(
  owners: readonly string[] = [],
  selector: string,
): { readonly words: readonly string[]; readonly namespace?: string } | undefined {
  if (selector !== '') return { words: ['-l', selector, '--prefix', severalLogs] };
  const { kind, namespace, name } = splitWorkload(owners[0] ?? '');
  if (owners.length !== 1 || !withLogs.has(kind.toLowerCase())) return undefined;
  return { words: [`${kind.toLowerCase()}/${name}`, ...allPods], namespace };
}

interface FilterParts {
  readonly selector: string;
  readonly nodes: readonly string[];
  readonly omitted: readonly string[];
}

/** Returns the parts of a filter that kubectl can express, and the names of the others. */
function partsOf({ chosen, text }: PageAddress['filter']): FilterParts {
  const { words, selector = '' } = typedOf(text);
  const { namespace: _, node: nodes = [], ...facets } = chosen;
  const ofLabels = Object.entries(facets).flatMap(([facet, values]) =>
    facet.startsWith(labelPrefix) ? [{ key: facet.slice(labelPrefix.length), operator: 'In', values }] : [],
  );
  const rest = Object.keys(facets).filter((facet) => !facet.startsWith(labelPrefix));
  const omitted = [
    ...rest.map((facet) => (facet === 'owner' ? 'workload' : facet)),
    ...(nodes.length > 1 ? ['several nodes'] : []),
    ...(words.trim() === '' ? [] : ['words']),
  ];
  try {
    const matchExpressions = [...parseLabelSelector(selector), ...ofLabels];
    return { selector: formatLabelSelector({ matchExpressions }), nodes, omitted };
  } catch {
    // An address can name any label.
    return { selector, nodes, omitted: ['labels', ...omitted] };
  }
}
