import {
  catchError,
  concat,
  defer,
  EMPTY,
  forkJoin,
  ignoreElements,
  of,
  type Observable,
  type ObservableInput,
} from 'rxjs';
import type { MembershipState } from './membership-state.js';

/** Gathers what is to be waited for while a value is being delivered, and then waits for all of it. */
export class ReleaseGate {
  readonly #waits: ObservableInput<unknown>[] = [];
  #isOpen = true;

  readonly waitUntil: MembershipState['waitUntil'] = (over) => {
    if (this.#isOpen) this.#waits.push(over);
    return this.#isOpen;
  };

  /** Nothing more can be added; one value, when everything is over. */
  close(): Observable<unknown> {
    this.#isOpen = false;
    return forkJoin([of(undefined), ...this.#waits.map(untilOver)]);
  }
}

/** How it ended is not asked: work that failed is over too. */
function untilOver(over: ObservableInput<unknown>): Observable<undefined> {
  const silent$ = defer(() => over).pipe(
    ignoreElements(),
    catchError(() => EMPTY),
  );
  return concat(silent$, of(undefined));
}
