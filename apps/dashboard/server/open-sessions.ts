import { timer, type SchedulerLike, type Subscription } from 'rxjs';
import type { Session } from './session-cookies.js';

/** The identity and the end of a session. */
export type SessionName = Pick<Session, 'id' | 'until'>;

/** A response or an upgraded connection. */
export interface OpenStream {
  destroy(): unknown;
  once(event: 'close', listener: () => void): unknown;
}

interface OpenSession {
  readonly streams: Set<OpenStream>;
  readonly expiry: Subscription;
}

/**
 * The responses and connections that are open for each session, and the sessions that ended early.
 *
 * **Guarantees**: When a session expires or is ended, its open streams are closed in the same turn
 * of the event loop, and `hasEnded` returns true for it from then on. No timer runs for a session
 * without an open stream.
 *
 * **Does not guarantee**: That other replicas know of a session that was ended early. They accept
 * its cookies until the session expires.
 */
export class OpenSessions {
  readonly #open = new Map<string, OpenSession>();
  /** When each session that ended early would have expired. */
  readonly #ended = new Map<string, number>();

  constructor(private readonly scheduler: SchedulerLike) {}

  hasEnded({ id, until }: SessionName): boolean {
    return this.scheduler.now() >= until || this.#ended.has(id);
  }

  /** Closes the stream when the session ends. */
  attach(session: SessionName, stream: OpenStream): void {
    const { streams } = this.#open.get(session.id) ?? this.#begin(session);
    streams.add(stream);
    stream.once('close', () => {
      streams.delete(stream);
      if (streams.size === 0) this.#forget(session.id, streams);
    });
  }

  /** Ends a session, and closes all of its streams except one. */
  end(session: SessionName, except?: OpenStream): void {
    const now = this.scheduler.now();
    for (const [id, until] of this.#ended) if (until <= now) this.#ended.delete(id);
    if (session.until > now) this.#ended.set(session.id, session.until);
    this.#close(session.id, except);
  }

  /** Stops all timers. */
  close(): void {
    for (const { expiry } of this.#open.values()) expiry.unsubscribe();
    this.#open.clear();
  }

  #begin(session: SessionName): OpenSession {
    const remaining = Math.max(0, session.until - this.scheduler.now());
    const expiry = timer(remaining, this.scheduler).subscribe(() => {
      this.#close(session.id);
    });
    const opened = { streams: new Set<OpenStream>(), expiry };
    this.#open.set(session.id, opened);
    return opened;
  }

  #close(id: string, except?: OpenStream): void {
    const opened = this.#open.get(id);
    if (opened === undefined) return;
    this.#forget(id, opened.streams);
    for (const stream of [...opened.streams]) if (stream !== except) stream.destroy();
  }

  #forget(id: string, streams: ReadonlySet<OpenStream>): void {
    const opened = this.#open.get(id);
    // A later stream may have begun the session again.
    if (opened?.streams !== streams) return;
    opened.expiry.unsubscribe();
    this.#open.delete(id);
  }
}
