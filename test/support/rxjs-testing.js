import * as rxjs from 'rxjs';

/**
 * Replaces `rxjs/testing` in tests. There, `rxjs` is the bundle of all of RxJS (jest.config.js).
 */
export const { TestScheduler } = rxjs.testing;
