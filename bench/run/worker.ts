import { fork, type ChildProcess, type Serializable } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A process that receives one message, and sends one answer. */
interface Worker {
  /**
   * The answer of the process. Rejects with a {@link WorkerError} if the process fails, ends or is
   * killed before it answers.
   */
  readonly answer: Promise<unknown>;
  /** Returns the last output of the process, from both streams. */
  readonly output: () => string;
  /** Resolves when the process has ended and all of its output was read. */
  readonly ended: Promise<void>;
  /** Asks the process to end if it is still running, and kills it after a short time. */
  readonly end: () => Promise<void>;
}

interface WorkerOptions {
  /** The name of the process in errors. */
  readonly title: string;
  /** The URL of the module to run. */
  readonly module: string;
  readonly message: Serializable;
  readonly nodeOptions?: readonly string[];
  /** A signal that kills the process. */
  readonly signal: AbortSignal;
  /** The number of milliseconds without an answer after which the process is killed. */
  readonly timeout: number;
}

/**
 * Thrown if a process of the benchmark failed. The message has the name of the process, the reason,
 * and its last output.
 */
export class WorkerError extends Error {
  override readonly name = 'WorkerError';

  constructor(
    readonly title: string,
    readonly reason: string,
    readonly output: string,
  ) {
    super([`${title}: ${reason}`, output.trimEnd()].filter((part) => part !== '').join('\n'));
  }
}

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const MILLISECONDS_TO_END = 2000;
const LONGEST_OUTPUT = 20_000;

/**
 * Starts a module, in TypeScript or JavaScript, in its own Node process. The last output of the
 * process is kept for errors.
 */
export function startWorker({ title, module, message, nodeOptions = [], signal, timeout }: WorkerOptions): Worker {
  const child = fork(fileURLToPath(module), {
    cwd: projectRoot,
    execArgv: ['--import', 'tsx', ...nodeOptions],
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    killSignal: 'SIGKILL',
    signal,
  });
  const output = lastOutputOf(child);
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));

  const answer = new Promise<unknown>((resolve, reject) => {
    const fail = (reason: string): void => {
      clearTimeout(timer);
      reject(new WorkerError(title, reason, output()));
    };
    const timer = setTimeout(() => {
      fail(`gave no answer within ${timeout / 1000} s`);
      child.kill('SIGKILL');
    }, timeout);
    child.once('message', (message) => {
      clearTimeout(timer);
      resolve(message);
    });
    child.on('error', (error) => fail(signal.aborted ? 'was aborted' : error.message));
    void ended.then(() => fail(`ended before it answered (${child.signalCode ?? `exit code ${child.exitCode}`})`));
    child.send(message);
  });

  return {
    answer,
    output,
    ended,
    end: async () => {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), MILLISECONDS_TO_END);
      await ended;
      clearTimeout(timer);
    },
  };
}

function lastOutputOf(child: ChildProcess): () => string {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-LONGEST_OUTPUT);
    });
  }
  return () => output;
}
