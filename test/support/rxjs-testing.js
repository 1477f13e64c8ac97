import * as rxjs from 'rxjs';

/** `rxjs/testing` for tests, where `rxjs` is the bundle that holds all of RxJS (jest.config.js). */
export const { TestScheduler } = rxjs.testing;
