import type { Logger } from '../logger.js';
import { logLine } from './log-events.js';
import { loggerWith } from './logger-with.js';
import type { ReconcileEvent } from './reconcile-event.js';

/** What is needed to log the events of a controller. */
export interface RunLogOptions {
  readonly logger: Logger;
  /** What the ids of runs begin with: it differs between processes. */
  readonly prefix: string;
  /** Returns the object of a key, as the cache has it now. */
  readonly objectOf: (key: string) => unknown;
}

/** Writes the events of a controller to a log. All lines about one run have the same `reconcileID`. */
export class RunLog {
  readonly #ids = new Map<string, string>();
  /** What failed for good last, by key. An entry is dropped when the key succeeds, or fails in another way. */
  readonly #failures = new Map<string, string>();
  #runs = 0;

  constructor(private readonly options: RunLogOptions) {}

  /** Returns the logger of the run of a key that is under way. */
  loggerOf(key: string): Logger {
    return loggerWith(this.options.logger, { key, reconcileID: this.#ids.get(key) });
  }

  write(event: ReconcileEvent): void {
    if (event.type === 'started') {
      this.#runs++;
      this.#ids.set(event.key, `${this.options.prefix}-${this.#runs}`);
    }
    const line = logLine(event);
    if (line) {
      const level = this.#isRepeated(event) ? 'debug' : line.level;
      this.options.logger[level](this.#withId(event, line.fields), line.message);
    }
    if (event.type === 'succeeded' || event.type === 'skipped' || event.type === 'failed') this.#ids.delete(event.key);
  }

  #withId(event: ReconcileEvent, fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    switch (event.type) {
      case 'started':
      case 'succeeded':
      case 'skipped':
      case 'failed':
        return { ...fields, reconcileID: this.#ids.get(event.key) };
      default:
        return fields;
    }
  }

  /**
   * True for a terminal failure with the same message at the same generation as the last one of its
   * key: the run was triggered by something that cannot help it, such as its own write of the status.
   */
  #isRepeated(event: ReconcileEvent): boolean {
    if (event.type === 'succeeded') this.#failures.delete(event.key);
    if (event.type !== 'failed') return false;
    const { metadata } = (this.options.objectOf(event.key) ?? {}) as ObjectWithGeneration;
    if (event.outcome !== 'terminal' || metadata?.generation === undefined) {
      this.#failures.delete(event.key);
      return false;
    }
    const failure = `${metadata.uid ?? ''} ${metadata.generation} ${String(event.error)}`;
    const isRepeated = this.#failures.get(event.key) === failure;
    this.#failures.set(event.key, failure);
    return isRepeated;
  }
}

interface ObjectWithGeneration {
  readonly metadata?: { readonly uid?: string; readonly generation?: number };
}
