import type { MessagePortLike } from 'rx-informers/shared-worker';
import { Subject } from 'rxjs';

/** A port that records messages. The test can hold back their delivery. */
export interface TestPort extends MessagePortLike {
  /** All messages that were sent to the other side. */
  readonly sent: readonly { readonly type: string; readonly text?: string }[];
  readonly isClosed: boolean;
}

export interface TestChannel {
  readonly page: TestPort;
  readonly worker: TestPort;
  /**
   * Holds back the messages of the worker, as a busy page does. `now`: all messages after this
   * call. `objects`: all messages from the first objects on.
   */
  hold(from?: 'now' | 'objects'): void;
  /**
   * Delivers the messages that were held back. From then on, messages are delivered immediately.
   */
  release(): void;
  /** Delivers one message that was held back, as a slow page takes it. */
  deliverOne(): void;
  /** Stops delivery in both directions, as if one side had crashed. */
  cut(): void;
}

/**
 * Returns two connected ports that deliver within `postMessage`. They clone messages, like a real
 * port.
 */
export function testChannel(): TestChannel {
  let isCut = false;
  let stored: unknown[] | undefined;
  let holdsObjects = false;
  const page = new Port((message) => {
    if (!isCut) worker.deliver(message);
  });
  const worker = new Port((message) => {
    if (isCut) return;
    if (holdsObjects && (message as { readonly type: string }).type === 'part') stored ??= [];
    if (stored === undefined) page.deliver(message);
    else stored.push(message);
  });
  return {
    page,
    worker,
    hold: (from = 'now') => {
      if (from === 'now') stored ??= [];
      else holdsObjects = true;
    },
    release: () => {
      holdsObjects = false;
      // Messages that are sent during a delivery are delivered after it.
      for (let message = stored?.shift(); message !== undefined; message = stored?.shift()) page.deliver(message);
      stored = undefined;
    },
    deliverOne: () => {
      const message = stored?.shift();
      if (message !== undefined) page.deliver(message);
    },
    cut: () => {
      isCut = true;
    },
  };
}

class Port implements TestPort {
  readonly sent: { readonly type: string; readonly text?: string }[] = [];
  isClosed = false;
  readonly #messages = new Subject<object>();
  /** The messages before `start()`. */
  #early: unknown[] | undefined = [];

  constructor(private readonly send: (message: unknown) => void) {}

  postMessage(message: unknown): void {
    if (this.isClosed) return;
    this.sent.push(message as { readonly type: string });
    this.send(structuredClone(message));
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    if (type === 'message') this.#messages.subscribe(listener);
  }

  start(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const data of early) this.deliver(data);
  }

  close(): void {
    this.isClosed = true;
  }

  deliver(data: unknown): void {
    if (this.#early) this.#early.push(data);
    else if (!this.isClosed) this.#messages.next({ data });
  }
}
