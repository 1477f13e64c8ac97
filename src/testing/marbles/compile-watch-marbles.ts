import type { KubernetesObject } from '../../kubernetes/object.js';
import type { SourceError } from '../../sources/source-error.js';
import type { SourceStatus } from '../../sources/source-status.js';
import type { WatchEvent } from '../../sources/watch-event.js';
import { checkMention } from './check-mention.js';
import { connectionReset, statusErrorOf } from './marble-errors.js';
import { objectAt, type MarbleObjects } from './marble-objects.js';
import type { Mention } from './syntax/mention.js';
import { parseWatchMarbles } from './syntax/parse-watch-marbles.js';
import type { WatchToken } from './syntax/watch-token.js';

/** What a source does in one frame. */
export interface WatchStep<T> {
  readonly frame: number;
  readonly batch: readonly WatchEvent<T>[];
  readonly end?: 'complete' | 'error';
}

/** Reads a diagram of watch traffic and gives its objects their versions; pure, so every subscriber sees the same objects. */
export function compileWatchMarbles<T extends KubernetesObject>(
  diagram: string,
  objects: MarbleObjects<T>,
): readonly WatchStep<T>[] {
  const marbles = parseWatchMarbles(diagram);
  const story = new Story(diagram, objects);
  return marbles.map(({ frame, tokens, end }, position) => ({
    frame,
    batch: tokens.flatMap((token) => story.tell(token, frame, marbles[position + 1]?.frame ?? frame)),
    ...(end && { end }),
  }));
}

/** What has been said so far. */
class Story<T extends KubernetesObject> {
  readonly #current = new Map<string, T>();
  #version = 0;
  #failure: { readonly cause: SourceError; readonly attempt: number } | undefined;

  constructor(
    private readonly diagram: string,
    private readonly objects: MarbleObjects<T>,
  ) {}

  tell(token: WatchToken, frame: number, nextFrame: number): readonly WatchEvent<T>[] {
    switch (token.type) {
      case 'LISTED': {
        this.#failure = undefined;
        const items = token.mentions.map((mention) => this.#listed(mention));
        return [{ type: 'LISTED', items, resourceVersion: String(this.#version) }];
      }
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        return token.mentions.map((mention) => ({ type: token.type, object: this.#changed(mention) }));
      case 'BOOKMARK':
        return [{ type: 'BOOKMARK', resourceVersion: this.#nextVersion() }];
      case 'STATUS_ERROR':
        return [this.#failed(statusErrorOf(token.code))];
      case 'CONNECTION_ERROR':
        return [this.#failed(connectionReset())];
      case 'STATUS':
        return [{ type: 'STATUS', status: this.#status(token.state, frame, nextFrame) }];
    }
  }

  #listed(mention: Mention): T {
    const known = this.#current.get(identity(mention));
    return known === undefined || mention.hasChanged ? this.#changed(mention) : known;
  }

  #changed(mention: Mention): T {
    const { name, incarnation } = mention;
    checkMention(this.diagram, this.objects, mention);
    const object = objectAt(this.objects, name, this.#nextVersion(), incarnation);
    this.#current.set(identity(mention), object);
    return object;
  }

  #nextVersion(): string {
    this.#version++;
    return String(this.#version);
  }

  #failed(error: SourceError): WatchEvent<T> {
    this.#failure = { cause: error, attempt: (this.#failure?.attempt ?? 0) + 1 };
    return { type: 'ERROR', error };
  }

  #status(state: SourceStatus['state'], frame: number, nextFrame: number): SourceStatus {
    const { cause = connectionReset(), attempt = 1 } = this.#failure ?? {};
    switch (state) {
      case 'listing':
        return { state, by: 'pages', received: 0 };
      case 'watching':
        return { state, since: frame, resourceVersion: String(this.#version) };
      case 'reconnecting':
        return this.#failure === undefined ? { state } : { state, cause };
      case 'stopped':
        return { state };
      case 'backing-off':
      case 'forbidden':
      case 'not-found':
        return { state, until: nextFrame, attempt, cause };
    }
  }
}

function identity({ name, incarnation }: Mention): string {
  return `${name}${"'".repeat(incarnation)}`;
}
