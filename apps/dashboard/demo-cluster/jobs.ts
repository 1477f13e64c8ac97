import type { App } from './apps.js';
import type { Ground } from './ground.js';
import { imageOf, keyOf, type DemoPod } from './objects.js';
import { comesUp, ended, type Script } from './pod-scripts.js';
import { jobObject, type PodHandle } from './workloads.js';

const minute = 60_000;

/** The Jobs of the demo. They run, complete or fail, and are removed. */
export class Jobs {
  constructor(
    private readonly ground: Ground,
    /** Pods that do not belong to a workload, by key. */
    private readonly others: Map<string, PodHandle>,
  ) {}

  /** Starts a Job about every minute. Keeps the last two Jobs of each app. */
  *cron(app: App): Script {
    const kept: string[] = [];
    for (let count = 0; ; count += 1) {
      const name = `${app.name}-${29_000_000 + Math.floor(this.ground.now() / minute)}${count % 10}`;
      kept.push(name);
      yield* this.#job(app, name, this.ground.random() < 0.25);
      for (const old of kept.splice(0, kept.length - 2)) this.#removeJob(app, old);
      yield this.ground.between(30, 120);
    }
  }

  *#job(app: App, name: string, fails: boolean): Script {
    const createdAt = this.ground.now();
    const [stored] = this.ground.apply(jobObject(app, { name, createdAt, failures: 0 }));
    const owner = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      name,
      uid: stored?.metadata.uid ?? '',
      labels: { 'job-name': name },
    };
    for (let failures = 0; failures < 2; failures += 1) {
      const podName = `${name}-${this.ground.suffix(5)}`;
      const pod: DemoPod = {
        app,
        owner,
        name: podName,
        image: imageOf(app),
        createdAt: this.ground.now(),
        phase: 'Pending',
        init: [],
        containers: [],
      };
      const handle: PodHandle = { pod, isLeaving: false };
      this.others.set(keyOf(pod), handle);
      this.ground.applyPod(handle);
      yield* comesUp(this.ground, handle);
      yield this.ground.between(5, 20);
      const [reason, exitCode, phase] = fails
        ? (['Error', 1, 'Failed'] as const)
        : (['Completed', 0, 'Succeeded'] as const);
      const containers = handle.pod.containers.map((state) => ({
        ...ended(state, this.ground.now(), reason, exitCode),
        ready: false,
      }));
      if (!this.ground.write(handle, { phase, containers })) return;
      handle.isLeaving = true;
      yield this.ground.between(1, 3);
      if (!fails) {
        this.ground.apply(jobObject(app, { name, createdAt, failures, endedAt: this.ground.now() }));
        return;
      }
    }
    this.ground.apply(jobObject(app, { name, createdAt, failures: 2, endedAt: this.ground.now(), hasFailed: true }));
  }

  #removeJob({ namespace }: App, name: string): void {
    for (const [key, { pod }] of this.others) {
      if (pod.owner.name !== name || pod.app.namespace !== namespace) continue;
      this.ground.remove('', 'pods', pod.name, namespace);
      this.others.delete(key);
    }
    this.ground.remove('batch', 'jobs', name, namespace);
  }
}
