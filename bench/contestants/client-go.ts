import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Figures } from '../model/scenario.js';

/**
 * Returns the path of the program that `bench/client-go/build.sh` builds, or `undefined` if the
 * path is not configured.
 */
export function clientGoProgram(): string | undefined {
  return process.env.CLIENT_GO_BENCH || undefined;
}

interface ClientGoOptions {
  readonly url: string;
  readonly pods: number;
  /** The number of the server's events that are measured. */
  readonly events: number;
  readonly isProtobuf: boolean;
  readonly isStream: boolean;
  /** The value of GOMAXPROCS. */
  readonly processors: number;
}

/** Runs an informer of client-go in its own process, and returns its figures. */
export async function measureClientGo({
  url,
  pods,
  events,
  isProtobuf,
  isStream,
  processors,
}: ClientGoOptions): Promise<Figures> {
  const program = clientGoProgram();
  if (program === undefined) throw new Error('CLIENT_GO_BENCH names no program');
  const parameters = [
    ...['-url', url, '-pods', String(pods), '-events', String(events)],
    ...(isProtobuf ? ['-protobuf'] : []),
    ...(isStream ? ['-stream'] : []),
  ];
  const env = { ...process.env, GOMAXPROCS: String(processors) };
  const { stdout } = await promisify(execFile)(program, parameters, { env });
  return JSON.parse(stdout) as Figures;
}
