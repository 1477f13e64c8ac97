import { nodes as nodeResource, type KubernetesNode } from 'rx-informers';
import { filter, Subscription } from 'rxjs';
import { appsFor, jobApps, nodeApps, troubledApps } from './apps.js';
import { Controllers } from './controllers.js';
import { customObjects, definition, settings } from './extras.js';
import { Ground, type DemoServer } from './ground.js';
import { Jobs } from './jobs.js';
import { NodeTroubles } from './node-troubles.js';
import { imageOf, keyOf, type DemoPod } from './objects.js';
import { restarts, type Script } from './pod-scripts.js';
import type { PodHandle, Workload } from './workloads.js';

export interface DemoSize {
  readonly nodes: number;
  readonly pods: number;
  /**
   * Changes per second. If the rate is higher than a cluster of this size would have, everything
   * happens faster.
   */
  readonly rate: number;
}

interface Clock {
  now(): number;
}

const minute = 60_000;
const hour = 60 * minute;

/**
 * Simulates a realistic cluster. Its workloads have controllers that follow their specs, and the
 * user may change the specs too (scale, restart, delete, cordon). Some of its pods have typical
 * trouble.
 *
 * `step` makes one change. Scripts determine what changes and when: each script yields the seconds
 * until its next step.
 */
export class DemoCluster {
  readonly #ground: Ground;
  readonly #controllers: Controllers;
  readonly #jobs: Jobs;
  /** Pods that do not belong to a workload: evicted pods, and pods of Jobs. */
  readonly #others = new Map<string, PodHandle>();
  readonly #watching = new Subscription();
  /** Whether another client has written something. */
  #isTouched = false;

  constructor(
    server: DemoServer,
    private readonly size: DemoSize,
    random: () => number,
    clock: Clock,
  ) {
    this.#ground = new Ground(server, random, clock, Math.max(1, size.nodes));
    this.#controllers = new Controllers(this.#ground);
    this.#jobs = new Jobs(this.#ground, this.#others);
    this.#watching.add(
      server.requests$.pipe(filter(({ method }) => method !== 'GET' && method !== 'HEAD')).subscribe(() => {
        this.#isTouched = true;
      }),
    );
  }

  /** Stops watching the server. */
  close(): void {
    this.#watching.unsubscribe();
  }

  seed(): void {
    const { nodes, pods } = this.size;
    for (const node of this.#ground.nodes) this.#ground.writeNode(node);
    this.#ground.apply(definition);
    const troubled = troubledApps.slice(0, Math.floor(pods / 8));
    const onNodes = nodeApps.slice(0, Math.floor(pods / (4 * nodes)));
    const troubledPods = troubled.reduce((sum, { weight }) => sum + weight, 0);
    const rest = Math.max(1, pods - troubledPods - onNodes.length * nodes);
    const healthy = appsFor(pods).slice(0, rest);
    const weights = healthy.reduce((sum, { weight }) => sum + weight, 0);
    for (const app of onNodes) this.#controllers.seedWorkload(app, nodes);
    for (const app of troubled) this.#controllers.seedWorkload(app, app.weight);
    for (const app of healthy)
      this.#controllers.seedWorkload(app, Math.max(1, Math.round((app.weight / weights) * rest)));
    for (const workload of this.#controllers.workloads) this.#leftovers(workload);
    this.#ground.apply(...customObjects(this.#ground.now()), ...settings(this.#ground.now()));
    for (const app of jobApps.slice(0, Math.floor(pods / 30)))
      this.#ground.start(this.#ground.between(1, 20), this.#jobs.cron(app));
    const pace = Math.max(1, this.size.rate / (pods * 0.04));
    this.#ground.start(
      5,
      this.#churns(1500 / pods / pace, (handle, set) => this.#controllers.replace(handle, set)),
    );
    this.#ground.start(
      2,
      this.#churns(6000 / pods / pace, (handle) => this.#ground.start(0, restarts(this.#ground, handle))),
    );
    this.#ground.start(8, this.#deploys(pace));
    if (this.#ground.nodes.length > 2)
      this.#ground.start(0, new NodeTroubles(this.#ground, this.#controllers).happen());
    while (this.#ground.waiting > 0) this.#ground.followUp();
  }

  /** Adds the remaining pods of a workload: an evicted one, or one that cannot be deleted. */
  #leftovers(workload: Workload): void {
    const now = this.#ground.now();
    const [set] = workload.sets;
    const [model] = set?.pods.values() ?? [];
    if (set === undefined || model === undefined) return;
    const other = (change: Partial<DemoPod>): void => {
      const { node, ip, ...pod } = this.#controllers.newPod(workload, set, now - 3 * hour);
      const handle = {
        pod: { ...model.pod, ...pod, ...(node && { node }), ...(ip && { ip }), ...change },
        isLeaving: true,
      };
      this.#others.set(keyOf(handle.pod), handle);
      this.#ground.applyPod(handle);
    };
    if (workload.app.trouble === 'evicted') {
      const message = 'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 8Gi.';
      other({ phase: 'Failed', reason: 'Evicted', message, init: [], containers: [] });
    }
    if (workload.app.trouble === 'stuck-terminating') {
      other({ deletedAt: now - 11 * minute, finalizer: 'example.com/drain-queue' });
    }
  }

  /** Makes one change: a consequence of an earlier change, a due script, or something new. */
  step(): void {
    const before = this.#ground.written;
    if (this.#isTouched) this.#lookAround();
    for (let tries = 0; tries < 20 && this.#ground.written === before; tries += 1) {
      if (this.#ground.waiting > 100 || this.#ground.random() < 0.35) this.#ground.followUp();
      else this.#continue();
    }
    if (this.#ground.written === before) this.#ground.writeNode(this.#ground.pick(this.#ground.nodes));
  }

  #continue(): void {
    const ground = this.#ground;
    if (ground.continue()) return;
    const isCalm = this.size.rate < this.size.pods * 0.1;
    if (ground.waiting > 0) ground.followUp();
    else if (isCalm || ground.random() < 0.2) ground.writeNode(ground.pick(ground.nodes));
    else this.#disturb();
  }

  /**
   * Makes an additional change, for a rate above that of a normal cluster of this size. The change
   * is most often a probe, which has no other effect.
   */
  #disturb(): void {
    const found = this.#controllers.anyPod();
    if (found === undefined) return;
    const chance = this.#ground.random();
    if (chance < 0.7) this.#ground.write(found.handle, { probedAt: this.#ground.now() });
    else if (chance < 0.85) this.#ground.advance(restarts(this.#ground, found.handle));
    else this.#controllers.replace(found.handle, found.workload);
  }

  *#churns(seconds: number, change: (handle: PodHandle, workload: Workload) => void): Script {
    for (;;) {
      yield -Math.log(1 - this.#ground.random()) * seconds;
      const found = this.#controllers.anyPod();
      if (found) change(found.handle, found.workload);
    }
  }

  /**
   * Rolls out a new version of an app from time to time. One version in five is broken and rolled
   * back.
   */
  *#deploys(pace: number): Script {
    for (;;) {
      const candidates = this.#controllers.workloads.filter(
        ({ app, isMoving }) => app.kind === 'Deployment' && !app.trouble && !isMoving,
      );
      const isBusy =
        this.#controllers.workloads.length - candidates.length > 6 + this.#controllers.workloads.length / 3;
      if (candidates.length > 0 && !isBusy) {
        const workload = this.#ground.pick(candidates);
        const version = nextVersion(workload.sets[0]?.image ?? imageOf(workload.app));
        this.#controllers.rollOut(workload, version, {
          writer: 'argocd-controller',
          isBroken: this.#ground.random() < 0.2,
        });
      }
      yield this.#ground.between(30, 90) / pace;
    }
  }

  /** Reads the stored objects, and follows the changes of other clients. */
  #lookAround(): void {
    this.#isTouched = false;
    for (const node of this.#ground.server.objects.list<KubernetesNode>(nodeResource)) {
      if (node.spec?.unschedulable === true) this.#ground.cordoned.add(node.metadata.name);
      else this.#ground.cordoned.delete(node.metadata.name);
    }
    for (const workload of [...this.#controllers.workloads]) this.#controllers.follow(workload);
    for (const [key, handle] of this.#others) if (!this.#ground.isStored(handle)) this.#others.delete(key);
  }
}

/** Returns the next patch version of an image: `…:2.9.1` after `…:2.9.0`. */
function nextVersion(image: string): string {
  return image.replace(/(\d+)(-\w+)?$/, (_, patch: string) => String(Number(patch) + 1));
}
