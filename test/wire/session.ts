import { at, isJsonObject, parseJson, type Json, type JsonObject } from './json.js';
import type { WireRequest, WireTarget } from './wire-target.js';

/** One step of a scenario, with its response. */
export interface Step {
  readonly step: string;
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** The events of a watch, and whether the server ended it. */
  readonly events?: readonly Json[];
  readonly ended?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly body: Json;
  /** The `metadata.resourceVersion` of the response, or `''`. */
  readonly resourceVersion: string;
  readonly uid: string;
  /** The `metadata.continue` of the response, or `''`. */
  readonly continue: string;
}

export interface WatchSession {
  /** Waits for this many further events. A bookmark counts only if it ends the initial events. */
  take(count: number): Promise<void>;
  /** Reads until the server ends the stream. */
  rest(): Promise<void>;
  close(): void;
}

/** The interface that a scenario uses. Every response is recorded with the name of its step. */
export interface Session {
  /** An empty namespace for the scenario. */
  readonly namespace: string;
  /** A name that no other run of the scenario uses. */
  readonly unique: string;
  send(step: string, method: string, path: string, request?: WireRequest): Promise<Reply>;
  watch(step: string, path: string, request?: WireRequest): Promise<WatchSession>;
  /**
   * Sends a request without recording the response, for preparations and for conditions to wait
   * for.
   */
  silently(method: string, path: string, request?: WireRequest): Promise<Reply>;
  compact(): Promise<void>;
}

/** The maximum time to wait for an event, in milliseconds. */
const patience = 20_000;

const comparedHeaders = ['content-type', 'retry-after', 'warning', 'allow', 'cache-control'];

export function openSession(
  target: WireTarget,
  names: { readonly namespace: string; readonly unique: string },
): { readonly session: Session; readonly steps: readonly Step[] } {
  const steps: Step[] = [];
  const ask = async (method: string, path: string, request?: WireRequest) => {
    const reply = await target.request(method, path, request);
    return { ...reply, body: parseJson(reply.text) };
  };
  const session: Session = {
    ...names,
    silently: async (method, path, request) => replyOf(await ask(method, path, request)),
    send: async (step, method, path, request) => {
      const place = steps.length;
      steps.push({ step, request: describe(method, path, request), status: 0, headers: {} });
      const { status, headers, body } = await ask(method, path, request);
      steps[place] = { ...(steps[place] as Step), status, headers: relevant(headers), body };
      return replyOf({ status, body });
    },
    watch: async (step, path, request) => {
      const place = steps.length;
      const stream = await target.watch(path, request);
      const events: Json[] = [];
      const record = (ended: boolean): void => {
        steps[place] = {
          step,
          request: describe('WATCH', path, request),
          status: stream.status,
          headers: relevant(stream.headers),
          events: [...events],
          ended,
        };
      };
      record(false);
      const next = async (): Promise<boolean> => {
        const { value, done } = await withPatience(stream.lines.next(), () => `${step}: ${JSON.stringify(events)}`);
        if (done === true) return false;
        const event = parseJson(value);
        // Other bookmarks are skipped, because the real server sends them at random times.
        if (at(event, 'type') === 'BOOKMARK' && at(event, 'object', 'metadata', 'annotations') === undefined)
          return next();
        events.push(event);
        return true;
      };
      return {
        take: async (count) => {
          for (let taken = 0; taken < count; taken += 1) {
            if (!(await next())) throw new Error(`${step}: ended early, after ${JSON.stringify(events)}`);
          }
          record(false);
        },
        rest: async () => {
          while (await next());
          record(true);
        },
        close: () => {
          stream.close();
        },
      };
    },
    compact: async () => {
      if (target.compact === undefined) throw new Error('this scenario needs a server that can be compacted');
      await target.compact();
    },
  };
  return { session, steps };
}

function describe(method: string, path: string, { query = {} }: WireRequest = {}): string {
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  return `${method} ${path}${search.length > 0 ? `?${search.join('&')}` : ''}`;
}

function relevant(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => comparedHeaders.includes(name)));
}

function replyOf({ status, body }: { readonly status: number; readonly body: Json }): Reply {
  const metadata: Json | undefined = isJsonObject(body) ? body['metadata'] : undefined;
  const text = (field: string): string => {
    const value = (metadata as JsonObject | undefined)?.[field];
    return typeof value === 'string' ? value : '';
  };
  return { status, body, resourceVersion: text('resourceVersion'), uid: text('uid'), continue: text('continue') };
}

async function withPatience<T>(promise: Promise<T>, what: () => string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no more came within ${patience} ms at ${what()}`)), patience);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
