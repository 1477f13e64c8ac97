import type { Controllers } from './controllers.js';
import type { Ground } from './ground.js';
import type { DemoNode } from './nodes.js';
import { keyOf } from './objects.js';
import type { Script } from './pod-scripts.js';

/** Makes one node after another lost or under pressure for a while. */
export class NodeTroubles {
  constructor(
    private readonly ground: Ground,
    private readonly controllers: Controllers,
  ) {}

  *happen(): Script {
    for (;;) {
      // Prefers spot machines, because a provider may remove them, and because they have few pods.
      const spot = this.ground.nodes.filter(({ pool }) => pool === 'spot');
      const node = this.ground.pick(spot.length > 0 ? spot : this.ground.nodes);
      this.#fail(node);
      yield this.ground.between(90, 150);
      this.#recover(node);
      yield this.ground.between(20, 60);
      const pressed = this.ground.pick(this.ground.nodes);
      pressed.pressure = this.ground.random() < 0.5 ? 'MemoryPressure' : 'DiskPressure';
      pressed.since = this.ground.now();
      this.ground.writeNode(pressed);
      yield this.ground.between(40, 90);
      pressed.pressure = undefined;
      this.ground.writeNode(pressed);
      yield this.ground.between(60, 180);
    }
  }

  #fail(node: DemoNode): void {
    node.is = 'lost';
    node.since = this.ground.now();
    this.ground.writeNode(node);
    this.ground.record(nodeReference(node), 'Warning', 'NodeNotReady', `Node ${node.name} status is now: NodeNotReady`);
    this.#onNode(node, {
      nodeAnswers: false,
      reason: 'NodeLost',
      message: `Node ${node.name} which was running pod is unresponsive`,
    });
  }

  #recover(node: DemoNode): void {
    node.is = 'ready';
    node.since = this.ground.now();
    this.ground.writeNode(node);
    this.ground.record(nodeReference(node), 'Normal', 'NodeReady', `Node ${node.name} status is now: NodeReady`);
    this.#onNode(node, { nodeAnswers: true, reason: undefined, message: undefined });
  }

  #onNode(
    node: DemoNode,
    change: { nodeAnswers: boolean; reason: string | undefined; message: string | undefined },
  ): void {
    for (const workload of this.controllers.workloads) {
      for (const set of workload.sets) {
        for (const handle of set.pods.values()) {
          if (handle.pod.node !== node.name || handle.isLeaving) continue;
          this.ground.later(`lost/${keyOf(handle.pod)}`, () => {
            const { reason: _reason, message: _message, ...pod } = handle.pod;
            const { nodeAnswers, reason, message } = change;
            handle.pod = { ...pod, nodeAnswers };
            this.ground.write(handle, { ...(reason && { reason }), ...(message && { message }) });
          });
        }
      }
    }
  }
}

function nodeReference({ name }: DemoNode) {
  return { apiVersion: 'v1', kind: 'Node', name, namespace: 'default', uid: name };
}
