import { Subscription } from 'rxjs';

let ofThisTest = new Subscription();

/** Keeps a subscription until the test ends, however it ends: an informer that runs on would keep the process alive. */
export function untilTestEnds(subscription: Subscription): void {
  ofThisTest.add(subscription);
}

afterEach(() => {
  ofThisTest.unsubscribe();
  ofThisTest = new Subscription();
});
