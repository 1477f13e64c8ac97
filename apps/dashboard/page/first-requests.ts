/*
 * The script that the page loads before its main script. `start.tsx` imports this module too, so
 * both scripts share one instance of `early-requests.ts` and its answers.
 */
import { sendEarly } from './cluster/early-requests.js';

sendEarly(location.search);
