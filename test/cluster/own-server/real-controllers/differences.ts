import { keyOf, objectsOf, ownersOf, podIs, type Answers, type OwnedObject, type PodCounts } from './answers.js';
import { addressLine, noPort, portText, type Addresses } from './endpoint-rules.js';
import type { BetaSlice, ServerState } from './state.js';

/** One statement that only one of the two sides makes. */
export interface Difference {
  readonly about: 'endpoints' | 'slices' | 'owner' | 'count' | 'kubectl';
  /** The object, for example `Service a/web`. */
  readonly of: string;
  readonly statedBy: 'server' | 'library';
  readonly statement: string;
}

/** Why a difference is expected. */
export type Reason =
  | 'the Endpoints of a removed selector stay'
  | 'the slices of a removed selector stay'
  | 'the mirrored slice stays when a selector returns'
  | 'a slice keeps a pod that has ended, which the Endpoints no longer have'
  | 'an ended Job counts pods that were deleted'
  | 'a StatefulSet whose pod was released waits for its name, and its status stays';

/** Returns what the server's controllers wrote and the library does not answer, and vice versa. */
export function differencesOf(answers: Answers, server: ServerState): readonly Difference[] {
  return [
    ...addressDifferences(answers, server),
    ...ownerDifferences(answers, server),
    ...countDifferences(answers, server),
  ];
}

/** Returns how many statements of the server are compared, by topic. */
export function comparedNumbers(server: ServerState): Readonly<Record<string, number>> {
  return {
    'addresses in Endpoints': server.endpoints.flatMap((each) => linesOfEndpoints(server, keyOf(each))).length,
    'addresses in EndpointSlices': server.slices.flatMap(linesOfSlice).length,
    'owner references': ownersOf(server).parents.size,
    'objects with counts': objectsOf(server).length - server.pods.length,
  };
}

/** Returns the reason for a difference that is expected, or undefined. */
export function reasonFor(difference: Difference, server: ServerState): Reason | undefined {
  const { about, of, statedBy, statement } = difference;
  if (statedBy === 'library' && about !== 'count') return undefined;
  const service = server.services.find((each) => `Service ${keyOf(each)}` === of);
  if (about === 'endpoints' || about === 'slices') {
    if (service === undefined) return undefined;
    if (Object.keys(service.spec?.selector ?? {}).length === 0)
      return about === 'endpoints'
        ? 'the Endpoints of a removed selector stay'
        : 'the slices of a removed selector stay';
    const mirrored = slicesOf(server, keyOf(service)).filter(isMirrored);
    if (about === 'slices' && mirrored.flatMap(linesOfSlice).includes(statement))
      return 'the mirrored slice stays when a selector returns';
    if (about === 'slices' && isOfEndedPod(statement, keyOf(service), server))
      return 'a slice keeps a pod that has ended, which the Endpoints no longer have';
  }
  const statefulSet = server.statefulSets.find((each) => `StatefulSet ${keyOf(each)}` === of);
  if (about === 'count' && statefulSet !== undefined && lacksName(statefulSet, server))
    return 'a StatefulSet whose pod was released waits for its name, and its status stays';
  const job = about === 'count' ? server.jobs.find((each) => `Job ${keyOf(each)}` === of) : undefined;
  return job !== undefined && countsDeletedPods(job, statement.split(' ')[0] as keyof PodCounts, server)
    ? 'an ended Job counts pods that were deleted'
    : undefined;
}

function countsDeletedPods(
  { metadata, status }: ServerState['jobs'][number],
  name: keyof PodCounts,
  { pods }: ServerState,
): boolean {
  const hasEnded = status?.conditions?.some((each) => each.type !== 'Suspended' && each.status === 'True') === true;
  if (!hasEnded || (name !== 'succeeded' && name !== 'failed')) return false;
  const left = pods.filter((pod) => podIs[name](pod) && ownedBy(pod, metadata.uid));
  return left.length < (status[name] ?? 0);
}

/** Returns true if the pod of an address has ended, and the Endpoints of the Service lack it. */
function isOfEndedPod(address: string, service: string, server: ServerState): boolean {
  const [, name] = address.split(' ');
  const [namespace] = service.split('/');
  const pod = server.pods.find((each) => keyOf(each) === `${namespace}/${name}`);
  const hasEnded = pod !== undefined && (podIs.succeeded(pod) || podIs.failed(pod));
  return hasEnded && !linesOfEndpoints(server, service).some((line) => line.split(' ')[1] === name);
}

/** Returns true if a pod that the StatefulSet does not own has the name of one of its pods. */
function lacksName({ metadata, spec }: ServerState['statefulSets'][number], { pods }: ServerState): boolean {
  return Array.from(
    { length: spec?.replicas ?? 1 },
    (_, index) => `${metadata.namespace}/${metadata.name}-${index}`,
  ).some((key) => pods.some((pod) => keyOf(pod) === key && !ownedBy(pod, metadata.uid)));
}

function ownedBy({ metadata }: OwnedObject, uid: string): boolean {
  return metadata.ownerReferences?.some((reference) => reference.uid === uid) === true;
}

function addressDifferences({ addresses }: Answers, server: ServerState): readonly Difference[] {
  const services = new Set([...addresses.keys(), ...server.services.map(keyOf), ...server.endpoints.map(keyOf)]);
  for (const slice of server.slices) services.add(serviceOf(slice));
  return [...services].flatMap((key) => {
    const { endpoints, slices } = addresses.get(key) ?? ({ endpoints: [], slices: [] } satisfies Addresses);
    const slicesOfService = slicesOf(server, key);
    // An address may be in several slices of a controller for a while, so it counts once.
    const own = new Set(slicesOfService.filter((slice) => !isMirrored(slice)).flatMap(linesOfSlice));
    const real = [...own, ...slicesOfService.filter(isMirrored).flatMap(linesOfSlice)];
    return [
      ...compare('endpoints', `Service ${key}`, endpoints, linesOfEndpoints(server, key)),
      ...compare('slices', `Service ${key}`, slices, real),
    ];
  });
}

function linesOfEndpoints(server: ServerState, key: string): readonly string[] {
  const { subsets = [] } = server.endpoints.find((each) => keyOf(each) === key) ?? {};
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const texts = ports.length === 0 ? [noPort] : ports.map(portText);
    const lines = (list: typeof addresses, state: 'ready' | 'not ready') =>
      list.flatMap(({ ip, nodeName, targetRef }) =>
        texts.map((port) => addressLine(ip, targetRef?.name, nodeName, port, state)),
      );
    return [...lines(addresses, 'ready'), ...lines(notReadyAddresses, 'not ready')];
  });
}

function linesOfSlice({ endpoints, ports }: BetaSlice): readonly string[] {
  const texts = (ports ?? []).length === 0 ? [noPort] : (ports ?? []).map(portText);
  return (endpoints ?? []).flatMap(({ addresses, conditions, targetRef, topology = {} }) =>
    texts.map((port) =>
      addressLine(
        addresses[0],
        targetRef?.name,
        topology['kubernetes.io/hostname'],
        port,
        conditions?.ready === false ? 'not ready' : 'ready',
      ),
    ),
  );
}

function slicesOf({ slices }: ServerState, service: string): readonly BetaSlice[] {
  return slices.filter((slice) => serviceOf(slice) === service);
}

function serviceOf({ metadata }: BetaSlice): string {
  return `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}`;
}

function isMirrored({ metadata }: BetaSlice): boolean {
  return metadata.labels?.['endpointslice.kubernetes.io/managed-by']?.startsWith('endpointslicemirroring') === true;
}

function ownerDifferences({ owners }: Answers, server: ServerState): readonly Difference[] {
  const real = ownersOf(server).owners;
  return [...new Set([...owners.keys(), ...real.keys()])].flatMap((uid) =>
    compare('owner', `uid ${uid}`, listed(owners.get(uid)), listed(real.get(uid))),
  );
}

/** Compares the pods below each object with the numbers in its status. */
function countDifferences({ counts }: Answers, server: ServerState): readonly Difference[] {
  const differences = (kind: string, object: OwnedObject, stated: Partial<PodCounts>): readonly Difference[] => {
    const known = counts.get(object.metadata.uid);
    const names = Object.keys(stated) as (keyof PodCounts)[];
    return names.flatMap((name) =>
      compare('count', `${kind} ${keyOf(object)}`, [`${name} ${known?.[name] ?? 0}`], [`${name} ${stated[name]}`]),
    );
  };
  const replicas = { replicas: 0, readyReplicas: 0 };
  return [
    ...[...server.deployments, ...server.replicaSets, ...server.statefulSets].flatMap((object) => {
      const { replicas: active = 0, readyReplicas: ready = 0 } = object.status ?? replicas;
      return differences(object.kind, object, { active, ready });
    }),
    ...server.daemonSets.flatMap((object) =>
      differences('DaemonSet', object, {
        active: object.status?.currentNumberScheduled ?? 0,
        ready: object.status?.numberReady ?? 0,
      }),
    ),
    ...server.jobs.flatMap((object) => {
      const { active = 0, succeeded = 0, failed = 0 } = object.status ?? {};
      return differences('Job', object, { active, succeeded, failed });
    }),
  ];
}

function listed(value: string | undefined): readonly string[] {
  return value === undefined ? [] : [value];
}

/** Compares two lists of statements about one object. The number of equal statements counts. */
export function compare(
  about: Difference['about'],
  of: string,
  library: readonly string[],
  server: readonly string[],
): readonly Difference[] {
  return [
    ...without(library, server).map((statement) => ({ about, of, statedBy: 'library' as const, statement })),
    ...without(server, library).map((statement) => ({ about, of, statedBy: 'server' as const, statement })),
  ];
}

function without(statements: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return statements.filter((statement) => {
    const index = left.indexOf(statement);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
