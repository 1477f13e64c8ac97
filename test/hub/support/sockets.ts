import type { HubSocket } from 'rx-informers/hub';
import { Subject } from 'rxjs';

/** Two connected sockets that deliver within `send`, and record what was sent. */
export interface SocketPair {
  readonly page: TestSocket;
  readonly hub: TestSocket;
  /** Keeps the frames of the hub, as a busy page does. */
  hold(): void;
  /** Delivers the frames that were kept, and from then on every frame at once. */
  release(): void;
  /** Loses all later frames in both directions, and closes both sockets. */
  cut(): void;
}

export interface TestSocket extends HubSocket {
  readonly sent: readonly string[];
  readonly isClosed: boolean;
  bufferedAmount: number;
}

export function socketPair(): SocketPair {
  let kept: string[] | undefined;
  const page: Socket = new Socket(
    (text) => hub.deliver(text),
    () => hub.closed(),
  );
  const hub: Socket = new Socket(
    (text) => {
      if (kept === undefined) page.deliver(text);
      else kept.push(text);
    },
    () => page.closed(),
  );
  return {
    page,
    hub,
    hold: () => {
      kept ??= [];
    },
    release: () => {
      for (let text = kept?.shift(); text !== undefined; text = kept?.shift()) page.deliver(text);
      kept = undefined;
    },
    cut: () => {
      // Both sides are closed before either learns of it.
      const close = [page, hub].filter(({ isClosed }) => !isClosed);
      for (const each of close) each.isClosed = true;
      for (const each of close) each.emit({ type: 'close' });
    },
  };
}

class Socket implements TestSocket {
  readonly sent: string[] = [];
  isClosed = false;
  bufferedAmount = 0;
  readonly #events = new Subject<{ readonly type: string; readonly data?: unknown }>();

  constructor(
    private readonly sendTo: (text: string) => void,
    private readonly closeOther: () => void,
  ) {}

  send(text: string): void {
    if (this.isClosed) return;
    this.sent.push(text);
    this.sendTo(text);
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.closeOther();
  }

  addEventListener(type: string, listener: (event: object) => void): void {
    this.#events.subscribe((event) => {
      if (event.type === type) listener(event);
    });
  }

  emit(event: { readonly type: string; readonly data?: unknown }): void {
    this.#events.next(event);
  }

  deliver(data: unknown): void {
    if (!this.isClosed) this.emit({ type: 'message', data });
  }

  closed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.emit({ type: 'close' });
  }
}

/** Opens the page's side, as a browser does after the constructor has returned. */
export function openPage(pair: SocketPair): void {
  (pair.page as Socket).emit({ type: 'open' });
}

/** Delivers any value as a frame to a side. */
export function deliver(socket: TestSocket, data: unknown): void {
  (socket as Socket).deliver(data);
}
