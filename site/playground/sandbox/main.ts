import { Observable, Subscription, isObservable } from 'rxjs';
import type { Command, LogEntry, SandboxEvent, Start } from '../protocol.js';
import { Clusters } from './cluster.js';
import { format, short } from './format.js';
import { conventional, modulesFor, type Module } from './modules.js';
import { obey, objectsOf } from './objects.js';

/**
 * The maximum number of events in a tenth of a second. Further events are dropped, so that a loop
 * in a program does not stop the page.
 */
const maxEvents = 200;

/** Events of these types are never dropped, because the page would show a wrong state. */
const undropped: ReadonlySet<SandboxEvent['type']> = new Set(['objects', 'finished']);

/** The time at which the program started. */
let started = 0;
const at = (): number => Math.round(performance.now() - started);
const port = parent;
let sent = 0;
let leftOut = 0;

function post(event: SandboxEvent): void {
  if (sent >= maxEvents && !undropped.has(event.type)) {
    leftOut += 1;
    return;
  }
  sent += 1;
  port.postMessage(event, '*');
}

const log = (level: LogEntry['level'], text: string): void => {
  post({ type: 'log', level, text, at: at() });
};

const clusters = new Clusters(post, log);
const faults = new Set<string>();

/**
 * Runs a program. The page calls this once, because it removes a sandbox together with its program.
 */
export async function run({ body, names }: Start, extra: ReadonlyMap<string, Module>): Promise<void> {
  started = performance.now();
  listen();
  const modules = modulesFor(clusters, extra);
  const values = conventional(clusters);
  Object.assign(globalThis, {
    playground: { module: (name: string, ...used: readonly string[]) => moduleOf(modules, name, used), seen, shown },
  });
  post({ type: 'ready', at: at() });
  const scope = new Map(names.flatMap((name) => lookUp(name, modules, values)));
  if (![...modules.keys()].some((name) => name.startsWith('rx-informers/testing') && body.includes(name)))
    clusters.standard();
  Object.assign(globalThis, { playgroundScope: Object.fromEntries(scope) });
  const parameters = [...scope.keys()].map((name) => `${name} = playgroundScope.${name}`).join(', ');
  // Names that the program declares shadow the parameters.
  const code = `await (async (${parameters}) => { { ${body}\n} })();\n//# sourceURL=block.ts`;
  const url = URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
  try {
    await import(url);
    showTheRest();
  } catch (error) {
    log('thrown', format(error));
  }
  showObjects();
  post({ type: 'finished', at: at() });
}

/** Returns the module that a program imports. Throws if a name that the program uses is not in it. */
function moduleOf(modules: ReadonlyMap<string, Module>, name: string, used: readonly string[]): Module {
  const module = modules.get(name);
  if (module !== undefined) {
    const missing = used.find((each) => !(each in module));
    if (missing === undefined) return module;
    const inOtherPlaces = [...modules].find(([, other]) => missing in other)?.[0];
    const advice = inOtherPlaces === undefined ? nearest(missing, Object.keys(module)) : `it is in ${inOtherPlaces}`;
    throw new Error(`${name} exports no ${missing}${advice === undefined ? '' : `; ${advice}`}`);
  }
  throw new Error(`this page has no module ${name}; it has ${[...modules.keys()].join(', ')}`);
}

/** Returns advice for a misspelt name: the exported name that differs in one or two letters. */
function nearest(name: string, exported: readonly string[]): string | undefined {
  const found = exported.find((other) => distance(name.toLowerCase(), other.toLowerCase()) <= 2);
  return found === undefined ? undefined : `did you mean ${found}?`;
}

/** Returns the number of letters to insert, delete or replace (Levenshtein distance). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/**
 * Finds a name that a program uses without an import. Examples of the documentation use names in
 * this way.
 */
function lookUp(
  name: string,
  modules: ReadonlyMap<string, Module>,
  values: Readonly<Record<string, () => unknown>>,
): readonly (readonly [string, unknown])[] {
  if (name === 'informer as an object') return [['informer', values[name]?.()]];
  if (Object.hasOwn(values, name)) return [[name, values[name]?.()]];
  if (name === 'derived') return [[name, modules.get('rx-informers/derived')]];
  for (const [specifier, module] of modules) {
    if (specifier !== 'rx-informers/derived' && Object.hasOwn(module, name) && name !== 'default')
      return [[name, module[name]]];
  }
  return [];
}

interface Waiting {
  readonly label: string;
  readonly line: number;
  readonly observable: Observable<unknown>;
}

/** Observables that the program created but did not use. They are live queries to show. */
const waiting: Waiting[] = [];

/** Reports the value of a constant, unless the program uses the constant elsewhere. */
function seen(name: string, value: unknown, line: number, isUsed: boolean): void {
  if (isUsed) return;
  shown(name, value, line);
}

/**
 * Reports the result of an expression. If the result is a live query, it is subscribed to after the
 * program has run.
 */
function shown(label: string, value: unknown, line: number): void {
  if (value === undefined || value instanceof Subscription || typeof value === 'function') return;
  if (/^(setTimeout|setInterval|await|void|console)\b/.test(label)) return;
  const isCall = typeof (value as { readonly then?: unknown } | null)?.then === 'function';
  if (isCall) return;
  if (isObservable(value)) waiting.push({ label, line, observable: value });
  else if (hasList(value)) waiting.push({ label: `${label}.list$()`, line, observable: value.list$() });
  else if (isPlain(value)) post({ type: 'shown', label, line, text: format(value) });
}

function hasList(value: unknown): value is { list$(): Observable<unknown> } {
  return typeof (value as { readonly list$?: unknown } | null)?.list$ === 'function';
}

function isPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || value instanceof Map || value instanceof Set;
}

function showTheRest(): void {
  for (const { label, line, observable } of waiting) {
    recorded(observable, label, line).subscribe({ error: () => undefined });
  }
}

let lanes = 0;

/** Returns an Observable that emits the values of `source` and also sends them to the diagram. */
function recorded<T>(source: Observable<T>, label: string, line: number): Observable<T> {
  return new Observable((subscriber) => {
    lanes += 1;
    const lane = lanes;
    let hasEnded = false;
    const mark = (kind: 'value' | 'error' | 'complete' | 'unsubscribe', value?: unknown): void => {
      post({
        type: 'mark',
        lane,
        kind,
        short: kind === 'value' ? short(value) : '',
        text: kind === 'value' || kind === 'error' ? format(value) : '',
        at: at(),
      });
    };
    post({ type: 'lane', lane, label, line });
    subscriber.add(() => {
      if (!hasEnded) mark('unsubscribe');
    });
    subscriber.add(
      source.subscribe({
        next: (value) => {
          mark('value', value);
          subscriber.next(value);
        },
        error: (error: unknown) => {
          hasEnded = true;
          mark('error', error);
          subscriber.error(error);
        },
        complete: () => {
          hasEnded = true;
          mark('complete');
          subscriber.complete();
        },
      }),
    );
  });
}

// Leaves a value with `subscribe` unchanged if it is no Observable.
Object.defineProperty(Object.prototype, '__at', {
  value(this: unknown, label: string, line: number): unknown {
    return this instanceof Observable ? recorded(this, label, line) : this;
  },
});

function listen(): void {
  for (const level of ['log', 'info', 'debug', 'warn', 'error', 'table', 'dir'] as const) {
    console[level] = (...values: readonly unknown[]) => {
      const kind = level === 'warn' || level === 'error' ? level : 'log';
      log(kind, values.map((value) => format(value)).join(' '));
    };
  }
  addEventListener('error', ({ error, message }) => {
    log('thrown', error === undefined || error === null ? message : `Uncaught ${format(error)}`);
  });
  addEventListener('unhandledrejection', ({ reason }) => {
    log('thrown', `Unhandled ${format(reason)}`);
  });
  addEventListener('message', ({ source, data }: MessageEvent<Command>) => {
    const server = clusters.shown?.server;
    if (source !== parent || server === undefined) return;
    if (data.type === 'fault') faults[data.isOn ? 'add' : 'delete'](data.fault);
    log('action', obey(server, data, faults));
  });
  setInterval(() => {
    sent = 0;
    if (leftOut > 0) {
      const count = leftOut;
      leftOut = 0;
      log('warn', `${count} more events are not shown`);
    }
    showObjects();
  }, 100);
}

let shownVersion = '';

/** Sends the objects of the cluster if any of them has changed. */
function showObjects(): void {
  const cluster = clusters.shown;
  const version = cluster?.server.resourceVersion;
  if (cluster === undefined || version === undefined || version === shownVersion) return;
  shownVersion = version;
  post(objectsOf(cluster.server, cluster.resources));
}
