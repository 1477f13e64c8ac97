import { catchError, map, of, type Observable } from 'rxjs';
import type { LifeInput } from './life-step.js';

/** Each value of `stop$` is a wish to stop; whoever cannot say it any more, because it failed, is taken to have said it. */
export function stopInputs(stop$: Observable<unknown>): Observable<LifeInput> {
  return stop$.pipe(
    map((): LifeInput => ({ type: 'stopping', cause: 'stop' })),
    catchError((error: unknown) => of<LifeInput>({ type: 'stopping', cause: 'stop-failed', error })),
  );
}
