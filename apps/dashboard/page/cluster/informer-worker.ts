import { serveInformers } from 'rx-informers/shared-worker';
import { recordPast } from '../history/past-text.js';
import { clientAt, reading, recorded } from './reading.js';

/*
 * The SharedWorker of all tabs. It holds the informers, so that all tabs together need one watch
 * for each kind. Its name is the base path of the API, so tabs of two clusters use two workers.
 */
serveInformers(clientAt(self.name), {
  ...reading,
  // The browser keeps the worker about as long after the last tab was closed, or is loaded again.
  linger: 30_000,
  past: recordPast(recorded),
});
