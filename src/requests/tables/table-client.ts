import { concat, concatMap, defer, map, type Observable, of, tap } from 'rxjs';
import { dropManagedFields, type KubernetesObject } from '../../kubernetes/object.js';
import { isEqualContent } from '../../kubernetes/share-structure.js';
import {
  type KubeClient,
  type KubeRequest,
  requestLine,
  type ResponsePart,
  wrappedClient,
} from '../../sources/client/kube-client.js';
import { type RequestLine, responseError } from '../../sources/model/errors.js';
import { createLineSplitter, isLineBreak } from '../../sources/reflector/line-splitter.js';
import { jsonOnly } from '../../sources/reflector/object-decoder.js';
import { createByteAccumulator, decodeJson } from '../../sources/wire/bytes.js';
import { CellTimes, type TableCell, type TableColumn } from './cells.js';

/** How the responses of a table client are read. */
export interface TableReading {
  readonly includeObject: 'Metadata' | 'Object';
  /** True to request whole objects, and to find the times of all ages in them. */
  readonly exactAges: boolean;
  /** Called with the columns of a list or watch if they differ from its last ones. */
  readonly onColumns: (columns: readonly TableColumn[]) => void;
  /** Returns the time of day in milliseconds. */
  readonly now: () => number;
}

/**
 * Returns a client that asks for tables and returns lists and events of rows, so that a reflector
 * can read them. It knows the columns of each path that it has read, so each subscription of a
 * source has a client of its own.
 *
 * | response | out |
 * | --- | --- |
 * | a `Table` of a list | a list of its rows |
 * | an event with a `Table` | an event for each row, or the bookmark |
 * | objects, from a server that has no tables | as a table of their names and ages, as kubectl prints them |
 * | the first event of a watch has other columns than the held rows | a 410, which leads to a list |
 * | a `Status`, or what is not JSON | unchanged |
 * | anything else | an `RXI_RESPONSE` |
 */
export function tableClient(client: KubeClient, reading: TableReading): KubeClient {
  const areWhole = reading.exactAges || reading.includeObject === 'Object';
  const includeObject = areWhole ? 'Object' : undefined;
  const columnsByPath = new Map<string, readonly TableColumn[]>();
  const times = new CellTimes(areWhole);
  const clock = new ServerClock(reading.now);
  return wrappedClient(client, (request) => {
    // With a list of metadata, a reflector only asks for the version of the server.
    if (request.headers?.['accept']?.includes('PartialObjectMetadata')) return client.exchange(request);
    const sent: KubeRequest = {
      ...request,
      query: { ...request.query, includeObject },
      headers: { ...request.headers, accept },
    };
    const cellsOf: CellsOf = (cells, columns, object) => times.cells(cells, columns, object, clock.now());
    const reader = tableReader(requestLine(sent), reading, cellsOf, {
      get: () => columnsByPath.get(request.path) ?? [],
      set: (columns) => columnsByPath.set(request.path, columns),
    });
    const parts$ = client.exchange(sent).pipe(
      jsonOnly(requestLine(sent)),
      tap((part) => {
        if (part.type === 'head') clock.read(part.headers['date']);
      }),
    );
    return request.query?.['watch'] === true ? eventsOfRows(parts$, reader) : listOfRows(parts$, reader);
  });
}

// As kubectl does, accepts objects of a server that has no tables.
const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io;drop=metadata.managedFields,application/json';

/** The clock of the API server, which computes the texts. */
class ServerClock {
  #offset = 0;

  constructor(private readonly own: () => number) {}

  now(): number {
    return this.own() + this.#offset;
  }

  /** Reads the header `Date`, which has whole seconds. Equal clocks may differ by this second. */
  read(date: string | undefined): void {
    const difference = Date.parse(date ?? '') + 500 - this.own();
    if (!Number.isNaN(difference)) this.#offset = Math.abs(difference) < 1_500 ? 0 : difference;
  }
}

type CellsOf = (
  cells: readonly TableCell[],
  columns: readonly TableColumn[],
  object: KubernetesObject | null | undefined,
) => readonly TableCell[];

interface Table {
  readonly kind: 'Table';
  readonly metadata?: KubernetesObject['metadata'];
  readonly columnDefinitions?: readonly TableColumn[] | null;
  readonly rows?: readonly Row[] | null;
}

interface Row {
  readonly cells?: readonly TableCell[];
  readonly object?: KubernetesObject | null;
}

/** Reads the tables of one response. */
interface TableReader {
  /** Returns the list in a text. A text without a table is returned unchanged. */
  list(text: Uint8Array): Uint8Array;
  /** Returns the events in a line, as lines. A line without a table is returned unchanged. */
  events(line: Uint8Array): readonly Uint8Array[];
}

function tableReader(
  line: RequestLine,
  { includeObject, onColumns }: TableReading,
  cellsOf: CellsOf,
  held: { readonly get: () => readonly TableColumn[]; readonly set: (columns: readonly TableColumn[]) => void },
): TableReader {
  /** Returns true if the held rows have other columns. Later events of a watch have no columns. */
  const receiveColumns = ({ columnDefinitions }: Table): boolean => {
    const before = held.get();
    if (!columnDefinitions?.length || isEqualContent(before, columnDefinitions)) return false;
    held.set(columnDefinitions);
    onColumns(columnDefinitions);
    return before.length > 0;
  };
  const rowsOf = ({ rows }: Table): readonly object[] =>
    (rows ?? []).map(({ cells = [], object }) => ({
      metadata: object?.metadata,
      cells: cellsOf(cells, held.get(), object),
      ...(includeObject === 'Object' && object && { object: dropManagedFields(object) }),
    }));
  return {
    list(text) {
      const table = tableIn(parsed(text), line);
      if (table === undefined) return text;
      receiveColumns(table);
      return encoded({ kind: 'RowList', apiVersion: '', metadata: table.metadata, items: rowsOf(table) });
    },
    events(text) {
      const { type, object } = (parsed(text) ?? {}) as { readonly type?: string; readonly object?: unknown };
      const table = tableIn(object, line);
      if (table === undefined) return [text];
      if (receiveColumns(table)) return [encoded(columnsChanged)];
      // The row of a bookmark is that of an empty object.
      const objects = type === 'BOOKMARK' ? [{ metadata: table.metadata }] : rowsOf(table);
      return objects.map((object) => encoded({ type, object }));
    },
  };
}

const columnsChanged = {
  type: 'ERROR',
  object: { kind: 'Status', code: 410, reason: 'Expired', message: 'the columns of the table have changed' },
};

function listOfRows(parts$: Observable<ResponsePart>, reader: TableReader): Observable<ResponsePart> {
  return defer(() => {
    const body = createByteAccumulator();
    return concat(
      parts$.pipe(
        map((part) => {
          if (part.type === 'head') return part;
          body.append(part.bytes);
          // Whitespace before the list tells the reflector that the response is not silent.
          return bytesPart(Uint8Array.of(0x20));
        }),
      ),
      defer(() => of(bytesPart(reader.list(body.take())))),
    );
  });
}

function eventsOfRows(parts$: Observable<ResponsePart>, reader: TableReader): Observable<ResponsePart> {
  return defer(() => {
    const splitter = createLineSplitter();
    const read = (part: ResponsePart): readonly ResponsePart[] => {
      // An empty line is a heartbeat, which the reflector counts.
      if (part.type === 'head' || part.bytes.every(isLineBreak)) return [part];
      const lines = createByteAccumulator();
      for (const line of splitter.push(part.bytes).flatMap((text) => reader.events(text))) {
        lines.append(line);
        lines.append(newLine);
      }
      // What one network read delivered stays together, so it is one commit.
      return lines.length === 0 ? [] : [bytesPart(lines.take())];
    };
    const end = (): readonly ResponsePart[] => {
      const rest = splitter.end();
      return rest === undefined ? [] : reader.events(rest).map(bytesPart);
    };
    return concat(parts$.pipe(concatMap(read)), defer(end));
  });
}

const newLine = /*#__PURE__*/ Uint8Array.of(0x0a);

function bytesPart(bytes: Uint8Array): ResponsePart {
  return { type: 'bytes', bytes };
}

/**
 * Returns the table in a value; `undefined` for a `Status` and for text that is not JSON. Throws
 * `RXI_RESPONSE` for anything else that is neither an object nor a list of objects.
 */
function tableIn(value: unknown, line: RequestLine): Table | undefined {
  const { kind, metadata, items } = (value ?? {}) as Partial<Table> & { readonly items?: unknown };
  if (value === undefined || (kind as string | undefined) === 'Status') return undefined;
  if (kind === 'Table') return value as Table;
  if (metadata === undefined) {
    throw responseError(line, `expected a Table, received ${typeof kind === 'string' ? kind : 'no kind'}`);
  }
  const objects = items === undefined ? [value] : (items ?? []);
  return {
    kind: 'Table',
    metadata,
    columnDefinitions: nameAndAge,
    rows: (objects as KubernetesObject[]).map(plainRow),
  };
}

const nameAndAge: readonly TableColumn[] = [
  { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 },
  { name: 'Age', type: 'date', format: '', description: '', priority: 0 },
];

function plainRow(object: KubernetesObject): Row {
  const { name = '', creationTimestamp: since } = object.metadata ?? {};
  return { object, cells: [name, since === undefined ? '<unknown>' : { since }] };
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return decodeJson(bytes);
  } catch {
    return undefined;
  }
}

const encoder = /*#__PURE__*/ new TextEncoder();

function encoded(value: unknown): Uint8Array {
  return encoder.encode(JSON.stringify(value));
}
