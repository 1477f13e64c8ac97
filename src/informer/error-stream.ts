import { of, Subject, type Observable, type SchedulerLike } from 'rxjs';
import type { InformerError } from './informer-error.js';

/** What is done with an error that no subscriber of `errors$` receives. */
export interface ReportOptions {
  /**
   * What reports of errors call it. Default: the resource of the `listWatch` it reads, as kubectl
   * writes it (`pods`, `deployments.apps`), else `informer` or `indexer`.
   */
  readonly name?: string | undefined;
  /**
   * Reports an error for which `errors$` has no subscriber; default `console.error`. It is not called
   * for errors with `expected: true`, nor for those of the connection while an informer lingers. An
   * error of the same kind (its class, and its index, handler or HTTP status) is reported again one
   * hour later at the earliest. Costs nothing until something fails.
   */
  readonly onUnobservedError?: ((error: InformerError, name: string) => void) | undefined;
}

const HOUR = 3_600_000;

/** The errors of one informer or indexer: for those who subscribe, else reported once an hour. */
export class ErrorStream {
  readonly errors$: Observable<InformerError>;
  readonly #errors = new Subject<InformerError>();
  readonly #reported = new Map<string, number>();

  /** @param isInUse returns false while an informer lingers: failures of its connection matter to no subscriber */
  constructor(
    private readonly options: ReportOptions & { readonly name: string },
    private readonly scheduler: SchedulerLike,
    private readonly isInUse = (): boolean => true,
  ) {
    this.errors$ = this.#errors.asObservable();
  }

  next(error: InformerError): void {
    if (this.#errors.observed) {
      this.#errors.next(error);
      return;
    }
    if (error.expected || ('request' in error && !this.isInUse()) || !this.#isDue(kindOf(error))) return;
    const { name, onUnobservedError = reportOnConsole } = this.options;
    // As a subscriber: what a reporter throws goes where rxjs reports it, and not into a commit.
    of(error).subscribe((reported) => {
      onUnobservedError(reported, name);
    });
  }

  #isDue(kind: string): boolean {
    const now = this.scheduler.now();
    const last = this.#reported.get(kind);
    if (last !== undefined && now >= last && now - last < HOUR) return false;
    this.#reported.set(kind, now);
    return true;
  }
}

/** There are few kinds, whatever fails: an error of another object is of the same kind. */
function kindOf(error: InformerError): string {
  const { index, handler, statusCode } = error as Partial<Record<'index' | 'handler' | 'statusCode', unknown>>;
  return [error.name, index, handler, statusCode].map(String).join(' ');
}

function reportOnConsole(error: InformerError, name: string): void {
  console.error(`${name}: subscribe to errors$ to handle this error; it is reported at most once an hour:`, error);
}
