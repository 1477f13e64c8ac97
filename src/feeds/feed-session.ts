import { Observable, Subscription, type SchedulerLike } from 'rxjs';
import { wallTime } from '../scheduling/clock.js';
import type { Contacts } from '../sources/model/source.js';
import type { WatchEventBatch } from '../sources/model/watch-event.js';
import { feedWindow, type FeedMessage, type PartMessage } from './feed-messages.js';

/** What a reader sends to a server of feeds about one feed. */
export type FeedRequest<Request> =
  | { readonly type: 'subscribe'; readonly id: number; readonly request: Request }
  | { readonly type: 'unsubscribe'; readonly id: number }
  /** Acknowledges the text of a feed that was processed since the last acknowledgement. */
  | { readonly type: 'taken'; readonly id: number; readonly amount: number }
  /** Reconnects to the API server now. */
  | { readonly type: 'recheck'; readonly id: number };

/** Reads one feed until it is unsubscribed. */
interface FeedReader extends Subscription {
  /** Reports to the server how much text has been processed. */
  taken(amount: number): void;
  /** Makes the server reconnect to the API server. */
  recheck(): void;
}

/**
 * The feeds that a reader has over one connection.
 *
 * @typeParam Extra messages about a feed, besides those of every server
 */
export class FeedSession<Request, Extra extends { readonly type: string; readonly id: number } = never> {
  readonly #receivers = new Map<number, (message: FeedMessage | Extra) => void>();
  #lastId = 0;

  constructor(private readonly post: (message: FeedRequest<Request>) => void) {}

  /**
   * Requests objects, and emits the events that `receive` returns for each message. Acknowledges
   * the text once it is processed.
   */
  read(
    request: Request,
    receive: (message: FeedMessage | Extra) => WatchEventBatch<unknown>,
    contacts: Contacts,
    scheduler: SchedulerLike,
  ): Observable<WatchEventBatch<unknown>> {
    return new Observable((subscriber) => {
      let contactAt: number | undefined;
      let unacknowledged = 0;
      const reader = this.#open(request, (message, feed) => {
        if (message.type === 'part') contactAt = wallTime(scheduler);
        else if (message.type === 'heard') contactAt = (message as ContactMessage).at ?? contactAt;
        try {
          const batch = receive(message);
          if (batch.length > 0) subscriber.next(batch);
        } catch (error) {
          subscriber.error(error);
        }
        if (message.type !== 'part' || subscriber.closed) return;
        const { text, end } = message as PartMessage;
        unacknowledged += text.length;
        if (end === undefined && unacknowledged < feedWindow / 8) return;
        // The connection may deliver a message during this call, so reset the count before it.
        const amount = unacknowledged;
        unacknowledged = 0;
        feed.taken(amount);
      });
      subscriber.add(reader);
      const contact = { recheck: () => reader.recheck(), lastHeardAt: () => contactAt };
      subscriber.add(contacts.add(contact, wallTime(scheduler)));
    });
  }

  /** Passes a message to the reader of its feed. */
  receive(message: FeedMessage | Extra): void {
    this.#receivers.get(message.id)?.(message);
  }

  /** A message may arrive before this call returns, so each message is passed with its reader. */
  #open(request: Request, receiver: (message: FeedMessage | Extra, reader: FeedReader) => void): FeedReader {
    const id = ++this.#lastId;
    const { post } = this;
    const reading = new Subscription(() => {
      this.#receivers.delete(id);
      post({ type: 'unsubscribe', id });
    });
    const reader: FeedReader = Object.assign(reading, {
      taken: (amount: number) => post({ type: 'taken', id, amount }),
      recheck: () => post({ type: 'recheck', id }),
    });
    this.#receivers.set(id, (message) => receiver(message, reader));
    post({ type: 'subscribe', id, request });
    return reader;
  }
}

type ContactMessage = Extract<FeedMessage, { readonly type: 'heard' }>;
