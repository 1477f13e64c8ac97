import { filter, type Subscription, take } from 'rxjs';
import { badRequest } from './exchange/api-error.js';
import {
  type ApiReply,
  type ApiRequest,
  jsonReply,
  type LineListener,
  type BodyReader,
  parseBoolean,
  type StreamReply,
} from './exchange/exchange.js';
import { objectField, objectsAt, stringAt } from './exchange/json.js';
import type { PodLogLine, ServerContext } from './storage/server-context.js';
import type { StoredObject } from './storage/stored-object.js';
import { decodeBody } from './write/decode-body.js';
import { deleteObject } from './write/delete.js';
import { existing, type ObjectAddress } from './write/update.js';
import { parseDeleteOptions } from './write/write-options.js';

/** Answers a request for the log of a pod, as `kubectl logs` sends it. */
export function podLogReply(context: ServerContext, { query }: ApiRequest, address: ObjectAddress): StreamReply {
  const pod = existing(context, address);
  const container = containerOf(pod, query.get('container') ?? '');
  const previous = parseBoolean(query.get('previous')) === true;
  assertHasRun(pod, container, previous);
  const log = context.settings.podLogs({ pod, container, previous });
  const withTimes = parseBoolean(query.get('timestamps')) === true;
  const print = ({ time, text }: PodLogLine): string =>
    withTimes ? `${new Date(time).toISOString().replace('Z', '000000Z')} ${text}\n` : `${text}\n`;
  const written = selected(log.lines, query, context.scheduler.now()).map(print);
  const follow = parseBoolean(query.get('follow')) === true && !previous;
  return {
    type: 'stream',
    status: 200,
    headers: { 'content-type': 'text/plain' },
    open: (listener) =>
      new LogReader(written, listener, (write, end) => {
        if (!follow) {
          end();
          return undefined;
        }
        const following = context.storage.commits$
          .pipe(
            filter(
              ({ resource, event }) =>
                resource === 'pods' && event.type === 'DELETED' && event.object.metadata.uid === pod.metadata.uid,
            ),
            take(1),
          )
          .subscribe(end);
        following.add(log.lines$?.subscribe({ next: (line) => write(print(line)), complete: end }));
        return following;
      }),
  };
}

/** Evicts a pod by deleting it. PodDisruptionBudgets are ignored: it is never refused. */
export function evictionReply(context: ServerContext, request: ApiRequest, address: ObjectAddress): ApiReply {
  existing(context, address);
  const deleteOptions = objectField(decodeBody(request, 'must be of type Eviction').value, 'deleteOptions');
  const options = parseDeleteOptions({
    ...request,
    body: JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', ...deleteOptions }),
  });
  deleteObject(context, address.resource, address.namespace, address.name, options);
  return jsonReply(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
}

function containerOf(pod: StoredObject, requested: string): string {
  const spec = objectField(pod, 'spec');
  const main = objectsAt(spec, 'containers').map((container) => stringAt(container, 'name') ?? '');
  const all = [...main, ...objectsAt(spec, 'initContainers').map((container) => stringAt(container, 'name') ?? '')];
  if (requested !== '' && all.includes(requested)) return requested;
  if (requested !== '') throw badRequest(`container ${requested} is not valid for pod ${pod.metadata.name}`);
  const [only = '', ...others] = main;
  if (others.length === 0) return only;
  const init = all.slice(main.length);
  const choices = `choose one of: [${main.join(' ')}]${init.length > 0 ? ` or one of the init containers: [${init.join(' ')}]` : ''}`;
  throw badRequest(`a container name must be specified for pod ${pod.metadata.name}, ${choices}`);
}

function assertHasRun(pod: StoredObject, container: string, previous: boolean): void {
  const status = objectField(pod, 'status');
  const statuses = [...objectsAt(status, 'containerStatuses'), ...objectsAt(status, 'initContainerStatuses')];
  const found = statuses.find((candidate) => stringAt(candidate, 'name') === container) ?? {};
  const hasEnded = objectField(found, 'lastState')['terminated'] !== undefined;
  if (previous && !hasEnded) {
    throw badRequest(`previous terminated container "${container}" in pod "${pod.metadata.name}" not found`);
  }
  const { running, terminated, waiting } = objectField(found, 'state');
  if (previous || hasEnded || running !== undefined || terminated !== undefined) return;
  // A pod without container statuses has a log too, because tests often omit these statuses.
  if (waiting === undefined && statuses.length === 0 && stringAt(status, 'phase') !== 'Pending') return;
  const reason = stringAt(objectField(objectField(found, 'state'), 'waiting'), 'reason');
  throw badRequest(
    `container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${reason ?? 'no logs are available'}`,
  );
}

/** Returns the lines that the query selects. */
function selected(lines: readonly PodLogLine[], query: URLSearchParams, now: number): readonly PodLogLine[] {
  const seconds = wholeNumber(query, 'sinceSeconds');
  // The real server passes whole seconds to the kubelet.
  const sinceTime = Math.floor(Date.parse(query.get('sinceTime') ?? '') / 1000) * 1000;
  const since = seconds === undefined ? (Number.isNaN(sinceTime) ? -Infinity : sinceTime) : now - seconds * 1000;
  const recent = since === -Infinity ? lines : lines.filter(({ time }) => time >= since);
  const tail = wholeNumber(query, 'tailLines');
  return tail === undefined ? recent : recent.slice(recent.length - Math.min(tail, recent.length));
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^\d+$/.test(text)) throw badRequest(`${name}: Invalid value: ${JSON.stringify(text)}: must be a whole number`);
  return Number(text);
}

type Follow = (write: (line: string) => void, end: () => void) => Subscription | undefined;

/** Reads the existing lines of a log, then each new line. */
class LogReader implements BodyReader {
  readonly #following: Subscription | undefined;
  #next = 0;
  #fresh: string[] = [];
  #ended = false;

  constructor(
    private readonly lines: readonly string[],
    listener: LineListener,
    follow: Follow,
  ) {
    this.#following = follow(
      (line) => {
        this.#fresh.push(line);
        listener.readable();
      },
      () => {
        this.#ended = true;
        listener.readable();
      },
    );
  }

  read(): string | undefined {
    const line = this.lines[this.#next];
    if (line === undefined) return this.#fresh.shift();
    this.#next += 1;
    return line;
  }

  get ended(): boolean {
    return this.#ended && this.#next >= this.lines.length && this.#fresh.length === 0;
  }

  /** Counts only lines written after the request; earlier ones may be read at any time. */
  get backlog(): number {
    return this.#fresh.length;
  }

  close(): void {
    this.#following?.unsubscribe();
  }
}
