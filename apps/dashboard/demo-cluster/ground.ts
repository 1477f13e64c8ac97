import { pods as podResource } from 'rx-informers';
import type { InMemoryApiServer } from 'rx-informers/testing';
import { Agenda } from './agenda.js';
import { EventLog, type Involved } from './event-log.js';
import { makeNodes, nodeObject, type DemoNode } from './nodes.js';
import { isReady, podObject, type DemoPod, type Json } from './objects.js';
import type { PodStage, Script } from './pod-scripts.js';
import type { PodHandle } from './workloads.js';

/** The part of an API server that the demo needs. */
export type DemoServer = Pick<InMemoryApiServer, 'apply' | 'remove' | 'objects' | 'requests$'>;

interface Clock {
  now(): number;
}

/**
 * The common base of the demo: the server, the clock, randomness, the nodes, and the agenda of
 * scripts.
 */
export class Ground implements PodStage {
  readonly nodes: readonly DemoNode[];
  /** The names of the nodes that the user cordoned. */
  readonly cordoned = new Set<string>();
  /** Called after a write that made a pod ready, or not ready. */
  onReadiness?: (pod: DemoPod) => void;
  readonly #agenda = new Agenda();
  /** Writes that follow from other writes, by key. A key that is added twice is written once. */
  readonly #followUps = new Map<string, () => void>();
  readonly #events: EventLog;
  #written = 0;
  #addresses = 0;

  constructor(
    readonly server: DemoServer,
    readonly random: () => number,
    private readonly clock: Clock,
    nodes: number,
  ) {
    this.nodes = makeNodes(nodes, (length) => this.suffix(length), clock.now());
    this.#events = new EventLog(
      (event) => this.apply(event),
      (name, namespace) => {
        server.remove({ group: '', plural: 'events' }, name, namespace);
      },
    );
  }

  /** The number of writes so far. */
  get written(): number {
    return this.#written;
  }

  // ---- the stage of pods

  now(): number {
    return this.clock.now();
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  write(handle: PodHandle, change: Partial<DemoPod>): boolean {
    if (handle.isLeaving) return false;
    const wasReady = isReady(handle.pod);
    handle.pod = { ...handle.pod, ...change };
    this.applyPod(handle);
    if (wasReady !== isReady(handle.pod)) this.onReadiness?.(handle.pod);
    return true;
  }

  event({ pod }: PodHandle, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const involved = { apiVersion: 'v1', kind: 'Pod', name: pod.name, namespace: pod.app.namespace };
    const uid = this.server.objects.get(podResource, pod.name, pod.app.namespace)?.metadata.uid ?? '';
    this.later(`event/${pod.app.namespace}/${pod.name}/${reason}`, () => {
      this.record({ ...involved, uid }, type, reason, message);
    });
  }

  schedule({ pod }: PodHandle): string {
    const open = this.nodes.filter(({ name, is }) => is === 'ready' && !this.cordoned.has(name));
    const calm = open.filter(({ pool }) => pool !== 'spot' || pod.app.component === 'worker');
    return this.pick(calm.length > 0 ? calm : open.length > 0 ? open : this.nodes).name;
  }

  address(): string {
    const count = (this.#addresses += 1);
    return `10.${8 + ((count >> 14) & 63)}.${(count >> 7) & 127}.${1 + (count & 127)}`;
  }

  // ---- what is to happen

  start(inSeconds: number, script: Script): void {
    this.#agenda.add(this.clock.now() + inSeconds * 1000, script);
  }

  advance(script: Script): void {
    const { value, done } = script.next();
    if (done !== true) this.#agenda.add(this.clock.now() + value * 1000, script);
  }

  /** Runs the next step of a due script. Returns false if no script is due. */
  continue(): boolean {
    const script = this.#agenda.takeDue(this.clock.now());
    if (script) this.advance(script);
    return script !== undefined;
  }

  /** Schedules a write that follows from other writes. Each key is written once. */
  later(key: string, action: () => void): void {
    this.#followUps.set(key, action);
  }

  get waiting(): number {
    return this.#followUps.size;
  }

  followUp(): void {
    const [next] = this.#followUps;
    if (next === undefined) return;
    this.#followUps.delete(next[0]);
    next[1]();
  }

  // ---- writing

  apply(...objects: readonly Json[]) {
    this.#written += objects.length;
    return this.server.apply(objects, { keepMetadata: true });
  }

  remove(group: string, plural: string, name: string, namespace: string): void {
    this.#written += 1;
    this.server.remove({ group, plural }, name, namespace);
  }

  record(involved: Involved, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#events.record(involved, type, reason, message, this.clock.now());
  }

  writeNode(node: DemoNode): void {
    this.apply(nodeObject(node, this.cordoned.has(node.name), this.clock.now()));
  }

  applyPod({ pod }: PodHandle): void {
    this.apply(podObject(pod, this.clock.now()));
  }

  isStored({ pod }: PodHandle): boolean {
    return this.server.objects.get(podResource, pod.name, pod.app.namespace) !== undefined;
  }

  // ---- chance

  suffix(length: number): string {
    return Array.from({ length }, () => this.pick(alphabet)).join('');
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.random() * items.length)] as T;
  }
}

const alphabet = Array.from('bcdfghjklmnpqrstvwxz2456789');
