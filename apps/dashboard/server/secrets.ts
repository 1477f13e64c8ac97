import { Transform } from 'node:stream';
import type { ApiTarget } from './api-proxy.js';

/** The fields of an answer that are read here. */
interface Answered {
  readonly kind?: unknown;
  readonly apiVersion?: unknown;
  readonly metadata?: unknown;
  readonly items?: unknown;
  readonly columnDefinitions?: unknown;
  readonly rows?: unknown;
}

interface TableRow {
  readonly cells?: unknown;
  readonly object?: unknown;
}

const table = /;\s*as=Table\b/i;

/**
 * Returns the `accept` header and the query that request only metadata of Secrets, or a table whose
 * rows contain only metadata. An old API server ignores both, so the answer is stripped in any
 * case.
 */
export function askForMetadata(target: ApiTarget, accept: string | undefined): { accept: string; query: string } {
  if (accept !== undefined && table.test(accept)) {
    const parameters = new URLSearchParams(target.query);
    parameters.set('includeObject', 'Metadata');
    return { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1', query: `?${parameters.toString()}` };
  }
  const isList = target.name === undefined && !target.isWatch;
  const kind = isList ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return { accept: `application/json;as=${kind};g=meta.k8s.io;v=v1,application/json`, query: target.query };
}

/**
 * Returns a stage that forwards only names and other metadata of Secrets. Drops annotations,
 * because tools store the whole object there (`kubectl.kubernetes.io/last-applied-configuration`).
 *
 * **Errors**: if the answer is not JSON.
 */
export function stripSecrets(isStream: boolean): Transform {
  let rest = '';
  const decoder = new TextDecoder();
  return new Transform({
    transform(chunk: Buffer, _, done) {
      rest += decoder.decode(chunk, { stream: true });
      if (!isStream) {
        done();
        return;
      }
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      finish(done, () => lines.map((line) => (line.trim() === '' ? '\n' : `${strippedEvent(line)}\n`)).join(''));
    },
    flush(done) {
      if (rest.trim() === '') done();
      else finish(done, () => (isStream ? strippedEvent(rest) : JSON.stringify(stripped(JSON.parse(rest)))));
    },
  });
}

function finish(done: (error: Error | null, data?: string) => void, make: () => string): void {
  try {
    done(null, make());
  } catch {
    // Omits the parser's message, because it quotes the text that it could not parse.
    done(new Error('the response with Secrets cannot be read'));
  }
}

function strippedEvent(line: string): string {
  const { type, object } = JSON.parse(line) as { readonly type: unknown; readonly object: unknown };
  return JSON.stringify({ type, object: stripped(object) });
}

function stripped(value: unknown): unknown {
  const { kind, apiVersion, metadata, items, columnDefinitions, rows } = value as Answered;
  if (kind === 'Status') return value;
  if (kind === 'Table') {
    const strippedRows = (Array.isArray(rows) ? rows : []).map(({ cells, object }: TableRow) => ({
      cells,
      object: stripped(object ?? {}),
    }));
    return { kind, apiVersion, metadata, columnDefinitions, rows: strippedRows };
  }
  // An API server writes null for the items of an empty list.
  if (items !== undefined)
    return { kind, apiVersion, metadata, items: Array.isArray(items) ? items.map(stripped) : [] };
  return { kind, apiVersion, metadata: strippedMetadata(metadata) };
}

/** The annotation of a bookmark that marks the end of a streaming list. It is kept. */
const endOfList = 'k8s.io/initial-events-end';

function strippedMetadata(metadata: unknown): unknown {
  const {
    annotations,
    managedFields: _,
    ...rest
  } = (metadata ?? {}) as {
    readonly annotations?: Readonly<Record<string, unknown>>;
    readonly managedFields?: unknown;
  };
  return annotations?.[endOfList] === undefined
    ? rest
    : { ...rest, annotations: { [endOfList]: annotations[endOfList] } };
}
