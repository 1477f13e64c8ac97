import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import {
  filter,
  firstValueFrom,
  fromEvent,
  map,
  ReplaySubject,
  take,
  takeUntil,
  throwError,
  timeout,
  type Observable,
} from 'rxjs';
import { bundledProgram } from '../../support/bundled-program.js';

/** A line in the log of an operator. */
export interface LogLine {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** A program that runs in its own process. */
export interface ProgramProcess {
  /** All lines that the program has logged. */
  readonly lines$: Observable<LogLine>;
  /** Resolves with the first line with this message. Rejects if there is none within 50 seconds. */
  said(message: string): Promise<LogLine>;
  /** The output on standard error. Resolves when the program has ended. */
  readonly complaints: Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** Resolves with the exit code, or with null if a signal ended the program. */
  readonly exited: Promise<number | null>;
}

/** A replica of the website operator in a process of its own. */
export interface OperatorProcess extends ProgramProcess {
  readonly identity: string;
}

/**
 * The time to wait for a line, in milliseconds. It is shorter than the timeout of a test, so that
 * the error names the missing line.
 */
const patience = 50_000;

/** Starts `examples/website-operator/main.ts`, as a user does. */
export function startOperator(identity: string, parameters: readonly string[]): OperatorProcess {
  const program = startProgram('examples/website-operator/main.ts', ['--identity', identity, ...parameters]);
  return { ...program, identity };
}

/** Starts a program that logs lines of JSON. */
export function startProgram(main: string, parameters: readonly string[]): ProgramProcess {
  const child = spawn(process.execPath, [bundledProgram(main), ...parameters], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.on('data', (chunk: Buffer) => process.stderr.write(chunk));
  const lines$ = new ReplaySubject<LogLine>(Infinity);
  const exit$ = fromEvent(child, 'exit').pipe(
    take(1),
    map((parts) => (parts as readonly [number | null])[0]),
  );
  const input = createInterface(child.stdout);
  fromEvent(input, 'line', String)
    .pipe(
      map((line) => JSON.parse(line) as LogLine),
      takeUntil(fromEvent(input, 'close')),
    )
    .subscribe(lines$);
  return {
    lines$,
    said: (message) => {
      const tooLate = (): Error => new Error(`${main} did not log "${message}" within ${patience / 1_000} s`);
      const line$ = lines$.pipe(
        filter((line) => line.message === message),
        timeout({ first: patience, with: () => throwError(tooLate) }),
      );
      return firstValueFrom(line$);
    },
    complaints: text(child.stderr),
    signal: (name) => void child.kill(name),
    exited: firstValueFrom(exit$),
  };
}
