import type { IncomingMessage } from 'node:http';
import type * as NodeModule from 'node:module';
import type { Duplex } from 'node:stream';
import type * as NodeTimers from 'node:timers/promises';
import type * as SelfSigned from 'selfsigned';
import type * as Yaml from 'yaml';
import { RxInformersError } from '../kubernetes/errors.js';

/** The part of the package `ws` that serves watches. The package has no types of its own. */
interface WebSocketPackage {
  readonly WebSocketServer: new (options: {
    readonly noServer: true;
    readonly handleProtocols: (names: ReadonlySet<string>) => string | false;
  }) => WebSocketServer;
}

export interface WebSocketServer {
  handleUpgrade(
    message: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    callback: (webSocket: ServedWebSocket) => void,
  ): void;
}

export interface ServedWebSocket {
  readonly readyState: number;
  readonly OPEN: number;
  /** The number of bytes that were not yet written to the network. */
  readonly bufferedAmount: number;
  send(data: string | Uint8Array, written: () => void): void;
  close(code: number): void;
  terminate(): void;
  on(event: 'close' | 'error', listener: () => void): void;
}

/** The optional peer dependencies of the embedded API server. */
interface OptionalPackages {
  /** Parses YAML text in `server.apply` and in the bodies of requests. JSON needs no package. */
  readonly yaml: typeof Yaml;
  /** Creates the certificate of `createApiServer({ tls: true })`. */
  readonly selfsigned: typeof SelfSigned;
  /** Serves watches over WebSockets. */
  readonly ws: WebSocketPackage;
}

function missingPackageError(
  packageName: string,
  feature: string,
  options?: ErrorOptions,
): RxInformersError<'RXI_MISSING_PACKAGE'> {
  const message = `${feature} needs the package ${packageName}: npm install --save-dev ${packageName}`;
  return new RxInformersError('RXI_MISSING_PACKAGE', message, { packageName, feature, ...options });
}

/**
 * Loads an optional package when a feature first needs it. The loading is synchronous, because
 * `server.apply` is synchronous.
 *
 * @throws `RXI_MISSING_PACKAGE` if the package is not installed, or outside Node
 */
export function optionalPackage<N extends keyof OptionalPackages>(name: N, feature: string): OptionalPackages[N] {
  const node = nodeModule('module');
  if (node === undefined) throw missingPackageError(name, feature, { cause: new Error('this is not Node') });
  try {
    return node.createRequire(import.meta.url)(name) as OptionalPackages[N];
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    throw missingPackageError(name, feature, { cause: error });
  }
}

interface NodeProcess {
  getBuiltinModule?<N extends keyof NodeModules>(name: N): NodeModules[N] | undefined;
}

/** The modules of Node that are used if they exist. */
interface NodeModules {
  readonly module: typeof NodeModule;
  readonly 'timers/promises': typeof NodeTimers;
}

/** Returns a module of Node, if any, without an `import` that bundlers would resolve. */
export function nodeModule<N extends keyof NodeModules>(name: N): NodeModules[N] | undefined {
  const { process } = globalThis as { readonly process?: unknown } as { readonly process?: NodeProcess };
  return process?.getBuiltinModule?.(name);
}
