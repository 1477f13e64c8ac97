import { Subscription } from 'rxjs';

let ofThisTest = new Subscription();

/**
 * Keeps a subscription until the test has ended, passed or failed. Without this, an informer would
 * continue to run and keep the process alive.
 */
export function untilTestEnds(subscription: Subscription): void {
  ofThisTest.add(subscription);
}

afterEach(() => {
  ofThisTest.unsubscribe();
  ofThisTest = new Subscription();
});
